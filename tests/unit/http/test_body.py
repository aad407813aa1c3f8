"""Reading bodies: limits while reading, strict JSON."""

import asyncio
from collections.abc import Iterator

import pytest
from fastapi import Request
from pydantic import BaseModel, ValidationError
from tests.loose_json import JsonValue

from yarrow.errors import InvalidInput, TooLarge
from yarrow.http.body import (
    HALF_PAIR_IN_TEXT,
    MAX_CONTAINERS,
    MAX_ERRORS,
    MAX_KEYS,
    NOT_JSON,
    SMALL_BYTES,
    TOO_WIDE,
    TOO_WRONG,
    parse_body,
    parse_json,
    read_body,
    validate_model,
)
from yarrow.http.openapi import build_body_schema
from yarrow.kit.json import encode_json
from yarrow.kit.json_pieces import MAX_DEPTH
from yarrow.protocols.agui.runs.wire import RunAgentInput
from yarrow.protocols.ndjson.charts.wire import InputTable
from yarrow.protocols.ndjson.streams.wire import InlineTable


class Inner(BaseModel):
    n: int


class Outer(BaseModel):
    items: list[Inner]


class Pairs(BaseModel):
    pairs: list[tuple[str, str]]


class Choice(BaseModel):
    choice: bool | Inner | None = None


def request_of(chunks: Iterator[bytes], headers: dict[str, str]) -> Request:
    raw = [(key.encode(), value.encode()) for key, value in headers.items()]
    messages = ({"type": "http.request", "body": chunk, "more_body": True} for chunk in chunks)

    async def receive() -> dict[str, object]:
        return next(messages, {"type": "http.request", "body": b"", "more_body": False})

    return Request({"type": "http", "headers": raw, "method": "POST"}, receive)


async def test_body_up_to_the_limit_is_read() -> None:
    request = request_of(iter([b"ab", b"cd"]), {})

    assert await read_body(request, limit=4) == b"abcd"


async def test_declared_size_over_the_limit_is_refused_unread() -> None:
    def untouched() -> Iterator[bytes]:
        raise AssertionError("the body was read")
        yield b""

    with pytest.raises(TooLarge) as refused:
        await read_body(request_of(untouched(), {"content-length": "5"}), limit=4, rule="5 MB")

    assert (refused.value.rule, refused.value.limit) == ("5 MB", 4)


async def test_undeclared_size_is_counted_while_reading() -> None:
    read = 0

    def endless() -> Iterator[bytes]:
        nonlocal read
        while True:
            read += 1
            yield b"xx"

    with pytest.raises(TooLarge):
        await read_body(request_of(endless(), {"content-length": "not a number"}), limit=5)

    assert read == 3


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": [1, null, "中文"]}', {"a": [1, None, "中文"]}),
        ('"\\\\u0000"', "\\u0000"),
        ("1", 1),
        ('{"a":1,"a":2}', {"a": 2}),
    ],
)
def test_json_is_parsed_and_the_last_of_repeated_keys_wins(text: str, value: JsonValue) -> None:
    assert parse_json(text.encode()) == value


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"NaN",
        b"[Infinity]",
        b"\xff",
        b'"\xed\xa0\x80"',
        b"{'a': 1}",
        b"[" * 100_000,
        b"1e999",
        b"{} {}",
    ],
)
def test_invalid_json_is_refused(data: bytes) -> None:
    with pytest.raises(InvalidInput, match="body is not valid JSON"):
        parse_json(data)


@pytest.mark.parametrize("part", [b"[]", b"{}", b'{"a":[]}'])
def test_too_many_containers_are_refused(part: bytes) -> None:
    with pytest.raises(InvalidInput, match="lists and objects"):
        parse_json(b"[" + b",".join([part] * MAX_CONTAINERS) + b"]")


@pytest.mark.parametrize(("opening", "closing"), [(b"[", b"]"), (b'{"a":', b"}")])
def test_json_may_be_nested_500_levels(opening: bytes, closing: bytes) -> None:
    def nested(depth: int) -> bytes:
        return opening * depth + b"1" + closing * depth

    assert parse_json(nested(MAX_DEPTH)) is not None
    with pytest.raises(InvalidInput, match="not valid JSON"):
        parse_json(nested(MAX_DEPTH + 1))


def test_brackets_in_texts_are_no_containers() -> None:
    text = '{"text": "a \\"[{[" }' * 100_000

    parsed = parse_json(encode_json({"texts": [text]}))

    assert parsed == {"texts": [text]}


@pytest.mark.parametrize("end", [b"", b"\\"])
def test_quotes_of_a_text_without_an_end_are_read_once(end: bytes) -> None:
    """Tried from each quote again, they would take hours."""
    with pytest.raises(InvalidInput, match="lists and objects"):
        parse_json(b"[" * (MAX_CONTAINERS + 1) + b'"' + b'\\"' * 200_000 + end)


def test_many_flat_lists_are_not_deep() -> None:
    lists: JsonValue = parse_json(b"[" + b",".join([b"[1]"] * 2 * MAX_DEPTH) + b"]")

    assert len(lists) == 2 * MAX_DEPTH


@pytest.mark.parametrize(
    ("data", "place"),
    [
        (b'"\\u0000"', None),
        (b'{"\\u0000": 1}', None),
        (b'{"a": "x\\u0000"}', "a"),
        (b'{"a": ["x", "\\u0000"], "b": "\\u0000"}', "a.1"),
        (b'{"a": {"b": [{"c": 1}, {"d": "e\\u0000"}]}}', "a.b.1.d"),
        (b'{"a": {"b\\u0000": 1}}', "a"),
    ],
)
def test_nul_character_is_refused_with_its_place(data: bytes, place: str | None) -> None:
    with pytest.raises(InvalidInput, match="NUL") as refused:
        parse_json(data)

    assert refused.value.field == place


@pytest.mark.parametrize(
    ("data", "rule", "place"),
    [
        (b'{"a": [{"b": "x\\ud83d"}]}', HALF_PAIR_IN_TEXT, "a.0.b"),
        (b'{"a": "\\ud83d\\ude00", "b": "\\uDE00\\uD83D"}', HALF_PAIR_IN_TEXT, "b"),
        (b'"\\ud800"', HALF_PAIR_IN_TEXT, None),
        (b'{"\\ud83d": 1}', HALF_PAIR_IN_TEXT, None),
        (b'{"a": "\\ud83d", ', NOT_JSON, None),
        (b'{"a": "\\ud83d\\ude00", "b": NaN}', NOT_JSON, None),
        (b'{"a": "\\ud83d"' + b" " * SMALL_BYTES + b"}", NOT_JSON, None),
        (b'{"a": "\\ud83d", "b": ' + b"[" * 50_000 + b"]" * 50_000 + b"}", NOT_JSON, None),
    ],
)
def test_half_a_surrogate_pair_is_refused_with_its_place(
    data: bytes, rule: str, place: str | None
) -> None:
    with pytest.raises(InvalidInput) as refused:
        parse_json(data)

    assert (refused.value.rule, refused.value.field) == (rule, place)


def test_nul_that_is_escaped_twice_is_text() -> None:
    assert parse_json(b'{"a": "\\\\u0000"}') == {"a": "\\u0000"}


@pytest.mark.parametrize(
    ("value", "rule"),
    [
        ({"choice": {"n": "x"}}, "choice.n: input should be a valid integer"),
        ({"choice": {}}, "choice.n: field required"),
        ({"choice": "x"}, "choice: input should be a valid boolean"),
        ({"choice": [1]}, "choice: input should be a valid boolean"),
    ],
)
def test_the_place_of_an_error_leads_through_the_body(value: JsonValue, rule: str) -> None:
    """Not through the alternatives of a union."""
    with pytest.raises(InvalidInput) as refused:
        validate_model(Choice, value)

    assert refused.value.rule.startswith(rule)
    assert refused.value.field == rule.partition(":")[0]


def test_a_missing_item_of_a_pair_is_named() -> None:
    with pytest.raises(InvalidInput, match=r"^pairs\.1\.1: field required$"):
        validate_model(Pairs, {"pairs": [["a", "b"], ["a"]]})


def test_thousands_of_errors_are_refused_without_reading_them() -> None:
    def refuse(count: int) -> str:
        with pytest.raises(InvalidInput) as refused:
            validate_model(Outer, {"items": [[]] * count})
        return str(refused.value)

    assert refuse(MAX_ERRORS) == "items.0: must be a JSON object"
    assert refuse(MAX_ERRORS + 1) == TOO_WRONG


def test_the_first_wrong_message_of_a_run_ends_its_validation() -> None:
    with pytest.raises(ValidationError) as refused:
        RunAgentInput.model_validate({"threadId": "t", "runId": "r", "messages": [[]] * 100})

    assert refused.value.error_count() < 10


async def test_other_tasks_run_while_a_large_body_is_parsed() -> None:
    turns = 0

    async def count_turns() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0.002)

    counting = asyncio.create_task(count_turns())
    rows: JsonValue = await parse_body(
        b"[" + b",".join([b'{"a":1,"b":"two","c":[],"d":3}'] * (MAX_CONTAINERS // 2 - 1)) + b"]"
    )
    counting.cancel()

    assert len(rows) == MAX_CONTAINERS // 2 - 1
    assert turns > 1


def test_schema_of_a_body_has_no_references() -> None:
    content = build_body_schema(Outer)["requestBody"]["content"]["application/json"]

    items = content["schema"]["properties"]["items"]["items"]
    assert items["properties"] == {"n": {"title": "N", "type": "integer"}}


@pytest.mark.parametrize("frame", ["%s", '[{"a": [%s]}]', '{"b": {"c": %s}, "d": "x:y"}'])
def test_an_object_with_too_many_fields_is_refused_wherever_it_is(frame: str) -> None:
    def text(fields: int) -> bytes:
        return (frame % encode_json({str(n): 0 for n in range(fields)}).decode()).encode()

    parse_json(text(MAX_KEYS))
    with pytest.raises(InvalidInput) as refused:
        parse_json(text(MAX_KEYS + 1))

    assert refused.value.rule == TOO_WIDE


@pytest.mark.parametrize(("model", "field"), [(InlineTable, "rows"), (InputTable, "rows")])
def test_rows_of_a_body_are_taken_as_they_were_decoded(model: type[BaseModel], field: str) -> None:
    row: JsonValue = {"month": "May"}

    body = validate_model(model, {"name": "sales", field: [row]})
    with pytest.raises(InvalidInput) as refused:
        validate_model(model, {"name": "sales", field: [row, "May"]})

    assert getattr(body, field)[0] is row
    assert str(refused.value) == f"{field}.1: must be a JSON object"
