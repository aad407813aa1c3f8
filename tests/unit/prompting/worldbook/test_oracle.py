"""The cases that were observed on the peer or follow from SillyTavern, one test each."""

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from tests.unit.prompting.worldbook.example import SESSION, scan

from yarrow.prompting.model import PromptRole
from yarrow.prompting.worldbook import LorePosition, LoreScan, compile_book, parse_book

FILE = Path(__file__).parents[3] / "data" / "tavern" / "cases.json"
CASES = [
    case for case in json.loads(FILE.read_text("utf-8"))["cases"] if case["kind"] == "worldbook"
]

BUCKETS = {
    LorePosition.BEFORE: "before",
    LorePosition.AFTER: "after",
    LorePosition.AN_TOP: "anTop",
    LorePosition.AN_BOTTOM: "anBottom",
    LorePosition.EM_TOP: "emTop",
    LorePosition.EM_BOTTOM: "emBottom",
}
ROLES = [PromptRole.SYSTEM, PromptRole.USER, PromptRole.ASSISTANT]


def buckets(result: LoreScan) -> dict[str, Any]:
    filled: dict[str, Any] = defaultdict(list)
    outlets: dict[str, list[int]] = defaultdict(list)
    for item in sorted((active.entry for active in result.active), key=lambda entry: entry.uid):
        match item.position:
            case LorePosition.AT_DEPTH:
                filled["atDepth"].append([item.uid, item.depth, ROLES.index(item.role)])
            case LorePosition.OUTLET:
                outlets[item.outlet_name].append(item.uid)
            case position:
                filled[BUCKETS[position]].append(item.uid)
    return {**filled, **({"outlets": outlets} if outlets else {})}


def first_matches(result: LoreScan) -> dict[str, dict[str, Any]]:
    told = {}
    for active in result.active:
        facts: dict[str, Any] = {"recursion_level": active.recursion_level, "mode": active.mode}
        if active.first_match is not None:
            match = active.first_match
            names = ("source_kind", "matched_key", "matched_key_scope", "matched_key_type")
            facts |= {name: getattr(match, name) for name in names}
            facts |= {"char_start": match.char_start, "char_end": match.char_end}
            facts["excerpt"] = match.excerpt
            if match.message_index_from_latest is not None:
                facts["message_index_from_latest"] = match.message_index_from_latest
        told[str(active.entry.uid)] = facts
    return told


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_a_book_scans_as_the_oracle_says(case):
    given, expect = case["given"], case["expect"]
    book = compile_book(parse_book(given["book"], source=SESSION))

    result = scan(book, *given["messages_newest_first"])

    order = [active.entry.uid for active in result.active]
    assert sorted(order) == expect["activated"]
    assert buckets(result) == expect["buckets"]
    assert order == expect.get("text_order", order)
    told = first_matches(result)
    assert {uid: told[uid] for uid in expect.get("first_match", {})} == expect.get(
        "first_match", {}
    )


def test_all_worldbook_cases_of_the_oracle_are_here():
    assert len(CASES) == 18
