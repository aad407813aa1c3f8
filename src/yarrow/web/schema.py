"""A JSON schema as a tree of fields that a person can read."""

from collections.abc import Iterator
from dataclasses import dataclass

from yarrow.kit.json import JsonObject, JsonValue, encode_json
from yarrow.web.html import Html, el, join
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
class Shapes:
    """The named schemas of a document, where references lead."""

    named: JsonObject

    def resolve(self, schema: JsonObject) -> JsonObject:
        """The schema a reference means, or the schema itself."""
        if "$ref" not in schema:
            return schema
        found: JsonObject = self.named.get(schema["$ref"].rsplit("/", 1)[1], {})
        return found | {key: value for key, value in schema.items() if key != "$ref"}

    def variants(self, schema: JsonObject) -> list[JsonObject]:
        """The schemas of which one holds; a plain schema is its only one."""
        schema = self.resolve(schema)
        options = schema.get("anyOf") or schema.get("oneOf")
        if options is None:
            return [schema]
        return [variant for option in options for variant in self.variants(option)]

    def type_of(self, schema: JsonObject) -> str:
        """The type in words: `string (uuid) or null`, `list of (UserMessage or ToolMessage)`."""
        names = [self._name(variant) for variant in self.variants(schema)]
        return " or ".join(dict.fromkeys(names))

    def objects(self, schema: JsonObject) -> list[JsonObject]:
        """The objects with fields to be found in a schema, in it or in its lists."""
        found = []
        for variant in self.variants(schema):
            if variant.get("properties"):
                found.append(variant)
            elif "items" in variant:
                found.extend(self.objects(variant["items"]))
        return found

    def _name(self, schema: JsonObject) -> str:
        if "const" in schema:
            return _json(schema["const"])
        if "enum" in schema:
            return " or ".join(_json(value) for value in schema["enum"])
        if "items" in schema:
            inner = self.type_of(schema["items"])
            return f"list of ({inner})" if " or " in inner else f"list of {inner}"
        if schema.get("properties"):
            return str(schema.get("title", "object"))
        name = str(schema.get("type", "any value"))
        return f"{name} ({schema['format']})" if "format" in schema else name


def schema_fields(shapes: Shapes, schema: JsonObject, *, depth: int = 0) -> Html:
    """The fields of a schema, each with its type and what is inside it."""
    objects = shapes.objects(schema) if depth < MAX_DEPTH else []
    return join(_object(shapes, item, depth, titled=len(objects) > 1) for item in objects)


def limits_of(schema: JsonObject) -> list[str]:
    """What else a value must be, and what it is when left out."""
    limits = [words.format(schema[key]) for key, words in _LIMITS.items() if key in schema]
    default = schema.get("default")
    return limits if default is None else [*limits, f"default {_json(default)}"]


def _object(shapes: Shapes, schema: JsonObject, depth: int, *, titled: bool) -> Html:
    required = set(schema.get("required", []))
    fields = [
        _field(shapes, name, field, depth, required=name in required)
        for name, field in schema["properties"].items()
    ]
    title = el("p", str(schema.get("title", "")), class_="variant") if titled else Html()
    return join([title, el("ul", *fields, class_="fields")])


def _field(shapes: Shapes, name: str, schema: JsonObject, depth: int, *, required: bool) -> Html:
    parts = [
        el("code", name, class_="name"),
        el("span", shapes.type_of(schema), class_="type"),
        *(el("span", words, class_="limit") for words in _remarks(schema, required=required)),
    ]
    if said := schema.get("description"):
        parts.append(el("p", render_line(said)))
    inner = schema_fields(shapes, schema, depth=depth + 1)
    return el("li", *parts, inner)


def _remarks(schema: JsonObject, *, required: bool) -> Iterator[str]:
    if not required:
        yield "optional"
    yield from limits_of(schema)


def _json(value: JsonValue) -> str:
    return encode_json(value).decode()
