"""JSON as tests and benchmarks read it: every key may be looked up, and a missing one fails.

The product's own types (`yarrow.kit.json`) must be narrowed before a value is used.
"""

from typing import Any, TypeAlias

from yarrow.kit import json

JsonValue: TypeAlias = Any
JsonObject: TypeAlias = dict[str, Any]


def decode_json(data: bytes | str) -> JsonValue:
    return json.decode_json(data)
