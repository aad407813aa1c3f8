"""Clients that send too slowly or too much beside a body, against a real uvicorn."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send
from tests.serving import free_port
from tests.waiting import PATIENCE_S

from yarrow.http.client_limits import BoundedHttpProtocol

pytestmark = pytest.mark.slow


class Impatient(BoundedHttpProtocol):
    HEAD_S = 0.3
    BODY_S = 0.3
    READ_S = 0.3


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers with the size of the body."""
    size, more = 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        size, more = size + len(message["body"]), message.get("more_body", False)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": str(size).encode()})


@asynccontextmanager
async def serving_app(
    protocol: type[BoundedHttpProtocol], application: ASGIApp = app
) -> AsyncIterator[int]:
    """The port of the application behind this protocol."""
    with free_port() as listener:
        config = uvicorn.Config(application, http=protocol, lifespan="off", log_config=None)
        server = uvicorn.Server(config)
        task = asyncio.create_task(server._serve(sockets=[listener]))
        while not server.started:
            await asyncio.sleep(0.005)
        yield listener.getsockname()[1]
        server.should_exit = True
        await task


@pytest.fixture
async def port() -> AsyncIterator[int]:
    async with serving_app(Impatient) as port:
        yield port


@pytest.fixture
async def patient_port() -> AsyncIterator[int]:
    async with serving_app(BoundedHttpProtocol) as port:
        yield port


async def send_at_once(port: int, data: bytes) -> bytes:
    """Everything that the server answers until it closes the connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(data)
    try:
        async with asyncio.timeout(PATIENCE_S):
            return await reader.read()
    except ConnectionResetError:  # it was closed while we were sending
        return b""
    finally:
        writer.close()


async def send_slowly(port: int, head: bytes, piece: bytes, times: int) -> bytes:
    """What the server answers until it closes the connection or the request is whole."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(head)
    for _ in range(times):
        if reader.at_eof():
            break
        writer.write(piece)
        await asyncio.sleep(0.05)
    try:
        async with asyncio.timeout(PATIENCE_S):
            return await reader.read(4096)
    except ConnectionResetError:  # a piece was sent after the server had closed
        return b""
    finally:
        writer.close()


@pytest.mark.parametrize("head", [b"", b"POST / HTTP/1.1\r\nhost: x\r\n"])
async def test_a_head_that_trickles_is_cut_off(port: int, head: bytes) -> None:
    assert await send_slowly(port, head, b"X-A: b\r\n" if head else b"", 20) == b""


async def test_blank_lines_between_requests_do_not_keep_a_connection(port: int) -> None:
    get = b"GET / HTTP/1.1\r\nhost: x\r\n\r\n"

    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(get)
    assert (await reader.readline()).startswith(b"HTTP/1.1 200")
    await asyncio.sleep(0.05)
    writer.write(b"\r\n")
    async with asyncio.timeout(PATIENCE_S):
        await reader.read()  # returns when the connection is closed
    writer.close()


async def test_a_body_that_trickles_is_cut_off(port: int) -> None:
    head = b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n"

    assert await send_slowly(port, head, b"x", 20) == b""


async def test_a_body_that_keeps_coming_may_take_longer(port: int) -> None:
    head = b"POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 16000\r\n\r\n"

    answer = await send_slowly(port, head, b"x" * 800, 20)

    assert answer.startswith(b"HTTP/1.1 200")


POST = b"POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n"
CHUNKED = POST + b"transfer-encoding: chunked\r\n\r\n"
OVERSIZED = {
    "value": POST + b"x: " + b"a" * 200_000 + b"\r\ncontent-length: 0\r\n\r\n",
    "fields": POST + b"x: a\r\n" * 40_000 + b"content-length: 0\r\n\r\n",
    "address": b"GET /" + b"a" * 50_000 + b"?" + b"b" * 50_000 + POST[6:] + b"\r\n",
    "extension": CHUNKED + b"1;" + b"a=b;" * 50_000 + b"\r\nx\r\n0\r\n\r\n",
    "trailers": CHUNKED + b"1\r\nx\r\n0\r\n" + b"x: a\r\n" * 40_000 + b"\r\n",
    "chunks": CHUNKED + b"1\r\nx\r\n" * 100_000 + b"0\r\n\r\n",
    "pipelined": b"GET / HTTP/1.1\r\nhost: x\r\n\r\n" * 100 + POST + b"\r\n",
}


@pytest.mark.parametrize("name", OVERSIZED)
async def test_what_no_request_has_is_cut_off(patient_port: int, name: str) -> None:
    answer = await send_at_once(patient_port, OVERSIZED[name])

    assert answer.count(b"HTTP/1.1 200") <= (1 if name == "pipelined" else 0)


async def test_a_large_body_in_small_chunks_arrives_whole(patient_port: int) -> None:
    chunk = b"10\r\n" + b"x" * 16 + b"\r\n"

    answer = await send_at_once(patient_port, CHUNKED + chunk * 200_000 + b"0\r\n\r\n")

    assert answer.startswith(b"HTTP/1.1 200")
    assert b"\r\n3200000\r\n" in answer


async def test_requests_may_follow_each_other_at_once(patient_port: int) -> None:
    get = b"GET / HTTP/1.1\r\nhost: x\r\n\r\n"

    answer = await send_at_once(patient_port, get * 8 + POST + b"\r\n")

    assert answer.count(b"HTTP/1.1 200") == 9


async def test_a_response_that_is_not_read_is_cut_off() -> None:
    ended = asyncio.Event()

    async def send_for_ever(_: Scope, receive: Receive, send: Send) -> None:
        await receive()
        leaving = asyncio.ensure_future(receive())
        await send({"type": "http.response.start", "status": 200, "headers": []})
        while not leaving.done():
            await send({"type": "http.response.body", "body": b"x" * 65536, "more_body": True})
        ended.set()

    async with serving_app(Impatient, send_for_ever) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n")
        async with asyncio.timeout(PATIENCE_S):
            await ended.wait()
        writer.close()

    assert (await reader.readline()).startswith(b"HTTP/1.1 200")


class Watchful(BoundedHttpProtocol):
    READ_S = 1.5


async def test_a_large_response_that_is_read_slowly_arrives_whole() -> None:
    body = b"x" * 24 * 1024 * 1024

    async def send_at_once(_: Scope, receive: Receive, send: Send) -> None:
        await receive()
        headers = [(b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    async with serving_app(Watchful, send_at_once) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n")
        await reader.readuntil(b"\r\n\r\n")
        size = 0
        async with asyncio.timeout(PATIENCE_S):
            while size < len(body) and (piece := await reader.read(64 * 1024)):
                size += len(piece)
                await asyncio.sleep(0.008)
        writer.close()

    assert size == len(body)
