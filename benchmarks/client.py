"""A client that does not give up: it repeats posts and resumes streams until the run ended."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import suppress
from time import perf_counter
from uuid import uuid4

import aiohttp
from benchmarks.deployment import Account
from benchmarks.load import RUNS, STREAM, run_body
from msgspec import Struct, field
from tests.loose_json import JsonObject, decode_json

from yarrow.kit.json import encode_json

PATIENCE_S = 40.0
"""A run that has not ended by then is stuck."""
PAUSE_S = 0.05
LOST = (aiohttp.ClientError, ConnectionError, TimeoutError)
TERMINAL = ("RUN_FINISHED", "RUN_ERROR")
CANCELLED = "AGENT_RUN_CANCELED"


class Wish(Struct, frozen=True):
    """A run to ask for; repeating it asks for the same run."""

    text: str
    thread: str = field(default_factory=lambda: str(uuid4()))
    key: str = field(default_factory=lambda: f"run-{uuid4().hex[:12]}")
    path: str = RUNS
    """Where it is posted: the agent may be part of it."""

    @property
    def body(self) -> bytes:
        return run_body(self.thread, self.key, self.text)


class Frame(Struct, frozen=True):
    """One event as it arrived."""

    id: int
    data: JsonObject
    at: float

    @property
    def type(self) -> str:
        return str(self.data["type"])

    @property
    def restarts(self) -> bool:
        return self.data.get("name") == "RUN_RESTARTED"


class Refused(Exception):
    """The server answered, and the answer is no."""

    def __init__(self, status: int, body: str) -> None:
        super().__init__(f"{status} {body[:300]}")
        self.status = status


class Stuck(Exception):
    """A run did not end in time."""


class Client:
    """One account's way to one or more servers; requests go to them in turn."""

    def __init__(self, http: aiohttp.ClientSession, account: Account, *urls: str) -> None:
        self.account = account
        self._http = http
        self._urls = urls
        self._turn = 0

    def url(self) -> str:
        """The next server's address."""
        self._turn += 1
        return self._urls[self._turn % len(self._urls)]

    async def post(self, wish: Wish) -> JsonObject:
        """Ask for the run once."""
        headers = {**self.account.headers, "content-type": "application/json"}
        url = self.url() + wish.path
        async with self._http.post(url, data=wish.body, headers=headers) as answer:
            text = await answer.text()
            if answer.status != 202:
                raise Refused(answer.status, text)
            accepted: JsonObject = decode_json(text)
            return accepted

    async def submit(self, wish: Wish) -> JsonObject:
        """Ask for the run until it is accepted; a server that is away is waited for."""
        deadline = perf_counter() + PATIENCE_S
        while perf_counter() < deadline:
            try:
                return await self.post(wish)
            except Refused as refused:
                if refused.status < 500:
                    raise
            except LOST:
                pass
            await asyncio.sleep(PAUSE_S)
        raise Stuck(f"{wish.key} was not accepted")

    async def cancel(self, wish: Wish) -> bool:
        """Ask for the run's end; whether there was something left to end."""
        url = f"{self.url()}{RUNS}/{wish.thread}/cancel"
        headers = self.account.headers
        async with self._http.post(url, params={"runId": wish.key}, headers=headers) as answer:
            if answer.status != 200:
                raise Refused(answer.status, await answer.text())
            return bool((await answer.json())["accepted"])

    async def call(
        self,
        method: str,
        path: str,
        *,
        data: aiohttp.FormData | None = None,
        body: JsonObject | None = None,
        key: str = "",
    ) -> tuple[int, JsonObject]:
        """Any other request of the account; `body` is sent as JSON, `key` makes it repeatable."""
        headers = self.account.headers | ({"Idempotency-Key": key} if key else {})
        async with self._http.request(
            method, self.url() + path, data=data, json=body, headers=headers
        ) as a:
            return a.status, decode_json(await a.read())

    async def fetch(self, address: str) -> bytes | None:
        """A file, by its path or its whole address; None if it is not there."""
        url = self.url() + address if address.startswith("/") else address
        async with self._http.get(url, headers=self.account.headers) as answer:
            return await answer.read() if answer.status == 200 else None

    async def watch(self, wish: Wish, *, seen: list[Frame] | None = None) -> list[Frame]:
        """Follow the run to its end over as many connections as it takes."""
        frames = seen if seen is not None else []
        deadline = perf_counter() + PATIENCE_S
        while perf_counter() < deadline:
            with suppress(*LOST):
                async with asyncio.timeout(deadline - perf_counter()):
                    async for frame in self.stream(wish, after=frames[-1].id if frames else 0):
                        frames.append(frame)
            if frames and frames[-1].type in TERMINAL:
                return frames
            await asyncio.sleep(PAUSE_S)
        raise Stuck(f"{wish.key} has {len(frames)} events and no end after {PATIENCE_S:.0f} s")

    async def stream(self, wish: Wish, *, after: int) -> AsyncGenerator[Frame, None]:
        """The run's frames behind a place, over one connection."""
        url = f"{self.url()}{RUNS}/{wish.thread}/events"
        headers = {**self.account.headers, "accept": STREAM}
        if after:
            headers["last-event-id"] = str(after)
        async with self._http.get(url, params={"runId": wish.key}, headers=headers) as answer:
            if answer.status >= 500:
                return
            if answer.status != 200:
                raise Refused(answer.status, await answer.text())
            async for frame in frames_of(answer):
                yield frame

    async def stream_post(self, wish: Wish) -> AsyncGenerator[Frame, None]:
        """Ask for the run and read its frames from the same answer."""
        headers = {**self.account.headers, "accept": STREAM, "content-type": "application/json"}
        url = self.url() + RUNS
        async with self._http.post(url, data=wish.body, headers=headers) as answer:
            if answer.status != 200:
                raise Refused(answer.status, await answer.text())
            async for frame in frames_of(answer):
                yield frame


async def frames_of(answer: aiohttp.ClientResponse) -> AsyncIterator[Frame]:
    """Frames as they arrive; half of one at a lost connection counts for nothing."""
    rest = b""
    async for chunk in answer.content.iter_any():
        *blocks, rest = (rest + chunk).split(b"\n\n")
        for block in blocks:
            number, newline, data = block.partition(b"\n")
            if newline:
                yield Frame(
                    int(number.removeprefix(b"id: ")),
                    decode_json(data.removeprefix(b"data: ")),
                    perf_counter(),
                )


def valid(frames: list[Frame]) -> list[Frame]:
    """The frames behind the last restart; all, if there was none."""
    void = max(
        (frame.data["value"]["discardedUpToId"] for frame in frames if frame.restarts), default=0
    )
    return [frame for frame in frames if frame.id > void and not frame.restarts]


def said(frames: list[Frame]) -> str:
    """The text a client has at the end: of all frames that no restart declared void."""
    return "".join(
        frame.data["delta"] for frame in valid(frames) if frame.type == "TEXT_MESSAGE_CONTENT"
    )


def number_complaints(wish: Wish, frames: list[Frame]) -> list[str]:
    """What is wrong with the numbers of frames, over all connections.

    Of several frames of one event only the last has its number, so numbers may repeat, but a
    frame never comes twice, and a restart voids all that came before it.
    """
    found = []
    numbers = [frame.id for frame in frames]
    if numbers != sorted(numbers):
        found.append(f"{wish.key}: frames out of order: {numbers}")
    shown = [(frame.id, encode_json(frame.data)) for frame in frames]
    if len(set(shown)) != len(shown):
        found.append(f"{wish.key}: a frame came twice: {numbers}")
    for place, frame in enumerate(frames):
        if frame.restarts and place and frame.data["value"]["discardedUpToId"] < numbers[place - 1]:
            found.append(f"{wish.key}: the restart {frame.data} leaves {numbers[place - 1]} valid")
    return found


def replay_complaints(wish: Wish, frames: list[Frame], replayed: list[Frame]) -> list[str]:
    """How what a client has differs from what a new client gets of the ended run."""
    ours = [(frame.id, frame.data) for frame in valid(frames) if frame.type != "RUN_STARTED"]
    theirs = [(frame.id, frame.data) for frame in valid(replayed) if frame.type != "RUN_STARTED"]
    if ours == theirs:
        return []
    return [f"{wish.key}: a client has {ours}, a replay gives {theirs}"]


def complaints(wish: Wish, frames: list[Frame], expected: str) -> list[str]:
    """What is wrong with a run as its client saw it."""
    found = number_complaints(wish, frames)
    types = [frame.type for frame in frames]
    if types.count("RUN_STARTED") != 1 or types[0] != "RUN_STARTED":
        found.append(f"{wish.key}: does not start once: {types}")
    if sum(types.count(end) for end in TERMINAL) != 1:
        found.append(f"{wish.key}: does not end once: {types}")
    if types[-1] == "RUN_FINISHED" and said(frames) != expected:
        found.append(f"{wish.key}: said {said(frames)!r}")
    if types[-1] == "RUN_ERROR" and frames[-1].data["code"] != CANCELLED:
        found.append(f"{wish.key}: nothing was wrong with it, and it failed: {frames[-1].data}")
    return found
