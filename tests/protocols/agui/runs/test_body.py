"""The body as bytes: how large, how sent, and whether it is JSON at all."""

import asyncio
import io
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import pytest
from tests.loose_json import JsonObject, JsonValue, decode_json
from tests.protocols.agui.account_rows import read_account_rows
from tests.serving import RUNS, Caller, Served, run_body
from tests.waiting import PATIENCE_S

from yarrow.kit.json import encode_json

LIMIT = 256 * 1024
STREAMED_LIMIT = 4 * 1024 * 1024
TOO_LARGE = "RunAgentInput payload exceeds size limit"
PIECE = 16 * 1024


def padded(size: int) -> bytes:
    """A valid body of exactly so many bytes."""
    body = run_body(state={"pad": ""})
    return encode_json(body | {"state": {"pad": "x" * (size - len(encode_json(body)))}})


async def test_body_of_exactly_the_limit_is_accepted(caller: Caller) -> None:  # seed 2, ≤ 256KB
    status, _ = await caller.send("POST", RUNS, data=padded(LIMIT))

    assert status == 202


async def test_one_byte_more_is_refused(served: Served, caller: Caller) -> None:
    before = await read_account_rows(served.product.database, caller.id)

    status, problem = await caller.send("POST", RUNS, data=padded(LIMIT + 1))

    assert (status, problem["detail"]) == (413, TOO_LARGE)
    assert (problem["code"], problem["params"]) == ("AGENT_PAYLOAD_TOO_LARGE", {"limit": LIMIT})
    assert await read_account_rows(served.product.database, caller.id) == before


async def pieces(body: bytes) -> AsyncIterator[bytes]:
    for start in range(0, len(body), PIECE):
        yield body[start : start + PIECE]


@pytest.mark.parametrize(("size", "status"), [(LIMIT, 202), (LIMIT + 1, 413)])
async def test_limit_holds_for_a_body_of_undeclared_length(
    caller: Caller, size: int, status: int
) -> None:
    answer, _ = await caller.send("POST", RUNS, data=pieces(padded(size)))

    assert answer == status


@pytest.mark.parametrize(
    ("state", "rule"),
    [
        ([[]] * 50_000, "body must have at most 50000 lists and objects"),
        (
            {str(n): 0 for n in range(50_001)},
            "an object of the body must have at most 50000 fields",
        ),
    ],
)
async def test_a_body_with_too_many_parts_is_refused(
    caller: Caller, state: JsonValue, rule: str
) -> None:
    headers = caller.headers | {"Accept": "text/event-stream"}

    status, problem = await caller.send(
        "POST", RUNS, data=encode_json(run_body(state=state)), headers=headers
    )

    assert (status, problem["detail"]) == (422, rule)


async def test_whole_conversations_may_be_larger(caller: Caller) -> None:
    headers = caller.headers | {"Accept": "text/event-stream"}

    async with caller.http.post(
        caller.url + RUNS, data=io.BytesIO(padded(STREAMED_LIMIT)), headers=headers
    ) as answer:
        assert answer.status == 200
    status, problem = await caller.send(
        "POST", RUNS, data=io.BytesIO(padded(STREAMED_LIMIT + 1)), headers=headers
    )

    assert (status, problem["detail"]) == (413, TOO_LARGE)


@asynccontextmanager
async def endless_post(caller: Caller) -> AsyncIterator[tuple[asyncio.StreamReader, "Sender"]]:
    """A chunked request that has begun, and what sends more of its body."""
    at = urlsplit(caller.url)
    reader, writer = await asyncio.open_connection(at.hostname, at.port)
    head = [f"POST {RUNS} HTTP/1.1", "Host: 127.0.0.1", "Transfer-Encoding: chunked"]
    head += [f"{name}: {value}" for name, value in caller.headers.items()]
    writer.write("\r\n".join([*head, "", ""]).encode())
    try:
        yield reader, Sender(writer)
    finally:
        writer.close()


class Sender:
    """Sends chunks of a body that never ends."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        self.sent = 0

    async def send(self, size: int) -> None:
        self._writer.write(b"%x\r\n%s\r\n" % (size, b"x" * size))
        await self._writer.drain()
        self.sent += size


async def read_answer(reader: asyncio.StreamReader) -> tuple[int, JsonObject]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
    length = int(head.partition("content-length: ")[2].split()[0])
    return int(head.split()[1]), decode_json(await reader.readexactly(length))


async def test_endless_body_is_refused_while_it_is_read(caller: Caller) -> None:
    async with endless_post(caller) as (reader, sender), asyncio.timeout(PATIENCE_S):
        while sender.sent < LIMIT:
            await sender.send(PIECE)
        await sender.send(1)
        status, problem = await read_answer(reader)

    assert (status, problem["detail"]) == (413, TOO_LARGE)


async def test_declared_length_is_refused_before_the_body_is_sent(caller: Caller) -> None:
    at = urlsplit(caller.url)
    reader, writer = await asyncio.open_connection(at.hostname, at.port)
    head = [f"POST {RUNS} HTTP/1.1", "Host: 127.0.0.1", f"Content-Length: {LIMIT + 1}"]
    head += [f"{name}: {value}" for name, value in caller.headers.items()]

    writer.write("\r\n".join([*head, "", ""]).encode())
    async with asyncio.timeout(PATIENCE_S):
        status, _ = await read_answer(reader)
    writer.close()

    assert status == 413


async def test_client_that_leaves_amid_its_body_changes_nothing(
    served: Served, caller: Caller
) -> None:
    before = await read_account_rows(served.product.database, caller.id)

    async with endless_post(caller) as (_, sender):
        await sender.send(PIECE)
    await caller.points()

    assert await read_account_rows(served.product.database, caller.id) == before


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b" ",
        b"{",
        b'{"threadId":',
        b"threadId=1&runId=2",
        b"<run/>",
        b"\xff\xfe{}",
        b"\xef\xbb\xbf{}",
        b"{'threadId': 1}",
        b'{"state": NaN}',
        b'{"state": 1e999}',
        b'{"state": "\xed\xa0\x80"}',
        b"{} {}",
        b"[" * 20_000,
    ],
)
async def test_body_that_is_not_json_is_refused(caller: Caller, data: bytes) -> None:
    status, problem = await caller.send("POST", RUNS, data=data)

    assert (status, problem["code"]) == (422, "AGENT_INPUT_INVALID")
    assert problem["detail"] == "body is not valid JSON"


@pytest.mark.parametrize("data", [b"[]", b"null", b"1", b'"hello"', b"true"])
async def test_json_that_is_no_object_is_refused(caller: Caller, data: bytes) -> None:
    status, problem = await caller.send("POST", RUNS, data=data)

    assert (status, problem["code"]) == (422, "AGENT_INPUT_INVALID")


@pytest.mark.parametrize("spoiled", [{"runId": "a\0b"}, {"state": {"k\0": 1}}])
async def test_nul_character_is_refused(caller: Caller, spoiled: JsonObject) -> None:
    status, problem = await caller.post(RUNS, run_body() | spoiled)

    assert (status, problem["detail"]) == (422, "text must not contain the NUL character")
    assert problem["params"]["field"] == next(iter(spoiled))


async def test_half_of_a_surrogate_pair_is_refused(caller: Caller) -> None:
    status, problem = await caller.send("POST", RUNS, data=rb'{"state": {"k": "\ud800"}}')

    assert status == 422
    assert problem["detail"] == "text must not contain half of a surrogate pair"
    assert problem["params"]["field"] == "state.k"


@pytest.mark.parametrize(("depth", "expected"), [(400, 202), (965, 422), (2000, 422)])
@pytest.mark.parametrize("field", ["state", "forwardedProps"])
async def test_json_is_accepted_up_to_500_levels(
    caller: Caller, depth: int, field: str, expected: int
) -> None:
    deep = '{"x":' * depth + "1" + "}" * depth
    body = encode_json(run_body() | {field: "here"}).replace(b'"here"', deep.encode())

    status, answer = await caller.send("POST", RUNS, data=body)

    assert status == expected, answer


@pytest.mark.parametrize("kind", ["text/plain", "application/octet-stream", "nonsense"])
async def test_content_type_does_not_matter(caller: Caller, kind: str) -> None:
    headers = caller.headers | {"Content-Type": kind}

    status, _ = await caller.send("POST", RUNS, data=encode_json(run_body()), headers=headers)

    assert status == 202
