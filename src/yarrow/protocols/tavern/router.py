"""Routers of this dialect: its errors, as they are rendered and as OpenAPI tells of them."""

from datetime import datetime

from fastapi import APIRouter

from yarrow.http.problem import routes_with
from yarrow.json_values import JsonObject
from yarrow.protocols.tavern.errors import FAULTS, render

PAGE_MAX = 200
PAGE_DEFAULT = 50
MAX_OFFSET = 2**31 - 1
BATCH_MAX = 100

ERROR_SCHEMA: JsonObject = {
    "title": "Error",
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message"],
            "properties": {"code": {"type": "string"}, "message": {"type": "string"}},
        }
    },
}


_ERROR_CONTENT: JsonObject = {"application/json": {"schema": ERROR_SCHEMA}}


def dialect_router(tag: str) -> APIRouter:
    """A router whose errors come out as `{"error": …}`."""
    return APIRouter(tags=[tag], route_class=routes_with(render), responses=_responses())


def _responses() -> dict[int | str, JsonObject]:
    """`4XX` is there lest FastAPI describe a 422 that never comes."""
    any_error = {"description": "Refused", "content": _ERROR_CONTENT}
    responses: dict[int | str, JsonObject] = {"4XX": any_error}
    for fault in FAULTS.values():
        entry = responses.setdefault(
            fault.status,
            {"description": "", "content": _ERROR_CONTENT},
        )
        named = f"{fault.title} (`{fault.code}`)"
        entry["description"] = f"{entry['description']}; {named}".removeprefix("; ")
    return responses


def millis(when: datetime) -> int:
    """A time as this dialect writes it."""
    return round(when.timestamp() * 1000)
