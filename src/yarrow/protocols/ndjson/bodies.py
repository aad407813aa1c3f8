"""What plain calls send and get: JSON, packed or not, and the envelope of a success."""

import zlib
from typing import TypeVar

from fastapi import Request, Response
from pydantic import BaseModel

from yarrow.errors import InvalidInput, TooLarge
from yarrow.http.body import parse_json, read_body, validate
from yarrow.kit.json import JsonValue, encode_json

Model = TypeVar("Model", bound=BaseModel)

SMALL = 1024 * 1024
"""Enough for a question about tables."""

_GZIP = b"\x1f\x8b"
_GZIP_WINDOW = 16 + zlib.MAX_WBITS


def success(data: JsonValue) -> Response:
    return Response(encode_json({"status": "success", "data": data}), media_type="application/json")


async def read_json_as(model: type[Model], request: Request, *, limit: int = SMALL) -> Model:
    """The body as `model`; it must say that it is JSON."""
    return validate(model, parse_json(await read_json_bytes(request, limit=limit)))


async def read_json_bytes(request: Request, *, limit: int) -> bytes:
    """The body's bytes, unpacked if they are packed; `limit` counts before and after."""
    kind = request.headers.get("content-type", "").split(";")[0].strip().lower()
    if kind != "application/json":
        raise InvalidInput("Content-Type must be application/json")
    body = await read_body(request, limit=limit)
    return _unpacked(body, limit=limit) if body.startswith(_GZIP) else body


def _unpacked(body: bytes, *, limit: int) -> bytes:
    unpacking = zlib.decompressobj(_GZIP_WINDOW)
    try:
        plain = unpacking.decompress(body, limit + 1)
    except zlib.error:
        raise InvalidInput("body is not valid gzip") from None
    if len(plain) > limit:
        raise TooLarge(f"body must have at most {limit} bytes", limit=limit)
    if not unpacking.eof:
        raise InvalidInput("body is not valid gzip")
    return plain
