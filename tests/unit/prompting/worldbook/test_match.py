"""Matching an entry's keys: first match, regex keys, macros in keys."""

import pytest
from tests.unit.prompting.worldbook.example import entry, make_book, scan, uids

from yarrow.prompting.worldbook import KeyScope, KeyType, LoreWarningCode, SegmentKind


def hit(key: str, *messages: str, **fields):
    """The first match of an entry with this one key."""
    active = scan(make_book(entry(0, key, **fields), scanDepth=9), *messages).active
    return active[0].first_match if active else None


def span(key: str, message: str, **fields):
    match = hit(key, message, **fields)
    return match and (match.char_start, match.char_end)


def test_the_excerpt_is_the_match_with_thirty_characters_around_it():
    match = hit("inn", f"{'a' * 40}inn{'b' * 40}")

    assert match is not None
    assert match.excerpt == f"{'a' * 30}inn{'b' * 30}"
    # seed 4, worldbook_matches
    seed = hit("campfire", "Please continue the campfire scene.")
    assert seed is not None
    assert (seed.char_start, seed.char_end) == (20, 28)
    assert seed.excerpt == "Please continue the campfire scene."


def test_the_first_match_is_the_earliest_over_both_lists():
    book = make_book(
        entry(0, "older", "wolf", keysecondary=["forest", "moon"], selectiveLogic=0), scanDepth=3
    )

    match = scan(book, "the forest and a wolf", "older moon").active[0].first_match

    assert match is not None
    assert (match.matched_key, match.matched_key_scope) == ("forest", KeyScope.SECONDARY)
    assert (match.message_index_from_latest, match.char_start) == (0, 4)


def test_of_two_hits_at_one_place_the_shorter_then_the_primary_comes_first():
    book = make_book(entry(0, "dragonfly", "dragon", keysecondary=["dragon"]))

    match = scan(book, "dragonfly").active[0].first_match

    assert match is not None
    assert (match.matched_key, match.matched_key_scope) == ("dragon", KeyScope.PRIMARY)


@pytest.mark.parametrize(
    "key, text, expected",
    [
        ("/dr[ae]g/", "a dreg", (2, 6)),
        ("/DRAG/", "drag", None),
        ("/DRAG/gi", "drag drag", (0, 4)),
        ("/^inn$/", "inn", (0, 3)),
        (r"/a\/b/", "xa/b", (1, 4)),
        (r"/(?<=the )inn/", "the inn", (4, 7)),
        ("/./u", "🐉", (0, 2)),
    ],
)
def test_a_regex_key_keeps_its_own_flags(key, text, expected):
    assert span(key, text, caseSensitive=True, matchWholeWords=True) == expected


def test_a_regex_hit_is_reported_as_one():
    match = hit("/dr[ae]gons?/i", "x", "two DRAGONS")

    assert match is not None
    assert (match.matched_key, match.matched_key_type) == ("/dr[ae]gons?/i", KeyType.REGEX)
    assert (match.message_index_from_latest, match.char_start) == (1, 4)


def test_an_invalid_regex_is_plain_text_with_a_warning():
    result = scan(make_book(entry(3, "/(/i", "/a/b/")), "look: /(/I and /a/b/")

    match = result.active[0].first_match
    assert match is not None
    assert (match.matched_key, match.matched_key_type) == ("/(/i", KeyType.PLAIN)
    assert [(w.code, w.uid, w.detail) for w in result.warnings] == [
        (LoreWarningCode.REGEX_INVALID, 3, "/(/i")
    ]


def test_a_regex_that_times_out_is_skipped_with_a_warning():
    book = make_book(entry(0, "/(a+)+$/"), entry(1, "inn"), scanDepth=5)

    result = scan(book, "a" * 5000 + "b", "the inn", "a" * 5000 + "c")

    assert uids(result) == [1]
    assert [(w.code, w.uid) for w in result.warnings] == [(LoreWarningCode.REGEX_TIMED_OUT, 0)]


def test_a_regex_may_span_messages():
    book = make_book(entry(0, r"/dragon\s+king/"), scanDepth=3)

    match = scan(book, "hello", "🐉 the dragon", "king of all").active[0].first_match

    assert match is not None
    assert (match.message_index_from_latest, match.matched_key_type) == (1, KeyType.REGEX)
    assert (match.char_start, match.char_end) == (7, 13)


def test_a_regex_spans_only_messages_near_the_newest():
    book = make_book(entry(0, r"/dragon\s+king/"), scanDepth=9)

    assert uids(scan(book, "-" * 20_000, "dragon", "king")) == [0]
    assert uids(scan(book, "-" * 20_000, "-" * 20_000, "dragon", "king")) == []
    assert uids(scan(book, "-" * 20_000, "-" * 20_000, "dragon king")) == [0]


def test_a_plain_key_does_not_span_messages():
    assert hit("dragon\nking", "dragon", "king") is None


def test_anchors_hold_for_each_message():
    assert hit("/^king$/", "dragon", "king") is not None


def test_macros_in_keys_are_expanded():
    book = make_book(
        entry(0, "{{char}}"),
        entry(1, "/^{{user}} waves/"),
        entry(2, "{{empty}}"),
        entry(3, "{{user}}", caseSensitive=True),
    )

    assert uids(scan(book, "alice")) == [0]
    assert uids(scan(book, "Bob waves")) == [1, 3]


def test_a_macro_key_is_reported_as_it_is_written():
    match = hit("{{char}}", "alice")

    assert match is not None
    assert (match.matched_key, match.source_kind) == ("{{char}}", SegmentKind.MESSAGE)
    assert match.matched_key_type == KeyType.PLAIN


def test_what_was_found_in_a_text_does_not_depend_on_scans_before():
    book = make_book(entry(0, "inn"), entry(1, "/inn/"), entry(2, "{{char}}"), scanDepth=4)
    messages = ["the inn", "Alice", "the inn"]

    assert scan(book, *messages) == scan(book, *messages)
    assert uids(scan(book, "Alice")) == [2]
