"""Model endpoints that send what no model should: endless, inflated or absurd answers.

`ANSWERS` names them; the server on loopback sends the one that its path names.
"""

import asyncio
import zlib
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from itertools import count, repeat
from urllib.parse import quote, unquote

from msgspec import Struct
from tests.loose_json import JsonObject

from yarrow.kit.json import encode_json

LOOPBACK = "127.0.0.1"
MEGABYTE = 1 << 20
INFLATED_MB = 200
WHOLE_MB = 400

_STREAM = "text/event-stream"


class HostileAnswer(Struct, frozen=True):
    """The headers of a response and the pieces of its body."""

    pieces: Callable[[], Iterator[bytes]]
    content_type: str = _STREAM
    headers: str = ""
    pause_s: float = 0.0
    """Between two pieces."""
    raw_head: bytes | None = None
    """Instead of a plain head."""

    @property
    def head(self) -> bytes:
        if self.raw_head is not None:
            return self.raw_head
        return (
            f"HTTP/1.1 200 OK\r\ncontent-type: {self.content_type}\r\n{self.headers}"
            "connection: close\r\n\r\n"
        ).encode()


def event(delta: JsonObject) -> bytes:
    """One event of a stream."""
    return b"data: " + encode_json({"choices": [{"index": 0, "delta": delta}]}) + b"\n\n"


def _call(index: int, *, name: str = "current_time", arguments: str = "{}") -> JsonObject:
    function = {"name": name, "arguments": arguments}
    return {"tool_calls": [{"index": index, "id": f"call{index}", "function": function}]}


def _inflating() -> Iterator[bytes]:
    """A stream whose body, if it were inflated, would have one event of 200 MB."""
    packer = zlib.compressobj(wbits=31)
    yield packer.compress(b'data: {"choices":[{"index":0,"delta":{"content":"')
    for _ in range(INFLATED_MB):
        yield packer.compress(b"x" * MEGABYTE)
    yield packer.compress(b'"}}]}\n\n') + packer.flush()


def _whole() -> Iterator[bytes]:
    yield b'{"choices":[{"message":{"content":"'
    yield from repeat(b"x" * MEGABYTE, WHOLE_MB)
    yield b'"},"finish_reason":"stop"}]}'


def _endless_arguments() -> Iterator[bytes]:
    yield event(_call(0, arguments='{"x":"'))
    part = {"index": 0, "function": {"arguments": "y" * 4096}}
    yield from repeat(event({"tool_calls": [part]}))


def _open_tag() -> Iterator[bytes]:
    yield event({"content": "So. <think>"})
    yield from repeat(event({"content": "hm "}) * 64)


def _empty_choices() -> Iterator[bytes]:
    yield b'data: {"choices":[' + b"{}," * 600_000 + b"{}]}\n\n"
    yield from repeat(event({"content": "x"}))


ANSWERS = {
    "endless line": HostileAnswer(lambda: repeat(b"data: " + b"x" * 65536)),
    "endless event": HostileAnswer(lambda: repeat(b"data: " + b"x" * 1024 + b"\n")),
    "endless comments": HostileAnswer(lambda: repeat(b": wait\n\n" * 4096)),
    "inflating": HostileAnswer(_inflating, headers="content-encoding: gzip\r\n"),
    "whole": HostileAnswer(_whole, content_type="application/json"),
    "endless arguments": HostileAnswer(_endless_arguments),
    "endless calls": HostileAnswer(lambda: (event(_call(index)) for index in count())),
    "large pieces": HostileAnswer(lambda: repeat(event({"content": "x" * MEGABYTE}))),
    "small pieces": HostileAnswer(lambda: repeat(event({"content": "x"}) * 64)),
    "endless reasoning": HostileAnswer(lambda: repeat(event({"reasoning_content": "因" * 512}))),
    "open tag": HostileAnswer(_open_tag),
    "many choices": HostileAnswer(_empty_choices),
    "endless informational": HostileAnswer(
        lambda: repeat(b"HTTP/1.1 103 Early Hints\r\n\r\n" * 2000), raw_head=b""
    ),
    "endless chunk extension": HostileAnswer(
        lambda: repeat(b"a=b;" * 16384),
        raw_head=b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"
        b"transfer-encoding: chunked\r\n\r\n5;",
    ),
}


def trickle(piece: bytes, *, pause_s: float) -> HostileAnswer:
    """The same bytes again and again, slowly."""
    return HostileAnswer(lambda: repeat(piece), pause_s=pause_s)


class HostileModel:
    """The server; `sent` has the bytes of the last answer that the client accepted, `has_ended`
    is true after its connection."""

    def __init__(self, answers: Mapping[str, HostileAnswer]) -> None:
        self._answers = answers
        self.port = 0
        self.sent = 0
        self.has_ended = False
        self._connections: set[asyncio.Task[None]] = set()

    def base_url(self, name: str) -> str:
        """The endpoint that gives this answer."""
        return f"http://{LOOPBACK}:{self.port}/{quote(name)}/v1"

    async def serve_connection(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Answer one request until the client hangs up or the answer ends."""
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError):
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                name = unquote(head.split(" ")[1].split("/")[1])
                await self._send(self._answers[name], writer)
        finally:
            self._connections.discard(task)
            self.has_ended = True
            writer.close()

    async def _send(self, answer: HostileAnswer, writer: asyncio.StreamWriter) -> None:
        self.sent, self.has_ended = 0, False
        writer.write(answer.head)
        for piece in answer.pieces():
            writer.write(piece)
            await writer.drain()
            self.sent += len(piece)
            await asyncio.sleep(answer.pause_s)

    async def close_connections(self) -> None:
        """Stop all answers."""
        connections = list(self._connections)
        for task in connections:
            task.cancel()
        await asyncio.gather(*connections, return_exceptions=True)


@asynccontextmanager
async def serve_hostile(
    answers: Mapping[str, HostileAnswer] = ANSWERS,
) -> AsyncIterator[HostileModel]:
    """A running server on a free port."""
    model = HostileModel(answers)
    server = await asyncio.start_server(model.serve_connection, LOOPBACK, 0)
    model.port = server.sockets[0].getsockname()[1]
    try:
        yield model
    finally:
        server.close()
        await model.close_connections()
        await server.wait_closed()
