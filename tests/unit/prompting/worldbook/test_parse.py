"""Reading worldbooks: every field under each of its names, defaults, and broken values."""

import pytest
from tests.unit.prompting.worldbook.example import CARD, SESSION

from yarrow.prompting.model import PromptRole
from yarrow.prompting.worldbook import (
    BookSettings,
    CharacterFilter,
    EntryDecorator,
    KeyLogic,
    LoreEntry,
    LorePosition,
    LoreWarningCode,
    SegmentKind,
    parse_book,
)


def entry_of(record):
    book = parse_book({"entries": [record]}, source=SESSION)
    assert book.warnings == ()
    return book.entries[0]


def test_an_empty_entry_has_the_defaults():
    entry = entry_of({})

    assert entry == LoreEntry(uid=0)
    assert (entry.selective, entry.logic, entry.constant) == (True, KeyLogic.AND_ANY, False)
    assert (entry.position, entry.order, entry.depth) == (LorePosition.BEFORE, 100, 4)
    assert (entry.role, entry.probability, entry.group_weight) == (PromptRole.SYSTEM, 100, 100)


def test_an_empty_book_has_the_defaults():
    assert parse_book({}, source=CARD).settings == BookSettings(
        scan_depth=2,
        case_sensitive=False,
        whole_words=False,
        recursive=False,
        max_recursion_steps=0,
    )


@pytest.mark.parametrize(
    "record, field, value",
    [
        ({"uid": 7}, "uid", 7),
        ({"id": 9}, "uid", 9),
        ({"key": ["a"], "keys": ["b"]}, "keys", ("a",)),
        ({"key": [], "keys": ["b"]}, "keys", ("b",)),
        ({"keysecondary": ["a"]}, "secondary", ("a",)),
        ({"secondary_keys": ["b"]}, "secondary", ("b",)),
        ({"selective": False}, "selective", False),
        ({"selectiveLogic": 3}, "logic", KeyLogic.AND_ALL),
        ({"extensions": {"selectiveLogic": 1}}, "logic", KeyLogic.NOT_ALL),
        ({"selectiveLogic": 2}, "logic", KeyLogic.NOT_ANY),
        ({"constant": True}, "constant", True),
        ({"comment": "Inn"}, "comment", "Inn"),
        ({"comment": "", "name": "Inn"}, "comment", "Inn"),
        ({"order": 7, "insertion_order": 8}, "order", 8),
        ({"order": 7}, "order", 7),
        ({"order": -3.0}, "order", -3),
        ({"depth": 1, "extensions": {"depth": 2}}, "depth", 2),
        ({"role": 1}, "role", PromptRole.USER),
        ({"role": 1, "extensions": {"role": 2}}, "role", PromptRole.ASSISTANT),
        ({"role": "assistant"}, "role", PromptRole.ASSISTANT),
        ({"disable": True}, "disabled", True),
        ({"disable": True, "enabled": True}, "disabled", False),
        ({"enabled": False}, "disabled", True),
        ({"scanDepth": 3}, "scan_depth", 3),
        ({"scanDepth": None}, "scan_depth", None),
        ({"scanDepth": 3, "extensions": {"scan_depth": 5}}, "scan_depth", 5),
        ({"extensions": {"case_sensitive": True}}, "case_sensitive", True),
        ({"caseSensitive": False}, "case_sensitive", False),
        ({"case_sensitive": True}, "case_sensitive", True),
        ({"extensions": {"match_whole_words": True}}, "whole_words", True),
        ({"excludeRecursion": True}, "exclude_recursion", True),
        ({"excludeRecursion": True, "extensions": {"exclude_recursion": False}},
         "exclude_recursion", False),
        ({"extensions": {"prevent_recursion": True}}, "prevent_recursion", True),
        ({"delayUntilRecursion": True}, "recursion_delay", 1),
        ({"delayUntilRecursion": False}, "recursion_delay", 0),
        ({"extensions": {"delay_until_recursion": 3}}, "recursion_delay", 3),
        ({"outletName": "Lore"}, "outlet_name", "Lore"),
        ({"extensions": {"outlet_name": "Lore"}}, "outlet_name", "Lore"),
        ({"useProbability": True, "probability": 40}, "probability", 40),
        ({"useProbability": False, "probability": 40}, "probability", 100),
        ({"extensions": {"probability": 12.5}}, "probability", 12.5),
        ({"group": "a, b ,,a"}, "groups", ("a", "b")),
        ({"extensions": {"group": "g"}}, "groups", ("g",)),
        ({"groupOverride": True}, "group_override", True),
        ({"extensions": {"group_weight": 30}}, "group_weight", 30),
        ({"useGroupScoring": True}, "group_scoring", True),
        ({"sticky": 2}, "sticky", 2),
        ({"extensions": {"cooldown": 3}}, "cooldown", 3),
        ({"delay": 4}, "delay", 4),
        ({"triggers": ["continue", "quiet"]}, "intents", ("continue", "quiet")),
        ({"ignoreBudget": True}, "ignore_budget", True),
        ({"extensions": {"ignore_budget": True}}, "ignore_budget", True),
    ],
)  # fmt: skip
def test_a_field_is_read_under_each_of_its_names(record, field, value):
    assert getattr(entry_of(record), field) == value


@pytest.mark.parametrize(
    "number, position",
    [
        (0, LorePosition.BEFORE),
        (1, LorePosition.AFTER),
        (2, LorePosition.AN_TOP),
        (3, LorePosition.AN_BOTTOM),
        (4, LorePosition.AT_DEPTH),
        (5, LorePosition.EM_TOP),
        (6, LorePosition.EM_BOTTOM),
        (7, LorePosition.OUTLET),
    ],
)
def test_positions_go_by_number(number, position):
    assert entry_of({"position": number}).position == position
    assert entry_of({"position": 0, "extensions": {"position": number}}).position == position


def test_a_card_names_its_positions():
    assert entry_of({"position": "before_char"}).position == LorePosition.BEFORE
    assert entry_of({"position": "after_char"}).position == LorePosition.AFTER
    both = {"position": "after_char", "extensions": {"position": 4}}
    assert entry_of(both).position == LorePosition.AT_DEPTH


@pytest.mark.parametrize(
    "kind",
    [
        SegmentKind.PERSONA_DESCRIPTION,
        SegmentKind.CHARACTER_DESCRIPTION,
        SegmentKind.CHARACTER_PERSONALITY,
        SegmentKind.CHARACTER_DEPTH_PROMPT,
        SegmentKind.SCENARIO,
        SegmentKind.CREATOR_NOTES,
    ],
)
def test_an_entry_may_ask_for_texts_of_the_card(kind):
    camel = "match" + "".join(word.capitalize() for word in kind.split("_"))

    assert entry_of({"extensions": {f"match_{kind}": True}}).sources == (kind,)
    assert entry_of({camel: True}).sources == (kind,)


def test_a_character_filter_is_read():
    given = {"isExclude": True, "names": ["Alice"], "tags": ["elf"]}

    expected = CharacterFilter(names=("Alice",), tags=("elf",), excludes=True)
    assert entry_of({"characterFilter": given}).character_filter == expected
    assert entry_of({"extensions": {"character_filter": given}}).character_filter == expected


@pytest.mark.parametrize(
    "content, decorators, rest",
    [
        ("@@activate\nA tale.", (EntryDecorator.ACTIVATE,), "A tale."),
        ("@@dont_activate\n@@activate\nA\n@@b", tuple(EntryDecorator)[::-1], "A\n@@b"),
        ("@@unknown\nA", (), "A"),
        ("@@unknown\n@@@activate\nA", (EntryDecorator.ACTIVATE,), "A"),
        ("@@activate\n@@@dont_activate\nA", (EntryDecorator.ACTIVATE,), "A"),
        ("@@activate", (EntryDecorator.ACTIVATE,), ""),
        ("A\n@@activate", (), "A\n@@activate"),
        ("@@activate\r\nA", (EntryDecorator.ACTIVATE,), "A"),
    ],
)
def test_decorators_are_removed_from_the_content(content, decorators, rest):
    entry = entry_of({"content": content})

    assert (entry.decorators, entry.content) == (decorators, rest)


@pytest.mark.parametrize(
    "record, field, value",
    [
        ({"scanDepth": 5}, "scan_depth", 5),
        ({"scan_depth": 5}, "scan_depth", 5),
        ({"caseSensitive": True}, "case_sensitive", True),
        ({"matchWholeWords": True}, "whole_words", True),
        ({"recursive": True}, "recursive", True),
        ({"recursive_scanning": True}, "recursive", True),
        ({"maxRecursionSteps": 2}, "max_recursion_steps", 2),
        ({"min_activations": 3}, "min_activations", 3),
        ({"min_activations_depth_max": 9}, "min_activations_depth_max", 9),
        ({"useGroupScoring": True}, "group_scoring", True),
    ],
)
def test_a_setting_of_the_book_is_read(record, field, value):
    assert getattr(parse_book(record, source=SESSION).settings, field) == value


def test_entries_may_be_an_object_walked_as_javascript_does():
    entries = {"b": {"comment": "3"}, "10": {"comment": "2"}, "2": {"comment": "1"}}

    book = parse_book({"entries": entries}, source=SESSION)

    assert [(entry.uid, entry.comment) for entry in book.entries] == [(0, "1"), (1, "2"), (2, "3")]


@pytest.mark.parametrize(
    "record",
    [
        {"order": "high"}, {"depth": -1}, {"position": 8}, {"position": "middle"}, {"role": 3},
        {"selectiveLogic": 4}, {"constant": "yes"}, {"key": "dragon"}, {"key": ["a", 1]},
        {"content": 5}, {"probability": -2}, {"sticky": True}, {"scanDepth": 2.5},
        {"group": ["a"]}, {"characterFilter": []}, {"triggers": "quiet"}, {"role": "narrator"},
    ],
)  # fmt: skip
def test_a_broken_field_falls_back_to_its_default_with_a_warning(record):
    book = parse_book({"entries": [{"uid": 4, **record}]}, source=SESSION)

    assert book.entries == (LoreEntry(uid=4),)
    assert [(w.code, w.uid) for w in book.warnings] == [(LoreWarningCode.FIELD_INVALID, 4)]


def test_a_broken_extension_gives_way_to_the_field_itself():
    book = parse_book({"entries": [{"depth": 3, "extensions": {"depth": "x"}}]}, source=SESSION)

    assert (book.entries[0].depth, len(book.warnings)) == (3, 1)


@pytest.mark.parametrize("content", [{"entries": 5}, {"entries": ["x", None]}, {"scanDepth": "x"}])
def test_a_broken_book_is_still_a_book(content):
    book = parse_book(content, source=SESSION)

    assert (book.entries, book.settings) == ((), BookSettings())
