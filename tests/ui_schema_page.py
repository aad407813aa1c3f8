"""The samples of `docs/protocols/ui-schema.md`, and its JSON Schema as a judge of cards."""

import re
from functools import cache
from pathlib import Path

import jsonschema_rs
from tests.loose_json import JsonObject, decode_json

PAGE = Path(__file__).parents[1] / "docs" / "protocols" / "ui-schema.md"


def samples(kind: str) -> list[JsonObject]:
    """The JSON blocks of the page that are marked as `kind`."""
    text = PAGE.read_text("utf-8")
    found = re.findall(rf"^```json {kind}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    return [decode_json(block) for block in found]


def broken_rules(card: JsonObject) -> list[str]:
    """What the page's JSON Schema has against a card."""
    return [error.message for error in _judge("card").iter_errors(card)]


def broken_rules_of_node(node: JsonObject) -> list[str]:
    return [error.message for error in _judge("node").iter_errors(node)]


@cache
def _judge(part: str) -> jsonschema_rs.Draft202012Validator:
    (schema,) = samples("json-schema")
    return jsonschema_rs.Draft202012Validator(schema | {"$ref": f"#/$defs/{part}"})
