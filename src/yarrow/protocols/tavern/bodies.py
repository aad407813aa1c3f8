"""Readers of JSON bodies. A body that is not declared as JSON is refused."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from fastapi import Request
from pydantic import BaseModel

from yarrow.http.body import parse_body, read_body, read_json, require_json_type, validate
from yarrow.kit.json import JsonValue

Model = TypeVar("Model", bound=BaseModel)


async def read_json_body(model: type[Model], request: Request, *, limit: int) -> Model:
    """The body as `model`."""
    require_json_type(request)
    return validate(model, await read_json(request, limit=limit))


def make_json_reader(model: type[Model], *, limit: int) -> Callable[[Request], Awaitable[Model]]:
    """A FastAPI dependency that reads and validates the body."""

    async def read(request: Request) -> Model:
        return await read_json_body(model, request, limit=limit)

    return read


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
        return validate(model, default)
    require_json_type(request)
    return validate(model, await parse_body(data))
