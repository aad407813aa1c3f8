"""OpenAPI of this protocol, and routers that carry it: problems, parameters, streams."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path

from yarrow.http.auth import current_account
from yarrow.http.problem import build_problem_responses, make_problem_renderer
from yarrow.http.route_classes import make_bare_route_class, make_route_class
from yarrow.http.streaming import SSE_TYPE
from yarrow.kit.json import JsonObject, JsonValue
from yarrow.protocols.agui.errors import WIRE_ERRORS

PREFIX = "/api/v1"

UUID_FORMAT: JsonObject = {"format": "uuid"}
ThreadIdPath = Annotated[str, Path(json_schema_extra=UUID_FORMAT)]

EVENT_STREAM: JsonObject = {
    "description": "The run's events",
    "content": {SSE_TYPE: {"schema": {"type": "string"}}},
}


def make_router(tag: str) -> APIRouter:
    return APIRouter(
        prefix=PREFIX,
        tags=[tag],
        route_class=make_route_class(make_problem_renderer(WIRE_ERRORS)),
        responses=build_problem_responses(list(WIRE_ERRORS.values())),
    )


def make_bare_router(tag: str) -> APIRouter:
    """For hot paths: endpoints get the request alone and authenticate it themselves.

    The dependency is never run; it puts the security scheme into OpenAPI.
    """
    return APIRouter(
        prefix=PREFIX,
        tags=[tag],
        route_class=make_bare_route_class(make_problem_renderer(WIRE_ERRORS)),
        responses=build_problem_responses(list(WIRE_ERRORS.values())),
        dependencies=[Depends(current_account)],
    )


def describe_parameter(name: str, place: str, **schema: JsonValue) -> JsonObject:
    return {
        "name": name,
        "in": place,
        "required": place == "path",
        "schema": {"type": "string", **schema},
    }


def describe_form(
    properties: JsonObject,
    *,
    required: list[str],
    encoding: JsonObject | None = None,
    **schema: JsonValue,
) -> JsonObject:
    """`openapi_extra` of a route that reads `multipart/form-data`."""
    form: JsonObject = {
        "schema": {"type": "object", "required": required, **schema, "properties": properties}
    }
    if encoding is not None:
        form["encoding"] = encoding
    return {"requestBody": {"required": True, "content": {"multipart/form-data": form}}}
