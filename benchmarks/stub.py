"""A model that costs almost nothing: canned tokens over raw asyncio, one write for each.

    python -m benchmarks.stub --port 9100 --tokens 50

`POST …/chat/completions` streams; a prompt with `[[delay=20]]` gets its tokens 20 ms apart.
Without a delay, tokens of one turn of the event loop leave together, five at most. Nothing is
parsed and nothing is encoded per request, so that what a benchmark sees is the server in front
of it. It listens on 127.0.0.1 only.
"""

import argparse
import asyncio
import re
from collections.abc import Callable, Coroutine, Sequence
from typing import cast

import uvloop
from tests.loose_json import JsonObject

from yarrow.kit.json import encode_json

LOOPBACK = "127.0.0.1"
BURST = 5
"""Tokens between two turns of the other connections, when there is no delay."""

_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
_LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)
_DELAY = re.compile(rb"\[\[delay=([\d.]+)\]\]")


Respond = Callable[[bytes, asyncio.Transport], Coroutine[None, None, None]]
"""Writes the answer to the request with this body."""


def _piece(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


def _event(delta: JsonObject, reason: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    chunk = {"id": "stub", "object": "chat.completion.chunk", "model": "stub", "choices": [choice]}
    return _piece(b"data: " + encode_json(chunk) + b"\n\n")


class Script:
    """The bytes of an answer, made once."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self.head = _HEAD + _event({"role": "assistant", "content": ""})
        self.tokens = [_event({"content": token}) for token in tokens]
        count = len(tokens)
        usage = {"prompt_tokens": 10, "completion_tokens": count, "total_tokens": count + 10}
        counted = _piece(b"data: " + encode_json({"choices": [], "usage": usage}) + b"\n\n")
        end = _piece(b"data: [DONE]\n\n") + b"0\r\n\r\n"
        self.tail = _event({}, "stop") + counted + end

    async def stream(self, transport: asyncio.Transport, delay_s: float) -> None:
        """Write the answer, its tokens so far apart."""
        loop = asyncio.get_running_loop()
        transport.write(self.head)
        began = loop.time()
        for sent, token in enumerate(self.tokens, start=1):
            if delay_s:
                await asyncio.sleep(max(0.0, began + sent * delay_s - loop.time()))
            elif sent % BURST == 0:
                await asyncio.sleep(0)
            transport.write(token)
        transport.write(self.tail)


class Connection(asyncio.Protocol):
    """One client; it may ask again on the same connection."""

    def __init__(self, respond: Respond) -> None:
        self._respond = respond
        self._received = bytearray()
        self._transport: asyncio.Transport
        self._answer: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, found, rest = bytes(self._received).partition(b"\r\n\r\n")
        length = _LENGTH.search(head)
        if not found or len(rest) < int(length[1] if length else 0):
            return
        self._received.clear()
        self._answer = asyncio.create_task(self._respond(rest, self._transport))

    def connection_lost(self, exc: Exception | None) -> None:
        del exc
        if self._answer is not None:
            self._answer.cancel()


async def serve(port: int, respond: Respond) -> None:
    """Answer until the process is told to stop."""
    server = await asyncio.get_running_loop().create_server(
        lambda: Connection(respond), LOOPBACK, port, backlog=4096
    )
    async with server:
        await server.serve_forever()


def main() -> None:
    """Serve until a signal ends the process."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.stub")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--tokens", type=int, default=50)
    options = parser.parse_args()
    script = Script([f"tok{place % 100:02d} " for place in range(options.tokens)])

    async def respond(body: bytes, transport: asyncio.Transport) -> None:
        delay = _DELAY.search(body)
        await script.stream(transport, float(delay[1]) / 1000 if delay else 0.0)

    uvloop.run(serve(options.port, respond))


if __name__ == "__main__":
    main()
