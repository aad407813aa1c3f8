"""The hints of a card as a JSON Schema for models.

It is sent with every request, so it is short: a limit is named when it is broken. It has no
references, which some endpoints cannot follow, and no expressions, on which some grammars choke.
"""

from typing import Any, Final, TypeAlias

import msgspec

from yarrow.kit.json import JsonObject
from yarrow.uischema.hints import CardHints

_Schema: TypeAlias = dict[str, Any]
"""JSON Schema, whose parts have no one type."""
_Part: TypeAlias = Any

_KEPT: Final = ("type", "enum", "items", "additionalProperties", "anyOf", "required")
_NULL: Final[JsonObject] = {"type": "null"}


def _build_schema() -> _Schema:
    (whole,), named = msgspec.json.schema_components([CardHints], ref_template="{name}")
    return _shorten_schema(whole, named)


def _shorten_schema(part: _Schema, named: dict[str, _Schema]) -> _Schema:
    if "$ref" in part:
        return _shorten_schema(named[part["$ref"]], named)
    short: _Schema = {key: _shorten_part(part[key], named) for key in _KEPT if part.get(key)}
    if "properties" in part:
        short["properties"] = {
            name: _shorten_schema(field, named) for name, field in part["properties"].items()
        }
        short["additionalProperties"] = False
    if short.keys() == {"anyOf"} and len(short["anyOf"]) == 1:
        only: _Schema = short["anyOf"][0]
        return only
    return short


def _shorten_part(value: _Part, named: dict[str, _Schema]) -> _Part:
    match value:
        case dict():
            return _shorten_schema(value, named)
        case [dict(), *_]:
            return [_shorten_schema(choice, named) for choice in value if choice != _NULL]
        case _:
            return value


CARD_SCHEMA: Final[JsonObject] = _build_schema()
"""What `read_card_hints` takes."""
