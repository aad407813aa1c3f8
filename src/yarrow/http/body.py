"""Reading a request body: never more than the limit, always JSON, then a validated model."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar

import msgspec
from fastapi import Request
from pydantic import BaseModel, ValidationError

from yarrow.errors import InvalidInput, TooLarge
from yarrow.http.openapi import LATER
from yarrow.http.problem import first_invalid
from yarrow.kit.json import JsonObject, JsonValue, count_parts, decode_json

Model = TypeVar("Model", bound=BaseModel)

NOT_JSON = "body is not valid JSON"
MOST_PARTS = 1_000_000
TOO_MANY = f"body must have at most {MOST_PARTS} lists and objects"


async def read_body(request: Request, *, limit: int, rule: str | None = None) -> bytes:
    """The whole body, at most `limit` bytes; a larger one is refused before it is read."""
    said = rule or f"body must have at most {limit} bytes"
    if declared_size(request) > limit:
        raise TooLarge(said, limit=limit)
    chunks: list[bytes] = []
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > limit:
            raise TooLarge(said, limit=limit)
        chunks.append(chunk)
    return b"".join(chunks)


def parse_json(data: bytes) -> JsonValue:
    """Strict JSON: UTF-8, no NaN, no NUL characters (PostgreSQL cannot keep them).

    Of a key that is repeated the last value counts, as JavaScript has it.
    """
    if count_parts(data) > MOST_PARTS:
        raise InvalidInput(TOO_MANY)
    try:
        value = decode_json(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as broken:
        raise InvalidInput(NOT_JSON) from broken
    if b"\\u0000" in data and _has_nul(value):
        raise InvalidInput("text must not contain the NUL character")
    return value


def validate(model: type[Model], value: JsonValue) -> Model:
    """The value as `model`, or the first complaint as `InvalidInput`."""
    try:
        return model.model_validate(value)
    except ValidationError as invalid:
        raise first_invalid(invalid.errors(include_url=False, include_input=False)) from None


async def read_json(request: Request, *, limit: int, rule: str | None = None) -> JsonValue:
    return parse_json(await read_body(request, limit=limit, rule=rule))


def body_of(model: type[Model], *, limit: int) -> Callable[[Request], Awaitable[Model]]:
    """A FastAPI dependency that reads and validates the body. See `takes` for the docs."""

    async def read(request: Request) -> Model:
        return validate(model, await read_json(request, limit=limit))

    return read


def takes(model: type[BaseModel]) -> JsonObject:
    """`openapi_extra` of a route that reads its own body."""
    return {LATER: partial(body_schema, model)}


def body_schema(model: type[BaseModel]) -> JsonObject:
    """What the OpenAPI page says of such a route."""
    schema = model.model_json_schema()
    shape = _inlined(schema, schema.pop("$defs", {}))
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": shape}}}}


def _inlined(node: JsonValue, definitions: JsonObject) -> JsonValue:
    """The schema without references: those would point into the model, not the OpenAPI page."""
    if isinstance(node, list):
        return [_inlined(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return _inlined(definitions[node["$ref"].rsplit("/", 1)[1]], definitions)
    return {key: _inlined(item, definitions) for key, item in node.items()}


def declared_size(request: Request) -> int:
    """What the client says it sends; 0 when it does not say, and then only counting helps."""
    declared = request.headers.get("content-length", "")
    is_number = declared.isascii() and declared.isdigit() and len(declared) < 20
    return int(declared) if is_number else 0


def _has_nul(value: JsonValue) -> bool:
    match value:
        case str():
            return "\0" in value
        case list():
            return any(_has_nul(item) for item in value)
        case dict():
            return any(_has_nul(key) or _has_nul(item) for key, item in value.items())
        case _:
            return False
