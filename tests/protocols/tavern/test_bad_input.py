"""Bodies that no route of the story dialect can use: a 4xx that names the place. Issue 14 §13."""

from collections.abc import Iterator, Mapping
from uuid import uuid4

import pytest
from msgspec import Struct
from tests.loose_json import JsonObject, JsonValue
from tests.protocols.odd_values import (
    MARK,
    Operation,
    example,
    fill_path,
    list_fields,
    list_operations,
    replace_field,
)
from tests.serving import Caller

from yarrow.kit.json import encode_json

PREFIXES = (
    *("/sessions", "/floors", "/messages", "/pages", "/variables", "/memor", "/llm-", "/import"),
    *("/presets", "/worldbooks", "/regex-profiles", "/characters", "/users", "/tool"),
)
JSON_TYPE = "application/json"
QUOTED_MARK = b'"%b"' % MARK.encode()
KNOWN = {"slot": "narrator", "scope": "global"}
FREE = "/entries"
"""Bodies that are entries of a library: unknown fields are kept."""


class BadBody(Struct, frozen=True):
    """A body to refuse, and the `details[].path` of the refusal."""

    label: str
    data: bytes
    place: str
    content_type: str = JSON_TYPE


def list_bad_bodies(operation: Operation, schema: JsonObject) -> Iterator[BadBody]:
    base = example(schema)
    assert isinstance(base, dict)
    good = encode_json(base)
    yield BadBody("not declared", good, "content-type", "text/plain")
    yield BadBody("no object", b"[]", "body")
    start = good[:-1] + (b"," if base else b"")
    for value in (b'"', b"NaN", b"1e999"):
        yield BadBody(f"not JSON: {value!r}", start + b'"a":' + value + b"}", "body")
    if FREE not in operation.path:
        yield BadBody("unknown field", encode_json(base | {"a": 1}), "a")
    for keys, _ in list_fields(schema):
        marked = replace_field(base, keys, MARK)
        place = find_place(marked)
        text = encode_json(marked)
        yield BadBody(f"NUL in {place}", text.replace(QUOTED_MARK, rb'"a\u0000b"'), place)
        half = text.replace(QUOTED_MARK, rb'"a\ud83d"')
        yield BadBody(f"half a surrogate pair in {place}", half, place)
        inner = text.replace(QUOTED_MARK, rb'[{"b": ["c", "\u0000"]}]')
        yield BadBody(f"NUL below {place}", inner, f"{place}.0.b.1")


def find_place(value: JsonValue) -> str:
    """The path to the mark."""
    items: Mapping[str | int, JsonValue]
    items = value if isinstance(value, dict) else dict(enumerate(value))
    for name, item in items.items():
        if item == MARK:
            return str(name)
        if isinstance(item, dict | list) and MARK in encode_json(item).decode():
            return f"{name}.{find_place(item)}"
    raise AssertionError(value)


@pytest.mark.slow
async def test_a_body_that_is_not_usable_is_refused_with_its_place(caller: Caller) -> None:
    _, page = await caller.get("/openapi.json")
    sent, wrong = 0, list[tuple[object, ...]]()

    for operation in list_operations(page):
        schema = operation.body_schema
        if schema is None or not operation.path.startswith(PREFIXES):
            continue
        names = [each["name"] for each in operation.parameters("path")]
        path = fill_path(operation, {name: str(uuid4()) for name in names} | KNOWN)
        for bad in list_bad_bodies(operation, schema):
            headers = caller.headers | {"Content-Type": bad.content_type}
            status, body = await caller.send(operation.method, path, data=bad.data, headers=headers)
            sent += 1
            refusal = status, body.get("error", {}).get("details", [{}])[0].get("path")
            if refusal != (400, bad.place):
                wrong.append((operation.method, operation.path, bad.label, *refusal))

    assert wrong == []
    assert sent > 1_000


GLOBAL = {"scope": "global", "key": "k", "value": 1}
FACT = {"scope": "global", "type": "fact", "content": "x"}


@pytest.mark.parametrize(
    ("method", "path", "good", "bad", "place"),
    [
        ("PUT", "/variables/batch", GLOBAL, {"key": ""}, "items.1.key"),
        ("PUT", "/variables/batch", GLOBAL, {"value": "x" * 65_536}, "items.1.value"),
        ("PUT", "/variables/batch", GLOBAL, {"scope_id": "x"}, "items.1.scope_id"),
        ("PUT", "/variables/batch", GLOBAL, {"scope": "chat"}, "items.1.session_id"),
        ("POST", "/memories/batch", FACT, {"scope_id": "x"}, "items.1.scope_id"),
        ("POST", "/memories/batch", FACT, {"type": "x"}, "items.1.type"),
    ],
)
async def test_a_refused_batch_names_the_item(
    caller: Caller, method: str, path: str, good: JsonObject, bad: JsonObject, place: str
) -> None:
    status, answer = await caller.send(method, path, json={"items": [good, good | bad]})

    assert (status, answer["error"]["details"][0]["path"]) == (400, place)


async def test_a_version_that_is_none_is_named_inside_its_binding(caller: Caller) -> None:
    body = {"deep_binding": {"preset_version_id": 1}}

    status, answer = await caller.post("/sessions", body)

    place = answer["error"]["details"][0]["path"]
    assert (status, place) == (400, "deep_binding.preset_version_id")
