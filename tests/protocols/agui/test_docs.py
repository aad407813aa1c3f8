"""The samples of the protocol page are what the wire has."""

import re
from pathlib import Path

from tests.loose_json import JsonObject, decode_json

from yarrow.protocols.agui.runs import limits

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "protocols" / "agui.md").read_text("utf-8")
HOWTO = (ROOT / "docs" / "howto" / "stock-agui-clients.md").read_text("utf-8")
GOLDEN = sorted((ROOT / "tests" / "data" / "agui").glob("*.json"))
SUBCLASS = re.compile(r"class ResumableAgent .*?\n}\n", re.DOTALL)


def samples() -> list[JsonObject]:
    blocks = re.findall(r"```jsonl\n(.*?)```", PAGE, re.DOTALL)
    return [decode_json(line) for block in blocks for line in block.splitlines()]


def test_every_recorded_event_has_a_sample_with_its_fields() -> None:
    shown = {(sample["type"], frozenset(sample)) for sample in samples()}

    bare_ends = {("TEXT_MESSAGE_END", frozenset(("type", "messageId")))}

    for golden in GOLDEN:
        seed = decode_json(golden.read_bytes())["seed"]
        wire = {(frame["data"]["type"], frozenset(frame["data"])) for frame in seed}
        assert wire - bare_ends <= shown, golden.name


def test_every_rule_is_quoted_on_the_page() -> None:
    rules = [value for name, value in vars(limits).items() if name.endswith("_RULE")]

    assert len(rules) == 12
    assert [rule for rule in rules if f"`{rule}`" not in PAGE] == []


def test_documented_subclass_is_the_tested_one() -> None:
    tried = (ROOT / "tests" / "protocols" / "agui" / "clients" / "talk.mjs").read_text("utf-8")
    example = (ROOT / "examples" / "agui-client.mjs").read_text("utf-8")

    found = [SUBCLASS.findall(text) for text in (HOWTO, tried, example)]

    assert found[0] == found[1] == found[2]
    assert len(found[0]) == 1
