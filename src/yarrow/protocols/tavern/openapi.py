"""OpenAPI of this protocol, and routers that carry it."""

from collections.abc import Sequence

from fastapi import APIRouter, Depends

from yarrow.assets.errors import VersionConflict
from yarrow.db.errors import DatabaseUnavailable
from yarrow.errors import InvalidInput, NotFound, TooLarge, Unauthenticated, YarrowError
from yarrow.http.auth import current_account
from yarrow.http.openapi import OpenApiPart, OpenApiResponses
from yarrow.http.problem import ErrorMap, WireError
from yarrow.http.route_classes import make_bare_route_class, make_route_class
from yarrow.kit.json import JsonObject
from yarrow.protocols.tavern.errors import CHAT_ERRORS, WIRE_ERRORS, make_error_renderer

ERROR_SCHEMA: JsonObject = {
    "title": "Error",
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message"],
            "properties": {
                "code": {"type": "string"},
                "message": {"type": "string"},
                "details": {},
            },
        }
    },
}
LIST_META_SCHEMA: JsonObject = {
    "type": "object",
    "required": ["total", "limit", "offset", "has_more", "sort_by", "sort_order"],
    "properties": {
        "total_capped": {"type": "boolean", "description": "there are more than `total`"},
    },
}
_ASSET_FIELDS = (
    *("id", "name", "version", "version_id", "content_hash", "created_at", "updated_at"),
)
ASSET_SCHEMA: JsonObject = {
    "title": "Asset",
    "type": "object",
    "required": list(_ASSET_FIELDS),
    "properties": {
        "id": {"type": "string"},
        "name": {"type": "string"},
        "version": {"type": "integer"},
        "version_id": {"type": "string"},
        "content_hash": {"type": "string"},
        "created_at": {"type": "integer", "description": "milliseconds since 1970"},
        "updated_at": {"type": "integer", "description": "milliseconds since 1970"},
    },
}
ASSET_WITH_CONTENT_SCHEMA: JsonObject = ASSET_SCHEMA | {"required": [*_ASSET_FIELDS, "data"]}
VERSION_SCHEMA: JsonObject = {
    "title": "Version",
    "type": "object",
    "required": ["id", "asset_id", "version", "content_hash", "created_at"],
}
_TOKENS = ("prompt_tokens", "completion_tokens", "total_tokens")
_CHARGE_SCHEMA: JsonObject = {
    "type": "object",
    "required": ["points"],
    "properties": {
        "cost": {
            "type": "string",
            "description": "by the configured token prices; absent if the tokens are not known",
        },
        "points": {"type": "integer", "description": "that were taken from the account"},
    },
}
TURN_RESULT_SCHEMA: JsonObject = {
    "title": "TurnResult",
    "type": "object",
    "required": ["floor_id", "floor_no", "generated_text", "summaries", "total_usage"],
    "properties": {
        "floor_id": {"type": "string"},
        "floor_no": {"type": "integer"},
        "generated_text": {"type": "string"},
        "summaries": {"type": "array", "items": {"type": "string"}},
        "total_usage": {
            "type": "object",
            "required": list(_TOKENS),
            "properties": {name: {"type": "integer"} for name in _TOKENS},
        },
        "charge": _CHARGE_SCHEMA,
        "warnings": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["code", "message"],
                "properties": {"code": {"type": "string"}, "message": {"type": "string"}},
            },
            "description": "what the turn did without; absent if there is nothing",
        },
        "final_state": {"const": "committed"},
    },
}
OBJECT_SCHEMA: JsonObject = {"type": "object"}

CHAT = "chat"
"""Tag of the routes that seed 004 describes as the chat, and of those of a turn's run: only they
answer with `CHAT_ERRORS`, so `resource_busy` comes from none of them."""

READ_ERRORS = (InvalidInput, NotFound)
WRITE_ERRORS = (InvalidInput, NotFound, VersionConflict, TooLarge)
_COMMON_ERRORS = (Unauthenticated, DatabaseUnavailable)


def describe_data(
    data: JsonObject, errors: Sequence[type[YarrowError]], *, status: int = 200
) -> OpenApiResponses:
    """The `responses` of a route that answers `{"data": …}`."""
    return {**describe_success(data, status), **describe_errors(errors)}


def describe_success(data: JsonObject, status: int = 200) -> OpenApiResponses:
    """What `{"data": …}` is, for a route whose errors are described already."""
    schema: JsonObject = {
        "type": "object",
        "required": ["data"],
        "properties": {"data": data},
    }
    return {status: _describe_json(schema, "Done")}


def describe_list(data: JsonObject, errors: Sequence[type[YarrowError]]) -> OpenApiResponses:
    """The `responses` of a route that answers a list."""
    properties: JsonObject = {
        "data": {"type": "array", "items": data},
        "meta": LIST_META_SCHEMA,
    }
    schema: JsonObject = {"type": "object", "required": ["data", "meta"], "properties": properties}
    return {200: _describe_json(schema, "Done"), **describe_errors(errors)}


def describe_errors(errors: Sequence[type[YarrowError]]) -> OpenApiResponses:
    """The error `responses` of a route."""
    return _describe_faults([WIRE_ERRORS[kind] for kind in (*errors, *_COMMON_ERRORS)])


def _describe_faults(faults: Sequence[WireError]) -> OpenApiResponses:
    """By status. With `4XX` present FastAPI does not add a 422, which is never sent."""
    responses: OpenApiResponses = {"4XX": _describe_json(ERROR_SCHEMA, "Refused")}
    for fault in faults:
        entry = responses.setdefault(fault.status, _describe_json(ERROR_SCHEMA, ""))
        summary = f"{fault.title} (`{fault.code}`)"
        entry["description"] = f"{entry['description']}; {summary}".removeprefix("; ")
    return responses


def _describe_json(schema: JsonObject, description: str) -> OpenApiPart:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def _find_error_map(tag: str) -> ErrorMap:
    """The errors of the routes with this tag."""
    return CHAT_ERRORS if tag == CHAT else WIRE_ERRORS


def make_router(tag: str) -> APIRouter:
    """A router that renders errors as `{"error": …}` and documents all of them."""
    faults = _find_error_map(tag)
    return APIRouter(
        tags=[tag],
        route_class=make_route_class(make_error_renderer(faults)),
        responses=_describe_faults(list(faults.values())),
    )


def make_library_router(prefix: str = "") -> APIRouter:
    """A router for assets, whose routes document their responses themselves."""
    route_class = make_route_class(make_error_renderer(WIRE_ERRORS))
    return APIRouter(prefix=prefix, tags=["library"], route_class=route_class)


def make_bare_router(tag: str) -> APIRouter:
    """For hot paths: endpoints get the request alone and call `current_account` first."""
    faults = _find_error_map(tag)
    return APIRouter(
        tags=[tag],
        route_class=make_bare_route_class(make_error_renderer(faults)),
        responses=_describe_faults(list(faults.values())),
        dependencies=[Depends(current_account)],
    )
