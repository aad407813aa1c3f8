"""OpenAPI of routes that read their own body, built on the first request for the document.

Schemas of bodies are most of the document. Building them for sixty routes takes a third of the
time in which the routes are made, and few servers are ever asked for the document.
"""

from functools import partial

from fastapi.routing import APIRoute
from pydantic import BaseModel

from yarrow.kit.json import JsonObject, JsonValue

_DEFERRED = "x-deferred"
"""In an `openapi_extra`: a function that returns the rest of it."""


class DeferredOpenApiRoute(APIRoute):
    """A route that may defer a part of its OpenAPI entry."""

    _extra: JsonObject | None

    @property
    def openapi_extra(self) -> JsonObject | None:
        if self._extra is not None and _DEFERRED in self._extra:
            self._extra = _complete(self._extra)
        return self._extra

    @openapi_extra.setter
    def openapi_extra(self, extra: JsonObject | None) -> None:
        self._extra = extra


def describe_body(model: type[BaseModel]) -> JsonObject:
    """`openapi_extra` of a route that reads its own body."""
    return {_DEFERRED: partial(build_body_schema, model)}


def build_body_schema(model: type[BaseModel]) -> JsonObject:
    """The `requestBody` entry of a model."""
    schema = model.model_json_schema()
    inlined = _inline(schema, schema.pop("$defs", {}))
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": inlined}}}}


def _complete(extra: JsonObject) -> JsonObject:
    rest: JsonObject = extra[_DEFERRED]()
    return rest | {key: extra[key] for key in extra if key != _DEFERRED}


def _inline(node: JsonValue, definitions: JsonObject) -> JsonValue:
    """The schema without `$ref`: those would point into the model, not the document."""
    if isinstance(node, list):
        return [_inline(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return _inline(definitions[node["$ref"].rsplit("/", 1)[1]], definitions)
    return {key: _inline(item, definitions) for key, item in node.items()}
