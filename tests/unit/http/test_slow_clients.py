"""Clients that send a head or a body byte by byte, against a real uvicorn."""

import asyncio
from collections.abc import AsyncIterator

import pytest
import uvicorn
from starlette.types import Receive, Scope, Send
from tests.serving import free_port
from tests.waiting import PATIENCE_S

from yarrow.http.slow_clients import TimedHttpProtocol

pytestmark = pytest.mark.slow


class Impatient(TimedHttpProtocol):
    HEAD_S = 0.3
    BODY_S = 0.3


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


@pytest.fixture
async def port() -> AsyncIterator[int]:
    with free_port() as listener:
        config = uvicorn.Config(app, http=Impatient, lifespan="off", log_config=None)
        server = uvicorn.Server(config)
        task = asyncio.create_task(server._serve(sockets=[listener]))
        while not server.started:
            await asyncio.sleep(0.005)
        yield listener.getsockname()[1]
        server.should_exit = True
        await task


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


async def test_a_body_that_trickles_is_cut_off(port: int) -> None:
    head = b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n"

    assert await send_slowly(port, head, b"x", 20) == b""


async def test_a_body_that_keeps_coming_may_take_longer(port: int) -> None:
    head = b"POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 16000\r\n\r\n"

    answer = await send_slowly(port, head, b"x" * 800, 20)

    assert answer.startswith(b"HTTP/1.1 200")
