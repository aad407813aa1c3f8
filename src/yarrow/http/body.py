"""Reading a request body: bounded bytes, strict JSON, a validated model."""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import chain
from typing import TypeAlias, TypeVar

import msgspec
from fastapi import Request
from pydantic import BaseModel, InstanceOf, ValidationError

from yarrow.errors import InvalidInput, TooLarge
from yarrow.http.validation import to_invalid_input
from yarrow.kit.json import JsonObject, JsonValue, count_parts, decode_json
from yarrow.kit.json_pieces import MAX_DEPTH, decode_in_pieces

Model = TypeVar("Model", bound=BaseModel)

SentObject: TypeAlias = InstanceOf[JsonObject]
"""An object in a list of a body, as it was decoded. Pydantic copies a `JsonObject` key by key, and
no other thread runs meanwhile: a quarter of a second for two million values."""

_CONTAINERS = (dict, list)
_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)', re.DOTALL)
"""A string, also one without an end: its quotes must not be tried one after the other."""

JSON_TYPE = "application/json"
NOT_JSON = "body is not valid JSON"
NUL_IN_TEXT = "text must not contain the NUL character"
HALF_PAIR_IN_TEXT = "text must not contain half of a surrogate pair"
_HALF_PAIR = re.compile(rb"\\u[dD][89a-fA-F]")
MAX_CONTAINERS = 250_000
MAX_KEYS = 50_000
"""Of one object. Models look at each key, and the event loop waits for them."""
SMALL_BYTES = 128 * 1024
"""Decoded in the event loop: a few milliseconds, whatever it contains."""
MAX_ERRORS = 10_000
"""More are not read: pydantic makes an object of each, which takes a second for 250,000."""
TOO_WRONG = f"body has more than {MAX_ERRORS} invalid or unknown fields"
TOO_MANY = "body must have at most {} lists and objects"
TOO_WIDE = f"an object of the body must have at most {MAX_KEYS} fields"


async def read_body(request: Request, *, limit: int, rule: str | None = None) -> bytes:
    """The whole body; one whose declared size exceeds `limit` is refused without reading it."""
    message = rule or f"body must have at most {limit} bytes"
    if read_declared_size(request) > limit:
        raise TooLarge(message, limit=limit)
    chunks: list[bytes] = []
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > limit:
            raise TooLarge(message, limit=limit)
        chunks.append(chunk)
    return b"".join(chunks)


_large_bodies = ThreadPoolExecutor(1, "large bodies")
"""One thread: with several, the event loop would wait for each of them at every step."""


def read_media_type(request: Request) -> str:
    """The declared type of the body, without its parameters."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def require_json_type(request: Request) -> None:
    """Raise unless the request declares its body as JSON."""
    if read_media_type(request) != JSON_TYPE:
        raise InvalidInput(f"Content-Type must be {JSON_TYPE}", field="content-type")


async def parse_body(data: bytes, *, max_containers: int = MAX_CONTAINERS) -> JsonValue:
    """`parse_json`, beside the event loop if the body is not small."""
    if len(data) <= SMALL_BYTES:
        return parse_json(data, max_containers)
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(_large_bodies, parse_json, data, max_containers)


def parse_json(data: bytes, max_containers: int = MAX_CONTAINERS) -> JsonValue:
    """Strict JSON: UTF-8, no NaN, no NUL characters (PostgreSQL cannot store them).

    Of a repeated key the last value wins, as in JavaScript.
    """
    containers = count_parts(data)
    if containers > max_containers and _count_containers(data, max_containers) > max_containers:
        raise InvalidInput(TOO_MANY.format(max_containers))
    try:
        value = decode_json(data) if len(data) <= SMALL_BYTES else decode_in_pieces(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as broken:
        _require_whole_characters(data)
        raise InvalidInput(NOT_JSON) from broken
    if containers > MAX_DEPTH and _is_too_deep(value):
        raise InvalidInput(NOT_JSON)
    if data.count(b":") > MAX_KEYS and _is_too_wide(value):
        raise InvalidInput(TOO_WIDE)
    if b"\\u0000" in data and (path := _find_text(value, _has_nul)) is not None:
        raise InvalidInput(NUL_IN_TEXT, field=".".join(path) or None)
    return value


def _count_containers(data: bytes, limit: int) -> int:
    """The lists and objects outside of strings; stops above the limit.

    String by string, so that the thread lets the event loop run in between.
    """
    count = start = 0
    for string in _STRING.finditer(data):
        end = string.start()
        count += data.count(b"[", start, end) + data.count(b"{", start, end)
        if count > limit:
            return count
        start = string.end()
    return count + data.count(b"[", start) + data.count(b"{", start)


def validate_model(model: type[Model], value: JsonValue) -> Model:
    """The value as `model`; pydantic's first error becomes `InvalidInput`."""
    try:
        return model.model_validate(value)
    except ValidationError as invalid:
        if invalid.error_count() > MAX_ERRORS:
            raise InvalidInput(TOO_WRONG) from None
        errors = invalid.errors(include_url=False, include_input=False)
        raise to_invalid_input(errors, value) from None


async def read_json(request: Request, *, limit: int) -> JsonValue:
    return await parse_body(await read_body(request, limit=limit))


def make_body_reader(model: type[Model], *, limit: int) -> Callable[[Request], Awaitable[Model]]:
    """A FastAPI dependency that reads and validates the body.

    FastAPI does not see the model: pass `describe_body(model)` as `openapi_extra`.
    """

    async def read_model(request: Request) -> Model:
        return validate_model(model, await read_json(request, limit=limit))

    return read_model


async def read_declared_json(model: type[Model], request: Request, *, limit: int) -> Model:
    """The body as `model`; it must be declared as JSON."""
    require_json_type(request)
    return validate_model(model, await read_json(request, limit=limit))


def make_json_reader(model: type[Model], *, limit: int) -> Callable[[Request], Awaitable[Model]]:
    """A FastAPI dependency like `make_body_reader`, for bodies that must be declared as JSON."""

    async def read_model(request: Request) -> Model:
        return await read_declared_json(model, request, limit=limit)

    return read_model


async def read_optional_body(model: type[Model], request: Request, *, limit: int) -> Model:
    """The body as `model`; an empty body counts as an empty object."""
    return await _read_body_or(model, request, {}, limit=limit)


async def read_body_or_query(model: type[Model], request: Request, *, limit: int) -> Model:
    """The body as `model`, or the query where a client cannot send a body."""
    return await _read_body_or(model, request, dict(request.query_params), limit=limit)


async def _read_body_or(
    model: type[Model], request: Request, default: JsonValue, *, limit: int
) -> Model:
    data = await read_body(request, limit=limit)
    if not data:
        return validate_model(model, default)
    require_json_type(request)
    return validate_model(model, await parse_body(data))


def read_declared_size(request: Request) -> int:
    """`Content-Length`; 0 if it is missing or malformed, so the bytes must be counted too."""
    header = request.headers.get("content-length", "")
    is_number = header.isascii() and header.isdigit() and len(header) < 20
    return int(header) if is_number else 0


def _is_too_deep(value: JsonValue) -> bool:
    """Whether containers are nested more than `MAX_DEPTH` levels; without recursion."""
    level = [value] if isinstance(value, _CONTAINERS) else []
    for _ in range(MAX_DEPTH):
        children = (item.values() if isinstance(item, dict) else item for item in level)
        level = [each for each in chain.from_iterable(children) if isinstance(each, _CONTAINERS)]
        if not level:
            return False
    return True


def _is_too_wide(value: JsonValue) -> bool:
    """Whether an object has more than `MAX_KEYS` keys; without recursion."""
    unseen: list[JsonValue] = [value]
    while unseen:
        item = unseen.pop()
        if isinstance(item, dict):
            if len(item) > MAX_KEYS:
                return True
            unseen += [each for each in item.values() if isinstance(each, _CONTAINERS)]
        elif isinstance(item, list):
            unseen += [each for each in item if isinstance(each, _CONTAINERS)]
    return False


def _require_whole_characters(data: bytes) -> None:
    """Raise if half of a surrogate pair is what makes the data no JSON; only small data is read
    again, with a decoder that allows it."""
    if len(data) > SMALL_BYTES or not _HALF_PAIR.search(data):
        return
    with suppress(ValueError, RecursionError):
        path = _find_text(json.loads(data), _has_half_pair)
        if path is not None:
            raise InvalidInput(HALF_PAIR_IN_TEXT, field=".".join(path) or None)


def _has_nul(text: str) -> bool:
    return "\0" in text


def _has_half_pair(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)


def _find_text(value: JsonValue, is_refused: Callable[[str], bool]) -> list[str] | None:
    """The path to the first refused text, or to the object that has it as a key."""
    match value:
        case str():
            return [] if is_refused(value) else None
        case dict():
            if any(is_refused(key) for key in value):
                return []
            items: Iterable[tuple[str | int, JsonValue]] = value.items()
        case list():
            items = enumerate(value)
        case _:
            return None
    for name, item in items:
        if (path := _find_text(item, is_refused)) is not None:
            return [str(name), *path]
    return None
