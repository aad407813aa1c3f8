"""JSON: types of values that are passed on unread, and the codec."""

from collections.abc import Mapping
from typing import Any, TypeAlias

import msgspec

JsonValue: TypeAlias = Any
"""Any JSON value, passed on without reading it."""

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


def count_parts(data: bytes) -> int:
    """An upper bound of the lists and objects, without decoding.

    Three bytes of JSON can take a hundred bytes of memory, so untrusted JSON is counted first.
    """
    return data.count(b"[") + data.count(b"{")
