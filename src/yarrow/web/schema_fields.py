"""The fields of a JSON Schema as a tree that a template can print."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from yarrow.kit.json import JsonObject, JsonValue, encode_json
from yarrow.web.markdown import render_line

MAX_DEPTH = 5
"""Schemas may contain themselves; nobody reads deeper than this."""

_LIMITS = {
    "minimum": "≥ {}",
    "exclusiveMinimum": "> {}",
    "maximum": "≤ {}",
    "exclusiveMaximum": "< {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "pattern": "matches {}",
}


@dataclass(frozen=True, slots=True)
class SchemaField:
    """One field: its type and limits in words, and the objects inside it."""

    name: str
    type: str
    limits: Sequence[str]
    description: Markup | None
    objects: Sequence["SchemaObject"]


@dataclass(frozen=True, slots=True)
class SchemaObject:
    """One object type with its fields; one of several where a schema allows variants."""

    title: str
    fields: Sequence[SchemaField]


@dataclass(frozen=True, slots=True)
class SchemaIndex:
    """The named schemas of an OpenAPI document, which references point to."""

    named: JsonObject

    def describe_objects(self, schema: JsonObject, *, depth: int = 0) -> list[SchemaObject]:
        """List the object types in a schema or in its arrays, with all their fields."""
        if depth >= MAX_DEPTH:
            return []
        return [self._describe_object(item, depth) for item in self._objects(schema)]

    def describe_type(self, schema: JsonObject) -> str:
        """Name the type: `string (uuid) or null`, `list of (UserMessage or ToolMessage)`."""
        names = [self._type_name(variant) for variant in self.variants(schema)]
        return " or ".join(dict.fromkeys(names))

    def variants(self, schema: JsonObject) -> list[JsonObject]:
        """Return the alternatives of `anyOf` and `oneOf`; a plain schema is its only one."""
        schema = self._resolve(schema)
        options = schema.get("anyOf") or schema.get("oneOf")
        if options is None:
            return [schema]
        return [variant for option in options for variant in self.variants(option)]

    def _resolve(self, schema: JsonObject) -> JsonObject:
        if "$ref" not in schema:
            return schema
        target: JsonObject = self.named.get(schema["$ref"].rsplit("/", 1)[1], {})
        return target | {key: value for key, value in schema.items() if key != "$ref"}

    def _objects(self, schema: JsonObject) -> list[JsonObject]:
        objects = []
        for variant in self.variants(schema):
            if variant.get("properties"):
                objects.append(variant)
            elif "items" in variant:
                objects.extend(self._objects(variant["items"]))
        return objects

    def _describe_object(self, schema: JsonObject, depth: int) -> SchemaObject:
        required = set(schema.get("required", []))
        fields = [
            self._describe_field(name, field, depth, required=name in required)
            for name, field in schema["properties"].items()
        ]
        return SchemaObject(str(schema.get("title", "")), fields)

    def _describe_field(
        self, name: str, schema: JsonObject, depth: int, *, required: bool
    ) -> SchemaField:
        return SchemaField(
            name,
            self.describe_type(schema),
            [*([] if required else ["optional"]), *describe_limits(schema)],
            describe_text(schema),
            self.describe_objects(schema, depth=depth + 1),
        )

    def _type_name(self, schema: JsonObject) -> str:
        if "const" in schema:
            return _json(schema["const"])
        if "enum" in schema:
            return " or ".join(_json(value) for value in schema["enum"])
        if "items" in schema:
            inner = self.describe_type(schema["items"])
            return f"list of ({inner})" if " or " in inner else f"list of {inner}"
        if schema.get("properties"):
            return str(schema.get("title", "object"))
        name = str(schema.get("type", "any value"))
        return f"{name} ({schema['format']})" if "format" in schema else name


def describe_limits(schema: JsonObject) -> list[str]:
    """Put a schema's limits and its default into words."""
    limits = [words.format(schema[key]) for key, words in _LIMITS.items() if key in schema]
    default = schema.get("default")
    return limits if default is None else [*limits, f"default {_json(default)}"]


def describe_text(described: JsonObject) -> Markup | None:
    """Render the `description` of anything in an OpenAPI document; None if it has none."""
    text = described.get("description")
    return render_line(str(text)) if text else None


def _json(value: JsonValue) -> str:
    return encode_json(value).decode()
