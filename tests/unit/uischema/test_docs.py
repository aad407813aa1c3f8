"""The page of the UI schema: its samples are valid, and it leaves no node out."""

from typing import get_args

import pytest
from tests.loose_json import JsonObject, JsonValue
from tests.ui_schema_page import broken_rules, broken_rules_of_node, samples

from yarrow.uischema import Hints, Node, compile_stored_card


@pytest.mark.parametrize("sample", samples("schema"))
def test_printed_cards_are_valid(sample: JsonObject) -> None:
    assert broken_rules(sample) == []


@pytest.mark.parametrize("sample", samples("node"), ids=lambda sample: sample["type"])
def test_printed_nodes_are_valid(sample: JsonObject) -> None:
    assert broken_rules_of_node(sample) == []


def test_every_node_is_printed() -> None:
    (schema,) = samples("json-schema")
    known = {rule["$ref"].rpartition("/")[2] for rule in schema["$defs"]["node"]["oneOf"]}

    assert {sample["type"] for sample in samples("node")} == known
    assert len(get_args(Node)) == len(known)


def test_printed_hints_name_every_key_and_compile() -> None:
    (hints,) = samples("hints")

    card: JsonValue = compile_stored_card(hints)

    assert set(hints) == set(Hints.__struct_fields__)
    assert card is not None
    assert broken_rules(card) == []
    used = {child["type"] for child in card["root"]["children"]}
    assert used == {sample["type"] for sample in samples("node")} - {"button"}
