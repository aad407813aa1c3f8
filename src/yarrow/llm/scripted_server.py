"""A small OpenAI-compatible server on loopback that is controlled by the prompt.

    python -m yarrow.llm.scripted_server --port 9100 --tokens 50 --delay 10

`POST …/chat/completions`, `GET …/models`, and `GET /stats` with the counters `requests`,
`active`, `aborted` (the client disconnected before the end) and `tokens`. One write per token, as a
model would stream. For tests, examples and benchmarks; it has no authentication, so it listens on
127.0.0.1 only.

Without a directive it repeats the last user message, or sends `--tokens` tokens. The last user
message may hold directives in double brackets, several of them, anywhere in the text:

    [[tokens=200 delay=20]]   200 tokens, 20 ms apart
    [[say=some text]]         this text; it may be JSON
    [[reasoning=some text]]   reasoning before the answer
    [[tool=name {"a":1}]]     call this tool; several such directives: several calls at once
    [[status=500]]            this status; 429 and 503 send a Retry-After of [[retry=3]] s
    [[finish=length]]         the finish reason to send: length, content_filter, …
    [[usage={"a":1}]]         this JSON as `usage` instead of the real counts
    [[cut=5]]                 drop the connection after 5 tokens
    [[hang]] [[hang=5]]       send nothing at all, or nothing more after 5 tokens
    [[error=5]]               an error object in the stream after 5 tokens
    [[garbage=5]]             an unreadable event after 5 tokens
    [[whole]]                 one JSON completion although a stream was asked for

When the last message is a tool's result, tools are not called again: the answer says what the
tool said, so that every tool loop ends. `ScriptedServer.play` queues plans for a test whose
prompts are not its own: each request takes the next one before directives are looked at.
"""

import argparse
import asyncio
import signal
from collections import deque
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress

import msgspec
import uvloop
from msgspec import Struct
from msgspec.structs import asdict

from yarrow.kit.json import JsonObject, JsonValue, decode_json, encode_json
from yarrow.llm.scripted_directives import AnswerPlan
from yarrow.llm.scripted_reply import build_message, plan_reply, split_deltas

_LOOPBACK = "127.0.0.1"
_STREAM_HEAD = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
)
_DONE = b"data: [DONE]\n\n"
_BURST = 8
"""Tokens written before other connections are served, when there is no delay."""


class ReceivedRequest(Struct, frozen=True):
    """One HTTP request."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> JsonObject:
        return msgspec.json.decode(self.body, type=JsonObject)


class ServerStats(Struct):
    """Counters since the start."""

    requests: int = 0
    active: int = 0
    aborted: int = 0
    tokens: int = 0


class ScriptedServer:
    """The server; `received` has the last completion requests."""

    def __init__(self, default: AnswerPlan) -> None:
        self.stats = ServerStats()
        self.received: deque[ReceivedRequest] = deque(maxlen=32)
        self.port = 0
        self._default = default
        self._queue: deque[AnswerPlan] = deque()
        self._connections: set[asyncio.Task[None]] = set()

    @property
    def base_url(self) -> str:
        return f"http://{_LOOPBACK}:{self.port}/v1"

    def play(self, *plans: AnswerPlan) -> None:
        """Answer the next requests by these plans; those left from before are dropped."""
        self._queue = deque(plans)

    async def serve_connection(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Serve one connection until either side ends it."""
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            reusable = True
            while reusable:
                request = await _read_request(reader)
                reusable = await self._serve_request(request, reader=reader, writer=writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # the client disconnected
        finally:
            self._connections.discard(task)
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()

    async def close_connections(self) -> None:
        """Close all connections."""
        connections = list(self._connections)
        for task in connections:
            task.cancel()
        await asyncio.gather(*connections, return_exceptions=True)

    async def _serve_request(
        self,
        request: ReceivedRequest,
        *,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> bool:
        """Answer; return whether the connection can be reused."""
        if request.path == "/stats":
            writer.write(_build_json_response(200, asdict(self.stats)))
            return True
        if request.path.endswith("/models"):
            writer.write(
                _build_json_response(200, {"object": "list", "data": [{"id": "scripted"}]})
            )
            return True
        self.received.append(request)
        self.stats.requests += 1
        self.stats.active += 1
        try:
            return await _run_until_disconnect(self._send_completion(request.json, writer), reader)
        except (_Disconnected, ConnectionError):
            self.stats.aborted += 1
            return False
        finally:
            self.stats.active -= 1

    async def _send_completion(self, body: JsonObject, writer: asyncio.StreamWriter) -> bool:
        plan = self._queue.popleft() if self._queue else self._plan_answer(body)
        if plan.hang_after == 0:
            await asyncio.Event().wait()
        if plan.status != 200:
            writer.write(_build_failure(plan))
            return True
        if plan.whole or not body.get("stream"):
            writer.write(_build_json_response(200, _build_completion(plan)))
            return True
        return await self._stream_answer(plan, writer)

    def _plan_answer(self, body: JsonObject) -> AnswerPlan:
        try:
            messages = msgspec.convert(body.get("messages", []), list[JsonObject])
            return plan_reply(messages, default=self._default)
        except (ValueError, msgspec.ValidationError):
            return AnswerPlan(status=400)

    async def _stream_answer(self, plan: AnswerPlan, writer: asyncio.StreamWriter) -> bool:
        loop = asyncio.get_running_loop()
        writer.write(_STREAM_HEAD)
        started, sent = loop.time(), 0
        for sent, delta in enumerate(split_deltas(plan), start=1):
            if not await _continue_or_fail(plan, sent - 1, writer):
                return False
            if plan.delay_ms:
                due = started + sent * plan.delay_ms / 1000
                await asyncio.sleep(max(0.0, due - loop.time()))
            elif sent % _BURST == 0:
                await asyncio.sleep(0)
            writer.write(_encode_event({"choices": [{"index": 0, "delta": delta}]}))
            await writer.drain()
            self.stats.tokens += 1
        usage = _build_usage(plan, sent)
        writer.write(
            _encode_event(
                {
                    "choices": [
                        {"index": 0, "delta": {}, "finish_reason": _choose_finish_reason(plan)}
                    ]
                }
            )
            + _encode_event({"choices": [], "usage": usage})
            + _encode_http_chunk(_DONE)
            + b"0\r\n\r\n"
        )
        await writer.drain()
        return True


@asynccontextmanager
async def serve_scripted(
    port: int = 0, *, default: AnswerPlan | None = None
) -> AsyncIterator[ScriptedServer]:
    """A running server; port 0 takes a free one."""
    scripted = ScriptedServer(default or AnswerPlan())
    server = await asyncio.start_server(
        scripted.serve_connection, _LOOPBACK, port, limit=64 << 20, backlog=1024
    )
    scripted.port = server.sockets[0].getsockname()[1]
    try:
        yield scripted
    finally:
        server.close()
        await scripted.close_connections()
        await server.wait_closed()


class _Disconnected(Exception):
    """The client disconnected before the answer was complete."""


async def _run_until_disconnect(
    answer: Coroutine[None, None, bool], reader: asyncio.StreamReader
) -> bool:
    """Run the answer; cancel it when the client disconnects."""
    answering = asyncio.ensure_future(answer)
    leaving = asyncio.ensure_future(reader.read(1))
    try:
        await asyncio.wait({answering, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not answering.done():
            raise _Disconnected
        return answering.result()
    finally:
        answering.cancel()
        leaving.cancel()
        await asyncio.gather(answering, leaving, return_exceptions=True)


async def _continue_or_fail(plan: AnswerPlan, sent: int, writer: asyncio.StreamWriter) -> bool:
    """Whether the stream continues after `sent` tokens; otherwise the planned fault was sent."""
    if sent == plan.hang_after:
        await asyncio.Event().wait()
    if sent == plan.error_after:
        writer.write(_encode_event({"error": {"code": 503, "message": "scripted failure"}}))
        return False
    if sent == plan.garbage_after:
        writer.write(_encode_http_chunk(b'data: {"choices": [{"delta"\n\n'))
        return False
    return sent != plan.cut_after


async def _read_request(reader: asyncio.StreamReader) -> ReceivedRequest:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    path = head[0].split(" ")[1]
    pairs = (line.partition(":") for line in head[1:] if line)
    headers = {name.lower(): value.strip() for name, _, value in pairs}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return ReceivedRequest(path, headers, body)


def _encode_http_chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


def _encode_event(value: JsonObject) -> bytes:
    return _encode_http_chunk(b"data: " + encode_json(value) + b"\n\n")


def _build_json_response(status: int, value: JsonObject, *, extra: str = "") -> bytes:
    body = encode_json(value)
    head = (
        f"HTTP/1.1 {status} Scripted\r\ncontent-type: application/json\r\n"
        f"content-length: {len(body)}\r\n{extra}\r\n"
    )
    return head.encode("latin-1") + body


def _build_failure(plan: AnswerPlan) -> bytes:
    extra = f"retry-after: {plan.retry_after}\r\n" if plan.status in (429, 503) else ""
    return _build_json_response(
        plan.status, {"error": {"message": "scripted failure"}}, extra=extra
    )


def _build_completion(plan: AnswerPlan) -> JsonObject:
    answer, sent = build_message(plan), sum(1 for _ in split_deltas(plan))
    usage = _build_usage(plan, sent)
    choice: JsonObject = {
        "index": 0,
        "message": answer,
        "finish_reason": _choose_finish_reason(plan),
    }
    return {"object": "chat.completion", "choices": [choice], "usage": usage}


def _build_usage(plan: AnswerPlan, sent: int) -> JsonValue:
    if plan.usage:
        return decode_json(plan.usage)
    return {"prompt_tokens": 10, "completion_tokens": sent, "total_tokens": sent + 10}


def _choose_finish_reason(plan: AnswerPlan) -> str:
    return plan.finish or ("tool_calls" if plan.tools else "stop")


async def _serve_until_signal(port: int, default: AnswerPlan) -> None:
    async with serve_scripted(port, default=default) as server:
        print(f"scripted model at {server.base_url}", flush=True)  # noqa: T201  its user waits for it
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stop.set)
        await stop.wait()


def main() -> None:
    """Serve until SIGINT or SIGTERM."""
    parser = argparse.ArgumentParser(prog="python -m yarrow.llm.scripted_server")
    parser.add_argument("--port", type=int, default=9100)
    parser.add_argument("--tokens", type=int, help="tokens per answer; unset: repeat the question")
    parser.add_argument("--delay", type=float, default=0.0, help="milliseconds between tokens")
    options = parser.parse_args()
    uvloop.run(
        _serve_until_signal(options.port, AnswerPlan(tokens=options.tokens, delay_ms=options.delay))
    )


if __name__ == "__main__":
    main()
