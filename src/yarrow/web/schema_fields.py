"""The fields of a JSON Schema as a tree that a template can print."""

from collections.abc import Mapping, Sequence

from markupsafe import Markup
from msgspec import UNSET, Struct
from msgspec.structs import replace

from yarrow.kit.json import JsonValue, encode_json
from yarrow.web.markdown import render_line
from yarrow.web.openapi import JsonSchema

MAX_DEPTH = 5
"""Schemas may contain themselves; nobody reads deeper than this."""

_LIMITS = {
    "minimum": "≥ {}",
    "exclusive_minimum": "> {}",
    "maximum": "≤ {}",
    "exclusive_maximum": "< {}",
    "min_length": "at least {} characters",
    "max_length": "at most {} characters",
    "min_items": "at least {} items",
    "max_items": "at most {} items",
    "pattern": "matches {}",
}


class SchemaField(Struct, frozen=True):
    """One field: its type and limits in words, and the objects inside it."""

    name: str
    type: str
    limits: Sequence[str]
    description: Markup | None
    objects: Sequence["SchemaObject"]


class SchemaObject(Struct, frozen=True):
    """One object type with its fields; one of several where a schema allows variants."""

    title: str
    fields: Sequence[SchemaField]


class SchemaIndex(Struct, frozen=True):
    """The named schemas of an OpenAPI document, which references point to."""

    named: Mapping[str, JsonSchema]

    def describe_objects(self, schema: JsonSchema, *, depth: int = 0) -> list[SchemaObject]:
        """List the object types in a schema or in its arrays, with all their fields."""
        if depth >= MAX_DEPTH:
            return []
        return [self._describe_object(item, depth) for item in self._list_objects(schema)]

    def describe_type(self, schema: JsonSchema) -> str:
        """Name the type: `string (uuid) or null`, `list of (UserMessage or ToolMessage)`."""
        names = [self._name_type(variant) for variant in self.variants(schema)]
        return " or ".join(dict.fromkeys(names))

    def variants(self, schema: JsonSchema) -> list[JsonSchema]:
        """Return the alternatives of `anyOf` and `oneOf`; a plain schema is its only one."""
        schema = self._resolve_reference(schema)
        options = schema.any_of or schema.one_of
        if not options:
            return [schema]
        return [variant for option in options for variant in self.variants(option)]

    def _resolve_reference(self, schema: JsonSchema) -> JsonSchema:
        if not schema.ref:
            return schema
        target = self.named[schema.ref.rsplit("/", 1)[1]]
        return target if schema.default is None else replace(target, default=schema.default)

    def _list_objects(self, schema: JsonSchema) -> list[JsonSchema]:
        objects = []
        for variant in self.variants(schema):
            if variant.properties:
                objects.append(variant)
            elif variant.items is not None:
                objects.extend(self._list_objects(variant.items))
        return objects

    def _describe_object(self, schema: JsonSchema, depth: int) -> SchemaObject:
        fields = [
            self._describe_field(name, field, depth, required=name in schema.required)
            for name, field in schema.properties.items()
        ]
        return SchemaObject(schema.title, fields)

    def _describe_field(
        self, name: str, schema: JsonSchema, depth: int, *, required: bool
    ) -> SchemaField:
        return SchemaField(
            name,
            self.describe_type(schema),
            [*([] if required else ["optional"]), *describe_limits(schema)],
            render_line(schema.description) if schema.description else None,
            self.describe_objects(schema, depth=depth + 1),
        )

    def _name_type(self, schema: JsonSchema) -> str:
        if schema.const is not UNSET:
            return _encode_value(schema.const)
        if schema.enum:
            return " or ".join(_encode_value(value) for value in schema.enum)
        if schema.items is not None:
            inner = self.describe_type(schema.items)
            return f"list of ({inner})" if " or " in inner else f"list of {inner}"
        if schema.properties:
            return schema.title or "object"
        return f"{schema.type} ({schema.format})" if schema.format else schema.type


def describe_limits(schema: JsonSchema) -> list[str]:
    """Put a schema's limits and its default into words."""
    values = {name: getattr(schema, name) for name in _LIMITS}
    limits = [_write_limit(name, value) for name, value in values.items() if value is not None]
    if schema.default is None:
        return limits
    return [*limits, f"default {_encode_value(schema.default)}"]


def _write_limit(name: str, value: object) -> str:
    text = _LIMITS[name].format(value)
    return text.removesuffix("s") if value == 1 else text


def _encode_value(value: JsonValue) -> str:
    return encode_json(value).decode()
