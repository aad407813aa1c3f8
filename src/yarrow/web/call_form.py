"""The form of a route on its reference page: its parameters and an example of its body."""

from collections.abc import Sequence

import msgspec
from msgspec import UNSET, Struct

from yarrow.kit.json import JsonValue, encode_json
from yarrow.web.openapi import JsonSchema, Operation
from yarrow.web.schema_fields import MAX_DEPTH, SchemaIndex

JSON = "application/json"
FORM = "multipart/form-data"


class CallInput(Struct, frozen=True):
    """One value that the reader types or chooses."""

    name: str
    place: str
    """`path`, `query`, `header`, or `form` for a part of a form."""
    kind: str
    """`text`, `file` or `choice`."""
    required: bool
    value: str = ""
    choices: Sequence[str] = ()


class CallForm(Struct, frozen=True):
    """What a call of a route consists of."""

    inputs: Sequence[CallInput]
    media_type: str
    """Empty without a body."""
    body: str
    """An example: the required fields with empty values."""


def build_call_form(operation: Operation, schemas: SchemaIndex) -> CallForm:
    """Build the form of a route; of several media types the first that a page can send."""
    inputs = [
        _build_input(
            parameter.name, parameter.place, parameter.schema, schemas, required=parameter.required
        )
        for parameter in operation.parameters
    ]
    content = operation.request_body.content
    media_type = next((name for name in (JSON, FORM, *content) if name in content), "")
    if not media_type:
        return CallForm(inputs, "", "")
    schema = content[media_type].schema
    if media_type == FORM:
        return CallForm([*inputs, *_list_parts(schema, schemas)], media_type, "")
    example = make_example(schema, schemas)
    return CallForm(
        inputs, media_type, msgspec.json.format(encode_json(example), indent=2).decode()
    )


def _list_parts(schema: JsonSchema, schemas: SchemaIndex) -> list[CallInput]:
    resolved = schemas.variants(schema)[0]
    return [
        _build_input(name, "form", part, schemas, required=name in resolved.required)
        for name, part in resolved.properties.items()
    ]


def _build_input(
    name: str, place: str, schema: JsonSchema, schemas: SchemaIndex, *, required: bool
) -> CallInput:
    variants = schemas.variants(schema)
    choices = [str(value) for variant in variants for value in variant.enum]
    is_file = any(variant.format == "binary" for variant in variants)
    kind = "file" if is_file else "choice" if choices else "text"
    default = "" if schema.default is None else str(schema.default)
    return CallInput(name, place, kind, required, default, choices)


def make_example(schema: JsonSchema, schemas: SchemaIndex, *, depth: int = 0) -> JsonValue:
    """Make a value of the right shape; of alternatives the first, of objects what is required."""
    if schema.default is not None:
        return schema.default
    variant = schemas.variants(schema)[0]
    if variant.const is not UNSET:
        return variant.const
    if variant.enum:
        return variant.enum[0]
    if variant.properties:
        names = variant.required or list(variant.properties)[:1]
        return {
            name: make_example(variant.properties[name], schemas, depth=depth + 1)
            for name in names
            if name in variant.properties and depth < MAX_DEPTH
        }
    if variant.items is not None:
        is_shown = depth < MAX_DEPTH and (variant.min_items or depth == 1)
        return [make_example(variant.items, schemas, depth=depth + 1)] if is_shown else []
    return _EMPTY.get(variant.type, "")


_EMPTY: dict[str, JsonValue] = {
    "boolean": False,
    "integer": 0,
    "number": 0,
    "object": {},
    "null": None,
    "array": [],
}
