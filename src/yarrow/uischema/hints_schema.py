"""The hints of a card as a JSON Schema for models.

It is sent with every request, so it is short: limits are told when they are broken. It has no
references, which some endpoints cannot follow, and no expressions, on which some grammars choke.
"""

from typing import Final

import msgspec

from yarrow.kit.json import JsonObject, JsonValue
from yarrow.uischema.hints import CardHints

_KEPT: Final = ("type", "enum", "items", "additionalProperties", "anyOf", "required")
_NULL: Final[JsonObject] = {"type": "null"}


def _schema() -> JsonObject:
    (whole,), named = msgspec.json.schema_components([CardHints], ref_template="{name}")
    return _short(whole, named)


def _short(part: JsonObject, named: JsonObject) -> JsonObject:
    if "$ref" in part:
        return _short(named[part["$ref"]], named)
    short: JsonObject = {key: _inside(part[key], named) for key in _KEPT if part.get(key)}
    if "properties" in part:
        short["properties"] = {
            name: _short(field, named) for name, field in part["properties"].items()
        }
        short["additionalProperties"] = False
    if short.keys() == {"anyOf"} and len(short["anyOf"]) == 1:
        only: JsonObject = short["anyOf"][0]
        return only
    return short


def _inside(value: JsonValue, named: JsonObject) -> JsonValue:
    match value:
        case dict():
            return _short(value, named)
        case [dict(), *_]:
            return [_short(choice, named) for choice in value if choice != _NULL]
        case _:
            return value


CARD_SCHEMA: Final[JsonObject] = _schema()
"""What `read_card_hints` takes."""
