"""Which entries a scan activates: depth, sources, logic, recursion, minimum, conditions."""

import pytest
from msgspec.structs import replace
from tests.unit.prompting.worldbook.example import (
    CARD,
    cuts,
    entry,
    make_book,
    scan,
    uids,
)

from yarrow.prompting.worldbook import ActivationMode, SegmentKind


def levels(result) -> dict[int, int]:
    return {active.entry.uid: active.recursion_level for active in result.active}


def test_the_book_scans_two_messages_unless_it_says_otherwise():
    assert uids(scan(make_book(entry(0, "inn")), "a", "the inn")) == [0]
    assert uids(scan(make_book(entry(0, "inn")), "a", "b", "the inn")) == []
    assert uids(scan(make_book(entry(0, "inn"), scanDepth=3), "a", "b", "the inn")) == [0]


def test_a_depth_of_zero_sees_nothing():
    book = make_book(
        entry(0, "inn", scanDepth=0, matchScenario=True),
        entry(1, "x", constant=True, scanDepth=0),
        entry(2, "inn", scanDepth=1),
        scanDepth=0,
        recursive=True,
    )

    assert uids(scan(book, "inn", sources={SegmentKind.SCENARIO: "inn"})) == [1, 2]


def test_a_cards_book_without_settings_scans_like_any_other():
    """Peer defect 8: there such a book never triggers."""
    book = make_book(entry(0, "inn"), source=CARD)

    result = scan(book, "hello", "the inn")

    assert uids(result) == [0]
    assert result.active[0].source == CARD


def test_each_book_keeps_its_own_settings():
    shallow = make_book(entry(1, "inn"), source=CARD)
    deep = make_book(entry(0, "inn", "Mage"), scanDepth=5, caseSensitive=True)

    assert uids(scan([deep, shallow], "a", "b", "inn")) == [0]
    assert uids(scan([deep, shallow], "INN")) == [1]


@pytest.mark.parametrize(
    "kind",
    [
        kind
        for kind in SegmentKind
        if kind not in {SegmentKind.MESSAGE, SegmentKind.INJECTION, SegmentKind.RECURSION_BUFFER}
    ],
)
def test_a_text_of_the_card_counts_for_entries_that_ask_for_it(kind):
    book = make_book(entry(0, "inn"), entry(1, "inn", extensions={f"match_{kind}": True}))

    result = scan(book, "hello", sources={kind: "by the inn"})

    assert uids(result) == [1]
    match = result.active[0].first_match
    assert match is not None
    assert (match.source_kind, match.message_index_from_latest) == (kind, None)
    assert (match.char_start, match.excerpt) == (7, "by the inn")


def test_injections_count_for_everybody():
    result = scan(make_book(entry(0, "inn")), "x", sources={SegmentKind.INJECTION: "inn"})

    assert uids(result) == [0]


@pytest.mark.parametrize("logic, matching", [(0, "1 2"), (1, "0 1"), (2, "0"), (3, "2")])
def test_secondary_keys_follow_the_logic(logic, matching):
    texts = ["Alice rests", "Alice the mage", "Alice, mage and wizard"]
    book = make_book(entry(0, "Alice", keysecondary=["mage", "wizard"], selectiveLogic=logic))

    found = [str(hits) for hits, text in enumerate(texts) if uids(scan(book, text))]

    assert " ".join(found) == matching


def test_secondary_keys_of_an_entry_that_is_not_selective_do_not_matter():
    book = make_book(entry(0, "Alice", keysecondary=["mage"], selective=False))

    assert uids(scan(book, "Alice")) == [0]


def test_constant_and_disabled():
    book = make_book(
        entry(0, constant=True), entry(1), entry(2, constant=True, disable=True), entry(3, "")
    )

    result = scan(book, "x")

    assert [(a.entry.uid, a.mode, a.first_match) for a in result.active] == [
        (0, ActivationMode.CONSTANT, None)
    ]


def test_text_goes_by_rising_order_then_by_book_and_file():
    first = make_book(entry(0, "x", order=50), entry(1, "x"), entry(2, "x", order=10))
    second = make_book(entry(3, "x", order=10), entry(4, "x"), source=CARD)

    assert uids(scan([first, second], "x")) == [2, 3, 0, 1, 4]


CHAIN = (
    entry(0, "dragon", content="a phoenix"),
    entry(1, "phoenix", content="an ember"),
    entry(2, "ember", content="end"),
)


@pytest.mark.parametrize(
    "settings, expected",
    [
        ({}, {0: 0}),
        ({"recursive": True}, {0: 0, 1: 1, 2: 2}),
        ({"recursive": True, "maxRecursionSteps": 1}, {0: 0}),
        ({"recursive": True, "maxRecursionSteps": 2}, {0: 0, 1: 1}),
    ],
)
def test_contents_trigger_others_as_far_as_the_book_allows(settings, expected):
    assert levels(scan(make_book(*CHAIN, **settings), "dragon")) == expected


def test_lore_in_a_circle_ends():
    book = make_book(entry(0, "a", content="b"), entry(1, "b", content="a"), recursive=True)

    assert levels(scan(book, "a")) == {0: 0, 1: 1}


def test_recursion_is_kept_out_by_either_side():
    giver = entry(0, "dragon", content="phoenix")
    silent = entry(0, "dragon", content="phoenix", preventRecursion=True)
    taker = entry(1, "phoenix")
    deaf = entry(1, "phoenix", excludeRecursion=True)

    assert uids(scan(make_book(giver, taker, recursive=True), "dragon")) == [0, 1]
    assert uids(scan(make_book(silent, taker, recursive=True), "dragon")) == [0]
    assert uids(scan(make_book(giver, deaf, recursive=True), "dragon")) == [0]
    assert uids(scan(make_book(giver, deaf, recursive=True), "phoenix dragon")) == [0, 1]


def test_a_secondary_key_may_come_from_a_content():
    book = make_book(
        entry(0, "dragon", content="fire"),
        entry(1, "dragon", keysecondary=["fire"]),
        recursive=True,
    )

    assert levels(scan(book, "dragon")) == {0: 0, 1: 1}


def test_contents_are_read_with_their_macros_expanded():
    book = make_book(entry(0, "x", content="{{char}} sleeps"), entry(1, "Alice"), recursive=True)

    assert uids(scan(book, "x")) == [0, 1]


def test_books_trigger_each_other():
    session = make_book(entry(0, "dragon", content="phoenix"), recursive=True)
    card = make_book(entry(1, "phoenix"), source=CARD, recursive=True)
    closed = make_book(entry(1, "phoenix"), source=CARD)

    assert uids(scan([session, card], "dragon")) == [0, 1]
    assert uids(scan([card, session], "dragon")) == [1, 0]
    assert uids(scan([session, closed], "dragon")) == [0]


def test_an_entry_may_wait_for_recursion():
    waiting = entry(1, "inn", delayUntilRecursion=True)
    book = make_book(entry(0, "dragon"), waiting, recursive=True)

    assert levels(scan(book, "dragon at the inn")) == {0: 0, 1: 1}
    assert levels(scan(book, "the inn")) == {1: 1}
    assert cuts(scan(make_book(waiting), "the inn")) == {1: "recursion_delay"}


def test_levels_open_one_after_the_other():
    book = make_book(
        entry(0, "dragon"),
        entry(2, "dragon", delayUntilRecursion=2),
        entry(5, "dragon", delayUntilRecursion=5, constant=True),
        entry(9, "dragon", delayUntilRecursion=1, excludeRecursion=True),
        recursive=True,
    )

    assert levels(scan(book, "dragon")) == {0: 0, 2: 2, 5: 5}


def test_a_level_opens_only_when_the_one_before_finds_nothing_more():
    book = make_book(
        entry(0, "dragon", content="egg"),
        entry(1, "egg", delayUntilRecursion=1, content="shell"),
        entry(2, "shell", delayUntilRecursion=1, content="dust"),
        entry(3, "dragon", delayUntilRecursion=2),
        recursive=True,
    )

    found = levels(scan(book, "dragon"))

    assert (found[1], found[2]) == (1, 2)
    assert found[3] > found[2]


def test_a_far_level_costs_no_passes():
    book = make_book(entry(0, "dragon", delayUntilRecursion=10**9), recursive=True)

    assert levels(scan(book, "dragon")) == {0: 10**9}


def test_too_few_entries_deepen_the_scan():
    entries = [entry(0, "a"), entry(1, "b"), entry(2, "c"), entry(3, "c", scanDepth=1)]
    messages = ["a", "-", "b", "-", "c"]

    assert uids(scan(make_book(*entries, scanDepth=1), *messages)) == [0]
    enough = make_book(*entries, scanDepth=1, min_activations=2)
    assert uids(scan(enough, *messages)) == [0, 1]
    many = make_book(*entries, scanDepth=1, min_activations=9)
    assert uids(scan(many, *messages)) == [0, 1, 2]
    bounded = make_book(*entries, scanDepth=1, min_activations=9, min_activations_depth_max=3)
    assert uids(scan(bounded, *messages)) == [0, 1]


def test_a_deeper_scan_is_followed_by_recursion():
    book = make_book(
        entry(0, "b", content="phoenix"),
        entry(1, "phoenix"),
        scanDepth=1,
        recursive=True,
        min_activations=1,
    )

    assert levels(scan(book, "a", "b")) == {0: 0, 1: 1}


@pytest.mark.parametrize(
    "wanted, admitted",
    [
        ({"names": ["Alice"]}, True),
        ({"names": ["Bob"]}, False),
        ({"names": ["Alice"], "isExclude": True}, False),
        ({"names": ["Bob"], "isExclude": True}, True),
        ({"tags": ["Elf"]}, True),
        ({"tags": ["orc"]}, False),
        ({"tags": ["elf"], "isExclude": True}, False),
        ({"tags": ["orc"], "isExclude": True}, True),
        ({"names": ["Alice"], "tags": ["orc"]}, False),
        ({"names": [], "tags": []}, True),
    ],
)
def test_a_character_filter_lets_in_whom_it_names(wanted, admitted):
    book = make_book(entry(0, "inn", characterFilter=wanted))

    result = scan(book, "inn", character_name="Alice", character_tags=["elf", "mage"])

    assert uids(result) == ([0] if admitted else [])
    assert cuts(result) == ({} if admitted else {0: "character_filter"})


def test_an_entry_may_be_meant_for_some_intents():
    book = make_book(entry(0, "inn", triggers=["continue", "quiet"]), entry(1, "inn"))

    assert uids(scan(book, "inn", intent="quiet")) == [0, 1]
    assert cuts(scan(book, "inn", intent="normal")) == {0: "intent"}


def test_decorators_force_or_forbid():
    book = make_book(
        entry(0, content="@@activate\nA"),
        entry(1, "inn", content="@@dont_activate\nB"),
        entry(2, "inn", content="@@dont_activate\n@@activate\nC"),
    )

    result = scan(book, "inn")

    assert [(a.entry.uid, a.entry.content) for a in result.active] == [(0, "A"), (2, "C")]
    assert cuts(result) == {1: "decorator"}


def test_what_does_not_match_is_not_called_cut():
    book = make_book(entry(0, "dragon", triggers=["quiet"]), entry(1, "dragon", delay=9))

    assert scan(book, "inn").cut == ()


def test_fields_that_could_not_be_read_are_reported_under_the_books_current_name():
    book = make_book(entry(3, "inn", order="high"))
    named = replace(book, book=replace(book.book, source=CARD))

    [warning] = scan(named, "inn").warnings

    assert (warning.code.value, warning.source, warning.uid) == ("field_invalid", CARD, 3)
    assert "order" in warning.detail


def test_field_warnings_of_one_book_are_limited():
    book = make_book(*(entry(uid, "inn", order="high") for uid in range(1_000)))

    warnings = scan(book, "inn").warnings

    assert len(warnings) == 101
    assert "900 more" in warnings[-1].detail
