"""Requests with valid and with odd values for every parameter and field of the OpenAPI document."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from urllib.parse import quote
from uuid import uuid4

from msgspec import Struct, field
from tests.loose_json import JsonObject, JsonValue

from yarrow.kit.json import encode_json

ODD_TEXTS = {
    "empty": "",
    "NUL": "a%00b",
    "only NUL": "%00",
    "long": "x" * 3000,
    "longer": "x" * 12_000,
    "long in UTF-8": quote("名" * 100),
    "emoji": quote("😀" * 300),
    "not UTF-8": "%ff%fe",
    "surrogate": "%ed%a0%80",
    "parent": "..%2f..%2fetc%2fpasswd",
    "backslash": "..%5c",
    "negative": "-1",
    "huge": "9" * 40,
    "float": "1e400",
    "words": "NaN",
    "line break": "a%0d%0ab",
    "quote": "%27%22",
    "wildcards": "%25_%2a",
    "nil id": "00000000-0000-0000-0000-000000000000",
}
"""Percent-encoded, for paths and queries."""

ODD_BODIES: dict[str, bytes] = {
    "empty": b'""',
    "NUL": rb'"a\u0000b"',
    "long": b'"' + b"x" * 20_000 + b'"',
    "emoji": ('"' + "😀" * 3000 + '"').encode(),
    "lone surrogate": rb'"\ud800"',
    "not UTF-8": b'"\xff"',
    "parent": b'"../../etc/passwd"',
    "negative": b"-1",
    "huge": b"9" * 40,
    "float": b"1e308",
    "not JSON": b"1e999",
    "null": b"null",
    "true": b"true",
    "list": b'["\\u0000"]',
    "object": rb'{"a\u0000b": [{}]}',
    "deep": b"[" * 2000 + b"]" * 2000,
}
"""JSON text of a value."""

ODD_FORM_TEXTS = {
    "empty": b"",
    "NUL": b"a\0b",
    "long": b"x" * 20_000,
    "emoji": ("😀" * 300).encode(),
    "not UTF-8": b"\xff\xfe",
    "parent": b"../../etc/passwd",
    "rows": b'[{"a": "\\u0000"}]',
}
"""Content or file name of a part of a form."""

FORM_TYPE = "multipart/form-data"
BOUNDARY = "odd-boundary"
MARK = "odd-value-goes-here"


class OddRequest(Struct, frozen=True):
    """One request; `label` says what is odd about it."""

    label: str
    method: str
    path: str
    """With the query, percent-encoded."""
    body: bytes | None = None
    content_type: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)
    same_route: bool = True
    """The path is one of the operation's own."""


OTHER_ROUTES = frozenset({"empty", "parent", "line break"})
"""Texts that make another path of the one they are put into, or one that no route matches."""


class Operation(Struct, frozen=True):
    """One method of one path."""

    method: str
    path: str
    spec: JsonObject

    def parameters(self, place: str) -> list[JsonObject]:
        return [each for each in self.spec.get("parameters", []) if each["in"] == place]

    @property
    def body_schema(self) -> JsonObject | None:
        content = self.spec.get("requestBody", {}).get("content", {})
        return content["application/json"]["schema"] if "application/json" in content else None

    @property
    def form_fields(self) -> list[str]:
        content = self.spec.get("requestBody", {}).get("content", {})
        schema = content.get(FORM_TYPE, {}).get("schema", {})
        return ["unknown", *schema.get("properties", {})] if FORM_TYPE in content else []


def list_operations(page: JsonObject) -> list[Operation]:
    """All operations, those that delete last: the others need what they delete."""
    operations = [
        Operation(method.upper(), path, spec)
        for path, item in page["paths"].items()
        for method, spec in item.items()
    ]
    return sorted(operations, key=lambda each: each.method == "DELETE")


def valid_requests(operation: Operation, known: Mapping[str, str]) -> Iterator[OddRequest]:
    """Each query parameter and each field with each value at the limits of its schema."""
    method, path, schema = operation.method, fill_path(operation, known), operation.body_schema
    base = None if schema is None else example(schema)
    body = None if schema is None else encode_json(base)
    query = fill_query(operation, known, {})
    yield OddRequest("as documented", method, f"{path}?{query}" if query else path, body)
    for parameter in operation.parameters("query"):
        for value in valid_values(parameter["schema"]):
            text = value if isinstance(value, str) else encode_json(value).decode()
            query = fill_query(operation, known, {parameter["name"]: quote(text)})
            yield OddRequest(f"?{parameter['name']}={value}", method, f"{path}?{query}", body)
    for keys, part in () if schema is None else list_fields(schema):
        for value in valid_values(part):
            changed = encode_json(replace_field(base, keys, value))
            yield OddRequest(f"{'.'.join(keys)}={value!r:.40}", method, path, changed)


def odd_requests(operation: Operation, known: Mapping[str, str]) -> Iterator[OddRequest]:
    """Each parameter and each field with each odd value, all others as they should be."""
    schema = operation.body_schema
    body = None if schema is None else example(schema)
    yield from _odd_parameters(operation, known, None if body is None else encode_json(body))
    path = fill_path(operation, known)
    if schema is not None:
        yield from _odd_fields(operation, path, schema)
    for name in operation.form_fields:
        yield from _odd_form_field(operation, path, name)


def sample(requests: Iterable[OddRequest], every: int, start: int = 0) -> Iterator[OddRequest]:
    """Every so many-th request, from the same place in each run."""
    return islice(requests, start % every, None, every)


def _odd_parameters(
    operation: Operation, known: Mapping[str, str], body: bytes | None
) -> Iterator[OddRequest]:
    for name in [each["name"] for each in operation.parameters("path")]:
        for kind, text in ODD_TEXTS.items():
            path = fill_path(operation, {**known, name: text})
            same = kind not in OTHER_ROUTES
            yield OddRequest(f"{name}: {kind}", operation.method, path, body, same_route=same)
    for name in [each["name"] for each in operation.parameters("query")]:
        for kind, text in ODD_TEXTS.items():
            path = fill_path(operation, known) + f"?{fill_query(operation, known, {name: text})}"
            yield OddRequest(f"?{name}: {kind}", operation.method, path, body)


def _odd_fields(operation: Operation, path: str, schema: JsonObject) -> Iterator[OddRequest]:
    base = example(schema)
    for kind, text in ODD_BODIES.items():
        yield OddRequest(f"body: {kind}", operation.method, path, text)
    for keys, _ in list_fields(schema):
        for kind, text in ODD_BODIES.items():
            body = encode_json(replace_field(base, keys, MARK)).replace(
                b'"%b"' % MARK.encode(), text
            )
            label = f"{'.'.join(keys)}: {kind}"
            yield OddRequest(label, operation.method, path, body)


def _odd_form_field(operation: Operation, path: str, name: str) -> Iterator[OddRequest]:
    """A field with an odd content, beside a good file, and a file with an odd name."""
    form_type = f"{FORM_TYPE}; boundary={BOUNDARY}"
    good = _part("file", b"a,b\n1,2\n", filename=b"a.csv") if name != "file" else b""
    for kind, text in ODD_FORM_TEXTS.items():
        for label, odd in (
            (f"{name}: {kind}", _part(name, text)),
            (f"file name of {name}: {kind}", _part(name, b"a,b\n1,2\n", filename=text)),
        ):
            body = good + odd + f"--{BOUNDARY}--\r\n".encode()
            yield OddRequest(label, operation.method, path, body, form_type)


def _part(name: str, content: bytes, *, filename: bytes | None = None) -> bytes:
    named = b"" if filename is None else b'; filename="%b"' % filename
    head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"'.encode()
    return head + named + b"\r\n\r\n" + content + b"\r\n"


def fill_path(operation: Operation, values: Mapping[str, str]) -> str:
    path = operation.path
    for name in [each["name"] for each in operation.parameters("path")]:
        path = path.replace(f"{{{name}}}", values[name])
    return path


def fill_query(operation: Operation, known: Mapping[str, str], odd: Mapping[str, str]) -> str:
    required = [each for each in operation.parameters("query") if each.get("required")]
    values = {each["name"]: known.get(each["name"], "x") for each in required} | dict(odd)
    return "&".join(f"{name}={value}" for name, value in values.items())


def list_fields(schema: JsonObject, depth: int = 3) -> Iterator[tuple[tuple[str, ...], JsonObject]]:
    """The keys that lead to each field, and the field's schema."""
    for name, part in _resolve(schema).get("properties", {}).items():
        yield (name,), part
        if depth > 1:
            inner = list_fields(_inner(part), depth - 1)
            yield from (((name, *keys), field_schema) for keys, field_schema in inner)


def _inner(schema: JsonObject) -> JsonObject:
    """The object in a list of objects, or the schema itself."""
    schema = _resolve(schema)
    return _resolve(schema["items"]) if "items" in schema else schema


def _resolve(schema: JsonObject) -> JsonObject:
    """The richest of the alternatives."""
    options = schema.get("anyOf") or schema.get("oneOf")
    if not options:
        return schema
    return _resolve(max(options, key=lambda each: len(str(each))))


def replace_field(value: JsonValue, keys: tuple[str, ...], odd: JsonValue) -> JsonValue:
    """A copy in which the field at the end of `keys` is odd; lists on the way have one item."""
    if not keys:
        return odd
    if isinstance(value, list):
        return [replace_field(value[0] if value else {}, keys, odd)]
    inside = value if isinstance(value, dict) else {}
    return {**inside, keys[0]: replace_field(inside.get(keys[0], {}), keys[1:], odd)}


def example(schema: JsonObject) -> JsonValue:
    """The smallest value that the schema allows, as far as it can be told."""
    schema = _resolve(schema)
    if "const" in schema or "enum" in schema or "default" in schema:
        return schema.get("const", schema.get("default", (schema.get("enum") or [None])[0]))
    match schema.get("type"):
        case "object":
            fields = schema.get("properties", {})
            return {name: example(fields.get(name, {})) for name in schema.get("required", [])}
        case "array":
            return [example(schema.get("items", {}))] * schema.get("minItems", 0)
        case "integer" | "number":
            return schema.get("minimum", 1)
        case "boolean":
            return True
        case "string" if schema.get("format") == "uuid":
            return str(uuid4())
        case "string":
            return "x" * max(1, schema.get("minLength", 1))
        case _:
            return {}


def valid_values(schema: JsonObject) -> list[JsonValue]:
    """Values at the limits of a schema: every word of an enum, the shortest and longest text."""
    options = schema.get("anyOf") or schema.get("oneOf")
    if options:
        return [value for option in options for value in valid_values(option)]
    if "const" in schema or "enum" in schema:
        return list(schema.get("enum", [schema.get("const")]))
    match schema.get("type"):
        case "integer" | "number":
            least = schema.get("minimum", 0)
            return [least, min(schema.get("maximum", least + 1000), 2**53 - 1)]
        case "string" if "format" not in schema and "pattern" not in schema:
            longest = min(schema.get("maxLength", 200), 20_000)
            return ["y" * schema.get("minLength", 0), "y" * longest, "名"]
        case "boolean":
            return [True, False]
        case "null":
            return [None]
        case _:
            return [example(schema)]
