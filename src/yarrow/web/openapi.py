"""The parts of an OpenAPI document that the reference shows, decoded into typed values."""

from typing import Literal, get_args

import msgspec
from msgspec import UNSET, Struct, UnsetType, field

from yarrow.kit.json import JsonValue


class JsonSchema(Struct, frozen=True, rename="camel"):
    """A JSON Schema; keywords that the reference does not show are ignored."""

    ref: str = field(name="$ref", default="")
    any_of: list["JsonSchema"] = []
    one_of: list["JsonSchema"] = []
    items: "JsonSchema | None" = None
    properties: dict[str, "JsonSchema"] = {}
    required: list[str] = []
    title: str = ""
    description: str = ""
    type: str = "any value"
    format: str = ""
    const: JsonValue | UnsetType = UNSET
    enum: list[JsonValue] = []
    default: JsonValue = None
    minimum: int | float | None = None
    exclusive_minimum: int | float | None = None
    maximum: int | float | None = None
    exclusive_maximum: int | float | None = None
    min_length: int | None = None
    max_length: int | None = None
    min_items: int | None = None
    max_items: int | None = None
    pattern: str | None = None


class MediaType(Struct, frozen=True):
    """The schema of a body in one media type."""

    schema: JsonSchema = JsonSchema()


class Parameter(Struct, frozen=True):
    """A parameter of a path, a query or a header."""

    name: str
    place: str = field(name="in")
    required: bool = False
    description: str = ""
    schema: JsonSchema = JsonSchema()


class RequestBody(Struct, frozen=True):
    """The media types that a route accepts."""

    content: dict[str, MediaType] = {}


class ResponseSpec(Struct, frozen=True):
    """One status of a route. Problem codes are in the description."""

    description: str = ""
    content: dict[str, MediaType] = {}


class Operation(Struct, frozen=True, rename="camel"):
    """One method of one path."""

    responses: dict[str, ResponseSpec]
    tags: list[str] = []
    summary: str = ""
    description: str = ""
    security: list[JsonValue] = []
    parameters: list[Parameter] = []
    request_body: RequestBody = RequestBody()


class Components(Struct, frozen=True):
    """What references point to."""

    schemas: dict[str, JsonSchema] = {}


Method = Literal["get", "post", "put", "patch", "delete"]
METHODS: tuple[str, ...] = get_args(Method)
"""The order in which the methods of a path are shown."""


class OpenApiDocument(Struct, frozen=True):
    """All routes by path and method, and the schemas that references point to."""

    paths: dict[str, dict[Method, Operation]] = {}
    components: Components = Components()


def decode_openapi(document: object) -> OpenApiDocument:
    """Decode what `FastAPI.openapi()` returns."""
    return msgspec.convert(document, OpenApiDocument)
