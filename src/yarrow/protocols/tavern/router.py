"""Routers of this dialect: its errors, as they are rendered and as OpenAPI tells of them."""

from fastapi import APIRouter, Depends, Request

from yarrow.errors import InvalidInput
from yarrow.http.auth import current_account
from yarrow.http.route_classes import make_bare_route_class, make_route_class
from yarrow.ids import AccountId
from yarrow.kit.json import JsonObject
from yarrow.protocols.tavern.errors import FAULTS, render
from yarrow.protocols.tavern.openapi import ERROR

PAGE_MAX = 200
PAGE_DEFAULT = 50
MAX_OFFSET = 2**31 - 1
BATCH_MAX = 100

_ERROR_CONTENT: JsonObject = {"application/json": {"schema": ERROR}}


def dialect_router(tag: str) -> APIRouter:
    """A router whose errors come out as `{"error": …}`."""
    return APIRouter(
        tags=[tag],
        route_class=make_route_class(render),
        responses=_responses(),
        dependencies=[Depends(_require_text)],
    )


def bare_router(tag: str) -> APIRouter:
    """The same for hot paths, whose endpoints get the request alone and ask `asker` first."""
    return APIRouter(
        tags=[tag],
        route_class=make_bare_route_class(render),
        responses=_responses(),
        dependencies=[Depends(current_account)],
    )


async def asker(request: Request) -> AccountId:
    """Who asks; what every other route of this dialect requires is required here as well."""
    await _require_text(request)
    return await current_account(request)


async def _require_text(request: Request) -> None:
    """PostgreSQL has no NUL character, not even to look for; bodies are checked on their own."""
    if "\0" in request.scope["path"] or b"%00" in request.scope["query_string"]:
        raise InvalidInput("text must not contain the NUL character")


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
