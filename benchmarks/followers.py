"""Idle followers: many streams of one run whose model does not answer, and what each costs."""

import asyncio
import resource
from contextlib import AsyncExitStack
from typing import cast
from uuid import uuid4

from benchmarks.load import LOOPBACK, ONE_ANSWER, RUNS, STREAM, exchange, http_request, run_body
from benchmarks.processes import cpu_seconds, resident_mb
from msgspec import Struct

COUNT = 1000
WATCHED_S = 5.0
OPEN_LIMIT_S = 60.0
OPENED_AT_ONCE = 32
SILENT_MODEL = "[[delay=600000]]"
KB_PER_MB = 1024


class IdleFollowers(Struct, frozen=True):
    """What the streams cost together, divided by their number."""

    count: int
    kb_each: float
    cpu_share: float
    """CPU of the server while nothing happens, of one core."""


class _Follower(asyncio.Protocol):
    def __init__(self, request: bytes) -> None:
        self._request = request
        self.started = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        cast("asyncio.Transport", transport).write(self._request)

    def data_received(self, data: bytes) -> None:
        if b"RUN_STARTED" in data and not self.started.done():
            self.started.set_result(None)

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.started.done():
            self.started.set_exception(exc or ConnectionError("the stream ended at once"))


def allow_many_sockets() -> None:
    """Raise the limit of open files for this process and its children."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


async def measure_followers(port: int, pid: int, token: str) -> IdleFollowers:
    """Follow one silent run with many streams, look at the server's meters, cancel the run."""
    thread, key = str(uuid4()), str(uuid4())
    body = run_body(thread, key, SILENT_MODEL)
    post = http_request("POST", RUNS, accept="application/json", body=body, token=token)
    await exchange(port, post, ONE_ANSWER)
    path = f"{RUNS}/{thread}/events?runId={key}"
    follow = http_request("GET", path, accept=STREAM, token=token)
    before = resident_mb([pid])
    async with AsyncExitStack() as streams:
        await _open(port, follow, streams)
        grown, began = resident_mb([pid]) - before, cpu_seconds([pid])
        await asyncio.sleep(WATCHED_S)
        share = (cpu_seconds([pid]) - began) / WATCHED_S
    cancel = http_request(
        "POST", f"{RUNS}/{thread}/cancel?runId={key}", accept="application/json", token=token
    )
    await exchange(port, cancel, ONE_ANSWER)
    return IdleFollowers(COUNT, grown * KB_PER_MB / COUNT, share)


async def _open(port: int, request: bytes, streams: AsyncExitStack) -> None:
    loop, places = asyncio.get_running_loop(), asyncio.Semaphore(OPENED_AT_ONCE)

    async def follow() -> None:
        async with places:
            transport, follower = await loop.create_connection(
                lambda: _Follower(request), LOOPBACK, port
            )
            streams.callback(transport.abort)
            await follower.started

    async with asyncio.timeout(OPEN_LIMIT_S), asyncio.TaskGroup() as tasks:
        for _ in range(COUNT):
            tasks.create_task(follow())
