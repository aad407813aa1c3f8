"""The load client: closed loop, raw sockets, markers counted in bytes instead of parsing.

A client that parsed every frame would cost more than the servers it measures. Every request
has a connection of its own, the dearer case. The clock is not the event loop's, which counts
whole milliseconds.
"""

import asyncio
import itertools
from collections.abc import Callable, Coroutine, Sequence
from time import perf_counter
from typing import cast
from uuid import uuid4

from msgspec import Struct, field

from yarrow.kit.json import encode_json

LOOPBACK = "127.0.0.1"
RUNS = "/api/v1/agent/runs"
LONGEST_RUN_S = 60.0
KEPT_BYTES = 2048
STREAM = "text/event-stream"


class Markers(Struct, frozen=True):
    """What to look for in a stream."""

    token: bytes
    end: bytes


AGUI = Markers(token=b'"TEXT_MESSAGE_CONTENT"', end=b'"RUN_FINISHED"')
OPENAI = Markers(token=b'"content":"tok', end=b"[DONE]")
ONE_ANSWER = Markers(token=b"\x00", end=b"\x00")


class Exchange(asyncio.Protocol):
    """One request and its answer, timed."""

    def __init__(self, request: bytes, markers: Markers) -> None:
        loop = asyncio.get_running_loop()
        self._request, self._markers = request, markers
        self._transport: asyncio.Transport
        self._carry = b""
        self._longest = max(len(markers.token), len(markers.end)) - 1
        self.done: asyncio.Future[None] = loop.create_future()
        self.head = b""
        self.first_token_at = 0.0
        self.tokens = 0
        self.ended = False

    @property
    def status(self) -> int:
        return int(self.head[9:12] or 0)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        if len(self.head) < KEPT_BYTES:
            self.head += data
        seen = self._carry + data
        found = seen.count(self._markers.token)
        if found:
            self.first_token_at = self.first_token_at or perf_counter()
            self.tokens += found
        if self._markers.end in seen:
            self.ended = True
        self._carry = self._unfinished(seen)
        if data.endswith(b"0\r\n\r\n"):
            self._transport.close()

    def _unfinished(self, seen: bytes) -> bytes:
        """The tail that may be the beginning of a marker, without one that was counted."""
        last = seen.rfind(self._markers.token)
        start = max(len(seen) - self._longest, last + len(self._markers.token) if last >= 0 else 0)
        return seen[start:]

    def connection_lost(self, exc: Exception | None) -> None:
        del exc
        if not self.done.done():
            self.done.set_result(None)


async def exchange(port: int, request: bytes, markers: Markers) -> Exchange:
    """Send a request on a new connection and wait for the end of its answer."""
    loop = asyncio.get_running_loop()
    transport, answer = await loop.create_connection(
        lambda: Exchange(request, markers), LOOPBACK, port
    )
    try:
        async with asyncio.timeout(LONGEST_RUN_S):
            await answer.done
    finally:
        transport.abort()
    return answer


def http_request(
    method: str, path: str, *, accept: str, body: bytes = b"", token: str = ""
) -> bytes:
    """A request as bytes."""
    head = f"{method} {path} HTTP/1.1\r\nhost: {LOOPBACK}\r\naccept: {accept}\r\n"
    head += "connection: close\r\n"
    if token:
        head += f"authorization: Bearer {token}\r\n"
    if body:
        head += f"content-type: application/json\r\ncontent-length: {len(body)}\r\n"
    return head.encode() + b"\r\n" + body


def run_body(thread: str, run: str, text: str) -> bytes:
    """A `RunAgentInput` with one user message."""
    return encode_json(
        {
            "threadId": thread,
            "runId": run,
            "state": {},
            "messages": [{"id": f"{run}-1", "role": "user", "content": text}],
            "tools": [],
            "context": [],
            "forwardedProps": {},
        }
    )


class RunTimes(Struct, frozen=True):
    """One run as its client saw it."""

    first_token_s: float
    tokens: int


class BrokenRun(Exception):
    """A run that did not stream to its end."""


Runner = Callable[[str], Coroutine[None, None, RunTimes]]
"""Does one run with this prompt."""


def _times(began: float, answer: Exchange) -> RunTimes:
    if answer.status != 200 or not answer.ended or not answer.tokens:
        raise BrokenRun(answer.head.decode(errors="replace"))
    return RunTimes(answer.first_token_at - began, answer.tokens)


def ask_model(port: int) -> Runner:
    """The model itself: what all others are measured against."""

    async def run(text: str) -> RunTimes:
        asked = {"model": "stub", "stream": True, "messages": [{"role": "user", "content": text}]}
        request = http_request(
            "POST", "/v1/chat/completions", accept=STREAM, body=encode_json(asked)
        )
        began = perf_counter()
        return _times(began, await exchange(port, request, OPENAI))

    return run


def one_request(port: int, *, path: str = "/", tokens: Sequence[str] = ("",)) -> Runner:
    """Post a run and read its events from the answer."""
    callers = itertools.cycle(tokens)

    async def run(text: str) -> RunTimes:
        body = run_body(str(uuid4()), str(uuid4()), text)
        request = http_request("POST", path, accept=STREAM, body=body, token=next(callers))
        began = perf_counter()
        return _times(began, await exchange(port, request, AGUI))

    return run


def two_requests(port: int, *, tokens: Sequence[str]) -> Runner:
    """Post a run, and follow its events with a second request."""
    callers = itertools.cycle(tokens)

    async def run(text: str) -> RunTimes:
        token, thread, key = next(callers), str(uuid4()), str(uuid4())
        body = run_body(thread, key, text)
        post = http_request("POST", RUNS, accept="application/json", body=body, token=token)
        path = f"{RUNS}/{thread}/events?runId={key}"
        follow = http_request("GET", path, accept=STREAM, token=token)
        began = perf_counter()
        accepted = await exchange(port, post, ONE_ANSWER)
        if accepted.status != 202:
            raise BrokenRun(accepted.head.decode(errors="replace"))
        return _times(began, await exchange(port, follow, AGUI))

    return run


class Slice(Struct):
    """What came of one stretch of load."""

    seconds: float
    runs: list[RunTimes] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)

    @property
    def tokens(self) -> int:
        return sum(run.tokens for run in self.runs)


async def drive(
    runner: Runner, *, clients: int, runs: int, limit_s: float, text: str = "hello there"
) -> Slice:
    """Keep so many clients busy until the count is reached or the time is up."""
    began = perf_counter()
    left = iter(range(runs))
    result = Slice(seconds=0.0)

    async def client() -> None:
        for _ in left:
            if perf_counter() > began + limit_s:
                return
            try:
                result.runs.append(await runner(text))
            except (BrokenRun, OSError, TimeoutError) as broken:
                result.broken.append(repr(broken))

    async with asyncio.TaskGroup() as tasks:
        for _ in range(clients):
            tasks.create_task(client())
    result.seconds = perf_counter() - began
    return result


def percentile(values: Sequence[float], share: float) -> float:
    """The value that this share of them does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else float("nan")
