"""From checked hints to the tree: what comes first, what is framed, what is divided."""

from collections.abc import Iterator
from typing import assert_never

from yarrow.uischema.card import UiSchema
from yarrow.uischema.hints import (
    BadgeHint,
    Cell,
    FactHint,
    Hints,
    ItemHint,
    LinkAction,
    MessageAction,
    ProgressHint,
    Section,
)
from yarrow.uischema.nodes import (
    Appearance,
    Badge,
    BulletList,
    Button,
    CardStatus,
    Divider,
    ImageNode,
    KeyValue,
    ListEntry,
    Node,
    OpenLink,
    Progress,
    SendMessage,
    Stack,
    StackDirection,
    TableNode,
    TextNode,
    TextRole,
)

EXACT = 2**53
"""Up to here a float is a whole number without doubt."""


def compile_card(hints: Hints) -> UiSchema:
    """The card that hints ask for; a status that is named and has no badge gets one."""
    status = hints.status or CardStatus.INFO
    children = [*_compile_head(hints, TextRole.TITLE, status)]
    if hints.badges is None and hints.status is not None:
        children.insert(1 if hints.title else 0, Badge(hints.status.value.upper(), status))
    children += _compile_middle(hints)
    for section in hints.sections:
        children += [Divider()] if children else []
        inside = (
            *_compile_head(section, TextRole.SUBTITLE, status),
            *_compile_middle(section),
            *_compile_foot(section),
        )
        children.append(Stack(inside))
    root = Stack((*children, *_compile_foot(hints)), Appearance.CARD)
    return UiSchema(hints.locale, status, root, hints.meta)


def _compile_head(section: Section, title: TextRole, status: CardStatus) -> Iterator[Node]:
    if section.title:
        yield TextNode(section.title, title)
    for badge in section.badges or ():
        match badge:
            case BadgeHint(label, its_own):
                yield Badge(label, its_own)
            case str(label):
                yield Badge(label, status)
            case _:
                assert_never(badge)


def _compile_middle(section: Section) -> Iterator[Node]:
    if section.body:
        yield TextNode(section.body, TextRole.BODY)
    if section.image is not None:
        yield ImageNode(section.image.src, section.image.alt)
    if section.facts:
        yield KeyValue(tuple(_iterate_pairs(section.facts)))
    if section.items:
        yield BulletList(tuple(map(_compile_entry, section.items)))
    if section.table is not None:
        rows = tuple(tuple(map(_format_cell, row)) for row in section.table.rows)
        yield TableNode(tuple(section.table.columns), rows)
    if section.progress is not None:
        yield _compile_progress(section.progress)


def _compile_foot(section: Section) -> Iterator[Node]:
    if section.actions:
        buttons = tuple(map(_compile_button, section.actions))
        yield Stack(buttons, direction=StackDirection.HORIZONTAL)


def _iterate_pairs(facts: dict[str, Cell] | list[FactHint]) -> Iterator[tuple[str, str]]:
    match facts:
        case dict():
            yield from ((key, _format_cell(value)) for key, value in facts.items())
        case list():
            yield from ((fact.key, _format_cell(fact.value)) for fact in facts)
        case _:
            assert_never(facts)


def _compile_entry(item: str | ItemHint) -> ListEntry:
    match item:
        case ItemHint(title, detail):
            return ListEntry(title, detail)
        case str(title):
            return ListEntry(title)
        case _:
            assert_never(item)


def _compile_progress(hint: float | ProgressHint) -> Progress:
    match hint:
        case ProgressHint(value, label):
            return Progress(value, label)
        case float(value):
            return Progress(value)
        case _:
            assert_never(hint)


def _compile_button(action: MessageAction | LinkAction) -> Button:
    match action:
        case MessageAction(label, text):
            return Button(label, SendMessage(text))
        case LinkAction(label, href):
            return Button(label, OpenLink(href))
        case _:
            assert_never(action)


def _format_cell(value: Cell) -> str:
    """A figure as text: clients show it, they do not calculate with it."""
    match value:
        case str():
            return value
        case float() if value.is_integer() and abs(value) < EXACT:
            return str(int(value))
        case _:
            return str(value)
