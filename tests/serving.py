"""The product over real HTTP in this process, and a client that speaks to it."""

import asyncio
import random
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from uuid import uuid4

import aiohttp
import uvicorn
from argon2 import PasswordHasher
from benchmarks.invariants import broken_rules
from msgspec import Struct, field
from tests.loose_json import JsonObject, decode_json
from tests.waiting import PATIENCE_S

from yarrow.app import build_app
from yarrow.db import Database
from yarrow.llm.scripted import ScriptedModel
from yarrow.points.adjust import grant_points
from yarrow.product import Product, open_product
from yarrow.sandbox.fork_servers import IsolationProbe, probe_isolation
from yarrow.sandbox.sandbox import Sandbox
from yarrow.settings import AuthMode, Settings
from yarrow.speech.recogniser import Recogniser

CHEAP = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
RUNS = "/api/v1/agent/runs"
SERVER_PORTS = range(20_000, 32_000)


class Frame(Struct):
    """One server-sent event."""

    id: int
    data: JsonObject

    @property
    def type(self) -> str:
        return str(self.data["type"])


class Caller(Struct):
    """An account with its token."""

    url: str
    http: aiohttp.ClientSession
    id: str
    email: str
    headers: dict[str, str] = field(default_factory=dict)

    async def get(self, path: str, **params: str) -> tuple[int, JsonObject]:
        return await self.send("GET", path, params=params)

    async def post(self, path: str, body: object = None, **params: str) -> tuple[int, JsonObject]:
        return await self.send("POST", path, json=body, params=params)

    async def send(self, method: str, path: str, **kwargs) -> tuple[int, JsonObject]:
        kwargs.setdefault("headers", self.headers)
        async with self.http.request(method, self.url + path, **kwargs) as answer:
            body = await answer.read()
            return answer.status, decode_json(body) if body else {}

    async def submit(self, body: JsonObject) -> JsonObject:
        status, answer = await self.post(RUNS, body)
        assert status == 202, answer
        return answer

    async def events(
        self, thread: str, run: str, *, after: int = 0, profile: str = "seed"
    ) -> list[Frame]:
        """All frames of a run up to its end."""
        return [f async for f in self.follow(thread, run, after=after, profile=profile)]

    async def follow(
        self, thread: str, run: str, *, after: int = 0, profile: str = "seed"
    ) -> AsyncIterator[Frame]:
        headers = self.headers | ({"Last-Event-ID": str(after)} if after else {})
        url = f"{self.url}{RUNS}/{thread}/events"
        params = {"runId": run, "profile": profile}
        async with self.http.get(url, headers=headers, params=params) as answer:
            assert answer.status == 200, await answer.text()
            async for frame in frames_of(answer):
                yield frame

    async def points(self) -> JsonObject:
        return (await self.get("/api/v1/points"))[1]


async def frames_of(answer: aiohttp.ClientResponse) -> AsyncIterator[Frame]:
    """The frames of a stream, read strictly: LF framing, an id on each."""
    buffer = b""
    async for chunk in answer.content.iter_any():
        buffer += chunk
        *blocks, buffer = buffer.split(b"\n\n")
        for block in blocks:
            if block.startswith(b":"):
                continue
            number, data = block.split(b"\n")
            assert number.startswith(b"id: ")
            assert data.startswith(b"data: ")
            yield Frame(int(number[4:]), decode_json(data[6:]))
    assert buffer == b""


class Served(Struct):
    """A running product."""

    url: str
    http: aiohttp.ClientSession
    product: Product
    model: ScriptedModel
    requests: set[asyncio.Task[None]]
    """Those that the server is answering, also after their client is gone."""
    accounts: list[str] = field(default_factory=list)
    """The ids of those that were made here."""

    async def account(self, *, points: int = 100) -> Caller:
        """A new account with so many points."""
        email = f"{uuid4().hex}@example.com"
        caller = Caller(self.url, self.http, "", email)
        status, answer = await caller.post(
            "/api/v1/auth/signup", {"email": email, "password": "correct horse"}
        )
        assert status == 201, answer
        caller.id = answer["user"]["id"]
        self.accounts.append(caller.id)
        caller.headers["Authorization"] = f"Bearer {answer['access_token']}"
        if points > 100:
            await grant_points(
                self.product.database, email, amount=points - 100, ticket_id=uuid4().hex
            )
        return caller


def run_body(text: str = "hello", *, thread: str = "", run: str = "", **more) -> JsonObject:
    """A `RunAgentInput` as the seed prints it."""
    return {
        "threadId": thread or str(uuid4()),
        "runId": run or f"run-{uuid4().hex[:8]}",
        "state": {},
        "messages": [{"id": "m1", "role": "user", "content": text}],
        "tools": [],
        "context": [],
        "forwardedProps": {},
        **more,
    }


@contextmanager
def free_port() -> Iterator[socket.socket]:
    # Named TCP, or asyncio leaves Nagle's algorithm on and each answer waits 40 ms.
    with socket.socket(proto=socket.IPPROTO_TCP) as listener:
        _bind_free_port(listener)
        yield listener


def _bind_free_port(listener: socket.socket) -> None:
    """Bind below the ports that the system gives to clients: of those, a connection may take the
    port before the process that a test starts listens there."""
    for _ in SERVER_PORTS:
        with suppress(OSError):
            return listener.bind(("127.0.0.1", random.choice(SERVER_PORTS)))
    raise OSError("no port is free")


@asynccontextmanager
async def serving(
    dsn: str,
    *,
    model: ScriptedModel | None,
    data_dir: Path,
    slots: int = 64,
    recogniser: Recogniser | None = None,
    probe: IsolationProbe = probe_isolation,
    sandbox: Sandbox | None = None,
    **settings,
) -> AsyncIterator[Served]:
    """Serve the product on a free port for the lifetime of the block.

    Without a model, `llm_base_url` of the settings says which endpoint answers.
    """
    settings = {
        "auth": AuthMode.JWT,
        "data_dir": data_dir,
        "drain_s": 0.2,
        # The product's own sweep, every five minutes, leaves uploads that tests made old to them.
        "attachment_keep_h": 10_000,
    } | settings
    configured = Settings(**settings)  # type: ignore[arg-type]
    async with open_product(
        configured,
        dsn,
        slots=slots,
        model=model,
        hasher=CHEAP,
        recogniser=recogniser,
        sandbox=sandbox or Sandbox(configured, probe=probe),
    ) as product:
        with free_port() as listener:
            config = uvicorn.Config(
                build_app(product),
                lifespan="off",
                log_config=None,
                timeout_graceful_shutdown=2,
                timeout_keep_alive=PATIENCE_S,
            )
            server = uvicorn.Server(config)
            task = asyncio.create_task(server._serve(sockets=[listener]))
            while not server.started:
                await asyncio.sleep(0.005)
            url = f"http://127.0.0.1:{listener.getsockname()[1]}"
            timeout = aiohttp.ClientTimeout(total=PATIENCE_S)
            connector = aiohttp.TCPConnector(limit=0)
            async with aiohttp.ClientSession(timeout=timeout, connector=connector) as http:
                try:
                    scripted, requests = model or ScriptedModel(), server.server_state.tasks
                    yield Served(url, http, product, scripted, requests)
                finally:
                    server.should_exit = True
                    await product.stop()
                    await task


async def broken_rules_of(database: Database) -> list[str]:
    """What is wrong with money and logs, in words; nothing is the good answer."""
    async with database.connection() as tx:
        return [str(violation) for violation in await broken_rules(tx)]
