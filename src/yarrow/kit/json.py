"""JSON: its types and the codec."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

if TYPE_CHECKING:
    JsonValue: TypeAlias = (
        "bool | int | float | str | Sequence[JsonValue] | Mapping[str, JsonValue] | None"
    )
else:
    # pydantic and msgspec read annotations: they pass JSON on as it is, without a walk through it.
    JsonValue = Any
"""Any JSON value; it must be narrowed before it is used."""

JsonObject: TypeAlias = dict[str, JsonValue]

JsonMapping: TypeAlias = Mapping[str, JsonValue]
"""A JSON object that is only read."""

_encoder = msgspec.json.Encoder()
_sorted_encoder = msgspec.json.Encoder(order="sorted")
_decoder = msgspec.json.Decoder()

encode_json = _encoder.encode
"""Encode a value as compact UTF-8 JSON."""

encode_canonical = _sorted_encoder.encode
"""Encode a value with sorted keys, so that equal values give equal bytes."""


def decode_json(data: bytes | str) -> JsonValue:
    """Decode to plain Python values; raises `msgspec.DecodeError`."""
    value: JsonValue = _decoder.decode(data)
    return value


def equal_json(left: JsonValue, right: JsonValue) -> bool:
    """Whether two values are the same in JSON; in Python True equals 1, and 1 equals 1.0."""
    return encode_canonical(left) == encode_canonical(right)


def count_parts(data: bytes | bytearray) -> int:
    """An upper bound of the lists and objects, without decoding.

    Three bytes of JSON can take a hundred bytes of memory, so untrusted JSON is counted first.
    """
    return data.count(b"[") + data.count(b"{")
