"""Hints: the small JSON from which a card is made, its limits, and how it is read."""

import re
from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta as Rule
from msgspec import Struct

from yarrow.kit.json import JsonObject, JsonValue
from yarrow.uischema.nodes import CardStatus

# PostgreSQL cannot keep NUL in JSON, and no client can show the other control characters.
_CLEAN = r"\A(?=[\s\S]*\S)[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*\Z"
_OWN_PATH = r"\A/api/v1/(?!.*\.\.)(?!.*//)(?!.*%(2[eEfF]|5[cC]))[A-Za-z0-9_.~!$&'()*+,;=:@%/?-]+\Z"
_HTTPS = r"\Ahttps://[A-Za-z0-9.-]+(:[0-9]{1,5})?([/?#][^\s\\<>\"\x00-\x1f\x7f]*)?\Z"

Label: TypeAlias = Annotated[str, Rule(min_length=1, max_length=200, pattern=_CLEAN)]
Prose: TypeAlias = Annotated[str, Rule(min_length=1, max_length=4_000, pattern=_CLEAN)]
Figure: TypeAlias = Annotated[int, Rule(ge=-(2**53), le=2**53)] | float
Cell: TypeAlias = Annotated[str, Rule(max_length=500, pattern=_CLEAN + r"|\A\Z")] | Figure
Share: TypeAlias = Annotated[float, Rule(ge=0, le=1)]
ServerPath: TypeAlias = Annotated[str, Rule(max_length=2_000, pattern=_OWN_PATH)]
Href: TypeAlias = Annotated[str, Rule(max_length=2_000, pattern=_HTTPS)]
Locale: TypeAlias = Annotated[
    str, Rule(pattern=r"\A[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8}){0,4}\Z", max_length=40)
]
OriginId: TypeAlias = Annotated[str, Rule(min_length=1, max_length=200, pattern=_CLEAN)]


class _Hint(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A part of the hints; unknown keys are refused, so that a typing error shows."""


class BadgeHint(_Hint, frozen=True):
    """A badge with a status of its own."""

    label: Label
    status: CardStatus


class ItemHint(_Hint, frozen=True):
    """A list entry with a second line."""

    title: Label
    detail: Prose = ""


class FactHint(_Hint, frozen=True):
    """A fact in its place: stored JSON objects lose the order of their keys, lists keep it."""

    key: Label
    value: Cell


class TableHint(_Hint, frozen=True):
    """Rows are as long as there are columns."""

    columns: Annotated[list[Label], Rule(min_length=1, max_length=10)]
    rows: Annotated[list[list[Cell]], Rule(max_length=50)]

    def __post_init__(self) -> None:
        if any(len(row) != len(self.columns) for row in self.rows):
            raise ValueError("every row of a table needs a cell for each column")


class ImageHint(_Hint, frozen=True):
    """A picture of this server: a path below /api/v1/."""

    src: ServerPath
    alt: Label


class ProgressHint(_Hint, frozen=True):
    """A share from 0 to 1 with its name."""

    value: Share
    label: Label = ""


class MessageAction(_Hint, frozen=True, tag_field="type", tag="message"):
    """A button that sends a text as the user's next message."""

    label: Label
    text: Prose


class LinkAction(_Hint, frozen=True, tag_field="type", tag="link"):
    """A button that opens an https address."""

    label: Label
    href: Href


class Section(_Hint, frozen=True):
    """What a card, or a part of it, can show."""

    title: Label = ""
    badges: Annotated[list[Label | BadgeHint], Rule(max_length=10)] | None = None
    body: Prose = ""
    image: ImageHint | None = None
    facts: (
        Annotated[dict[Label, Cell], Rule(max_length=30)]
        | Annotated[list[FactHint], Rule(max_length=30)]
    ) = {}
    items: Annotated[list[Prose | ItemHint], Rule(max_length=50)] = []
    table: TableHint | None = None
    progress: Share | ProgressHint | None = None
    actions: Annotated[list[MessageAction | LinkAction], Rule(max_length=5)] = []

    @property
    def is_empty(self) -> bool:
        shown = (self.title, self.badges, self.body, self.image, self.facts, self.items)
        return not any(shown) and self.table is None and self.progress is None and not self.actions


class CardHints(Section, frozen=True):
    """A card as a model may ask for it."""

    status: CardStatus | None = None

    def __post_init__(self) -> None:
        if self.is_empty:
            raise ValueError("a card must show something: give it a title, a body or items")


class Meta(_Hint, frozen=True, rename="camel"):
    """Where a card comes from."""

    request_id: OriginId = ""
    tool_id: OriginId = ""
    trace_id: OriginId = ""
    user_id: OriginId = ""


class Hints(CardHints, frozen=True):
    """A card as it is kept: with its language, its origin, and sections, which do not nest."""

    sections: Annotated[list[Section], Rule(max_length=8)] = []
    locale: Locale = "und"
    meta: Meta = Meta()

    def __post_init__(self) -> None:
        if self.is_empty and not self.sections:
            raise ValueError("a card must show something: give it a title, a body or items")
        if any(section.is_empty for section in self.sections):
            raise ValueError("every section must show something")


class HintsInvalid(Struct, frozen=True):
    """These hints make no card; `problem` says why, in words a model can act on."""

    problem: str


def read_hints(value: JsonValue) -> Hints | HintsInvalid:
    """Kept hints, checked."""
    try:
        return msgspec.convert(value, Hints)
    except msgspec.ValidationError as invalid:
        return HintsInvalid(_word_error(invalid))


def read_card_hints(value: JsonValue) -> CardHints | HintsInvalid:
    """The hints of a card whose language and origin are not its author's to say."""
    try:
        return msgspec.convert(value, CardHints)
    except msgspec.ValidationError as invalid:
        return HintsInvalid(_word_error(invalid))


def add_language_and_origin(hints: JsonObject, *, locale: str, meta: Meta) -> JsonObject:
    """Good hints with their language and origin, in a form that can be stored."""
    origin: JsonObject = msgspec.to_builtins(meta)
    whole = {**_convert_facts_to_list(hints), "locale": locale}
    if origin:
        whole["meta"] = origin
    match hints:
        case {"sections": [*sections]}:
            whole["sections"] = [
                _convert_facts_to_list(part) for part in sections if isinstance(part, dict)
            ]
    return whole


def _convert_facts_to_list(section: JsonObject) -> JsonObject:
    """The same with its facts as a list."""
    match section.get("facts"):
        case dict(facts):
            listed = [{"key": key, "value": value} for key, value in facts.items()]
            return {**section, "facts": listed}
        case _:
            return section


PROBLEM_MAX = 300

_WRITTEN_RULES = {
    _CLEAN: "text without control characters, not blank",
    _OWN_PATH: "a path of this server that begins with /api/v1/",
    _HTTPS: "an https address",
}


def _word_error(invalid: msgspec.ValidationError) -> str:
    """The complaint, with rules in words where it would print an expression.

    It may quote what was given, so it is cut and made printable.
    """
    message = str(invalid)
    for pattern, words in _WRITTEN_RULES.items():
        message = message.replace(f"matching regex {pattern!r}", f"that is {words}")
    message = re.sub(r"matching regex '.*?'(?= - at|$)", "of the right form", message)
    return "".join(sign if sign.isprintable() else "?" for sign in message[:PROBLEM_MAX])
