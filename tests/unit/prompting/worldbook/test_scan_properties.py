"""The incremental scan finds the same entries as a naive scan that reads everything again."""

import re
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.prompting.worldbook.example import entry, make_book, scan

words = st.sampled_from(["ab", "Ab", "b", "bab", "龙", "巨龙", "/a+b/", r"/b\sa/", "/^b/i", "a b"])
texts = st.text(alphabet="abAB 龙巨_", max_size=8)
entries: st.SearchStrategy[dict[str, Any]] = st.builds(
    dict,
    key=st.lists(words, max_size=2),
    keysecondary=st.lists(words, max_size=2),
    selectiveLogic=st.integers(0, 3),
    constant=st.sampled_from([False, False, False, True]),
    content=texts,
    scanDepth=st.sampled_from([None, 0, 1, 4]),
    caseSensitive=st.sampled_from([None, True]),
    matchWholeWords=st.sampled_from([None, True]),
    excludeRecursion=st.booleans(),
    preventRecursion=st.booleans(),
    delayUntilRecursion=st.sampled_from([0, 0, 0, 1]),
    matchScenario=st.booleans(),
)


def is_in(key: str, segments: list[str], *, exact: bool, whole: bool) -> bool:
    if key.startswith("/"):
        _, pattern, flags = key.split("/")
        regex = re.compile(pattern, re.IGNORECASE if flags else 0)
        return any(regex.search(text) for text in [*segments, "\n".join(segments)])
    pattern = re.escape(key)
    if whole and " " not in key and key.isascii():
        pattern = f"(?<![A-Za-z0-9_]){pattern}(?![A-Za-z0-9_])"
    plain = re.compile(pattern, 0 if exact else re.IGNORECASE)
    return any(plain.search(text) for text in segments)


def matches(record, segments: list[str]) -> bool:
    if record["constant"]:
        return True
    exact, whole = bool(record["caseSensitive"]), bool(record["matchWholeWords"])
    primary = [is_in(key, segments, exact=exact, whole=whole) for key in record["key"]]
    second = [is_in(key, segments, exact=exact, whole=whole) for key in record["keysecondary"]]
    logics = [any(second), not all(second), not any(second), all(second)]
    return any(primary) and (not second or logics[record["selectiveLogic"]])


def read_plainly(records, messages, scenario, *, recursive: bool) -> dict[int, int]:
    """Which entries are active at which level, by the steps 3 to 10 of the reference."""
    active: dict[int, int] = {}
    contents: list[str] = []
    delayed = any(record["delayUntilRecursion"] for record in records)
    level = 0
    while True:
        new = []
        for uid, record in enumerate(records):
            waits = record["delayUntilRecursion"] > min(level, 1)
            if uid in active or waits or (level and record["excludeRecursion"]):
                continue
            depth = 2 if record["scanDepth"] is None else record["scanDepth"]
            segments = [*messages[:depth], *([scenario] if record["matchScenario"] else [])]
            segments = [text for text in [*segments, *contents] if text and depth]
            if matches(record, segments):
                new.append(uid)
        active |= dict.fromkeys(new, level)
        grown = [records[uid] for uid in new if not records[uid]["preventRecursion"]]
        grown_by = [record["content"] for record in grown if record["content"]]
        contents += grown_by
        level += 1
        if not recursive or not (grown_by or (delayed and level == 1)):
            return active


@settings(max_examples=600)
@given(st.lists(entries, max_size=6), st.lists(texts, max_size=4), texts, st.booleans())
def test_the_scan_finds_what_a_plain_reading_finds(records, messages, scenario, recursive):
    book = make_book(*(entry(n, **record) for n, record in enumerate(records)), recursive=recursive)

    result = scan(book, *messages, sources={"scenario": scenario})

    found = {active.entry.uid: active.recursion_level for active in result.active}
    assert found == read_plainly(records, messages, scenario, recursive=recursive)
