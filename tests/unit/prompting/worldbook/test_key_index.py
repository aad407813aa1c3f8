"""Plain keys: case, whole words, and offsets of a hit."""

import sys

import pytest
from tests.unit.prompting.worldbook.example import entry, make_book, scan, uids

from yarrow.prompting.worldbook.key_index import fold_case


def hit(key: str, *messages: str, **fields):
    """The first match of an entry with this one key."""
    active = scan(make_book(entry(0, key, **fields), scanDepth=9), *messages).active
    return active[0].first_match if active else None


def span(key: str, message: str, **fields):
    match = hit(key, message, **fields)
    return match and (match.char_start, match.char_end)


@pytest.mark.parametrize(
    "key, text, found",
    [
        ("inn", "the Inn", True),
        ("INN", "winning", True),
        (" inn ", "the inn", True),
        ("old inn", "an OLD INN", True),
        ("inn", "the in", False),
        ("龙", "一条巨龙飞过", True),
        ("а́", "Москва", False),
        ("straße", "STRAßE", True),
        ("ΟΔΟΣ", "η οδος", True),
        ("οδος", "ΟΔΟΣΑ", True),
    ],
)
def test_a_plain_key_is_found_without_case(key, text, found):
    assert (hit(key, text) is not None) is found


@pytest.mark.parametrize("key, found", [("Inn", True), ("inn", False), ("INN", False)])
def test_a_case_sensitive_key_is_found_as_written(key, found):
    assert (hit(key, "the Inn", caseSensitive=True) is not None) is found


@pytest.mark.parametrize(
    "key, text, found",
    [
        ("mage", "the mage.", True),
        ("mage", "mage", True),
        ("mage", "(mage)", True),
        ("mage", "images", False),
        ("mage", "images of a mage", True),
        ("mage", "mage_x", False),
        ("mage", "mage2", False),
        ("C++", "in C++, maybe", True),
        ("C++", "C++x", False),
        ("old ma", "an old mage", True),
        ("mage", "一个mage说", True),
        ("剑", "宝剑出鞘", True),
        ("巨龙", "a巨龙b", True),
        ("кот", "котлета", False),
        ("кот", "чёрный кот!", True),
    ],
)
def test_whole_words_end_where_words_end(key, text, found):
    assert (hit(key, text, matchWholeWords=True) is not None) is found


def test_each_way_of_looking_keeps_to_its_own_entry():
    book = make_book(
        entry(0, "mage"),
        entry(1, "mage", matchWholeWords=True),
        entry(2, "mage", caseSensitive=True),
        entry(3, "Mage", caseSensitive=True, matchWholeWords=True),
    )

    assert uids(scan(book, "images")) == [0, 2]
    assert uids(scan(book, "a Mage")) == [0, 1, 3]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("İİ the inn", (7, 10)),
        ("🐉 the inn", (7, 10)),
        ("ẞẞ the INN", (7, 10)),
        ("𝔘ΣΣ inn", (5, 8)),
    ],
)
def test_offsets_are_utf16_units_of_the_text_itself(text, expected):
    assert span("inn", text) == expected
    assert span("/inn/i", text) == expected


@pytest.mark.slow
def test_folding_never_moves_a_letter():
    letters = [chr(code) for code in range(sys.maxunicode + 1)]

    assert [letter for letter in letters if len(fold_case(letter)) != 1] == []
    assert len(fold_case("".join(letters))) == len(letters)


def test_a_half_of_a_surrogate_pair_does_not_stop_the_scan():
    assert span("inn", "\ud83d inn") == (2, 5)
