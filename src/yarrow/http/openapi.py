"""OpenAPI of routes that read their own body, built on the first request for the document.

Schemas of bodies are most of the document. Building them for sixty routes takes a third of the
time in which the routes are made, and few servers are ever asked for the document.
"""

from functools import partial
from threading import Lock
from typing import Any, TypeAlias

from fastapi import APIRouter, FastAPI, Request, Response
from pydantic import BaseModel

from yarrow.http.idempotency import KEY_HEADER, MAX_KEY_CHARS
from yarrow.http.lazy_route import LazyRoute
from yarrow.kit.json import JsonMapping, JsonValue, encode_json

OpenApiPart: TypeAlias = dict[str, Any]
"""A part of the document as FastAPI takes it: besides JSON it holds models and functions."""

OpenApiResponses: TypeAlias = dict[int | str, OpenApiPart]
"""What FastAPI calls `responses`, by status."""

IDEMPOTENCY_KEY: OpenApiPart = {
    "name": KEY_HEADER,
    "in": "header",
    "schema": {"type": "string", "minLength": 1, "maxLength": MAX_KEY_CHARS},
}
"""A parameter of every POST, see `idempotency.py`."""
KEY_CONFLICT: OpenApiPart = {"description": "The Idempotency-Key was used for another request"}

_DEFERRED = "x-deferred"
"""In an `openapi_extra`: a function that returns the rest of it."""


class DeferredOpenApiRoute(LazyRoute):
    """A route that may defer a part of its OpenAPI entry."""

    _extra: OpenApiPart | None

    @property
    def openapi_extra(self) -> OpenApiPart | None:
        if self._extra is not None and _DEFERRED in self._extra:
            self._extra = _expand_deferred(self._extra)
        if "POST" not in (self.methods or ()):
            return self._extra
        extra = self._extra or {}
        conflict = {} if 409 in self.responses else {"responses": {"409": KEY_CONFLICT}}
        return extra | {"parameters": [*extra.get("parameters", ()), IDEMPOTENCY_KEY], **conflict}

    @openapi_extra.setter
    def openapi_extra(self, extra: OpenApiPart | None) -> None:
        self._extra = extra


def make_openapi_router() -> APIRouter:
    """`GET /openapi.json`. The endpoint is not async, so that the document is built in a thread:
    it takes about a second."""
    router = APIRouter()
    building = Lock()
    documents: dict[FastAPI, bytes] = {}

    @router.api_route("/openapi.json", methods=["GET", "HEAD"], include_in_schema=False)
    def show_document(request: Request) -> Response:
        app: FastAPI = request.app
        with building:
            if app not in documents:
                documents[app] = encode_json(app.openapi())
        return Response(documents[app], media_type="application/json")

    return router


def describe_body(model: type[BaseModel]) -> OpenApiPart:
    """`openapi_extra` of a route that reads its own body."""
    return {_DEFERRED: partial(build_body_schema, model)}


def build_body_schema(model: type[BaseModel]) -> OpenApiPart:
    """The `requestBody` entry of a model."""
    schema = model.model_json_schema()
    inlined = _inline_references(schema, schema.pop("$defs", {}))
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": inlined}}}}


def _expand_deferred(extra: OpenApiPart) -> OpenApiPart:
    rest: OpenApiPart = extra[_DEFERRED]()
    return rest | {key: extra[key] for key in extra if key != _DEFERRED}


def _inline_references(node: JsonValue, definitions: JsonMapping) -> JsonValue:
    """The schema without `$ref`: those would point into the model, not the document."""
    if isinstance(node, list):
        return [_inline_references(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    if isinstance(reference := node.get("$ref"), str):
        return _inline_references(definitions[reference.rsplit("/", 1)[1]], definitions)
    return {key: _inline_references(item, definitions) for key, item in node.items()}
