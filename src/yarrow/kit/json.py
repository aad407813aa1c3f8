"""Opaque JSON: the type of what we carry without looking inside, and one codec for it."""

from typing import Any, TypeAlias

import msgspec

JsonValue: TypeAlias = Any
"""Any JSON value. The one place where `Any` is honest: we pass it on, we do not read it."""

JsonObject: TypeAlias = dict[str, JsonValue]

_encoder = msgspec.json.Encoder()
_sorted_encoder = msgspec.json.Encoder(order="sorted")
_decoder = msgspec.json.Decoder()

encode_json = _encoder.encode
"""A value as compact UTF-8 JSON."""

encode_canonical = _sorted_encoder.encode
"""A value as JSON with sorted keys: equal values give equal bytes."""


def decode_json(data: bytes | str) -> JsonValue:
    """JSON text as plain Python values; raises `msgspec.DecodeError` on broken text."""
    return _decoder.decode(data)


def count_parts(data: bytes) -> int:
    """At most so many lists and objects, without reading them: three bytes of JSON make a hundred
    of memory, so what comes from outside is counted first."""
    return data.count(b"[") + data.count(b"{")
