"""The product as its users run it: real processes on one data dir, accounts made over HTTP."""

import asyncio
import shutil
import signal
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from pathlib import Path
from uuid import uuid4

import aiohttp
import psutil
from benchmarks.processes import (
    LOOPBACK,
    PYTHON,
    START_LIMIT_S,
    STOP_LIMIT_S,
    Child,
    free_port,
    send,
    start,
    tail,
)
from msgspec import Struct, field
from tests.loose_json import JsonObject

from yarrow.db import Database, open_database
from yarrow.db.embedded.server import find_postmaster_pid, list_postgres_pids
from yarrow.points.adjust import adjust_points

YARROW = str(Path(PYTHON).with_name("yarrow"))
SIGNUP_POINTS = 100
MISHAPS = ('"level":"error"', "deadlock detected", "never retrieved")


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder on disk that is gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="yarrow-bench-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class Server(Struct, frozen=True):
    """A process that serves the API."""

    child: Child
    port: int

    @property
    def url(self) -> str:
        return f"http://{LOOPBACK}:{self.port}"


class Account(Struct, frozen=True):
    """Someone who may run things."""

    id: str
    email: str
    token: str

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}


class Deployment(Struct):
    """All processes on one data dir; what is started here is stopped with it."""

    folder: Path
    model_url: str
    http: aiohttp.ClientSession
    settings: Mapping[str, str] = field(default_factory=dict)
    children: list[Child] = field(default_factory=list)

    @property
    def data_dir(self) -> Path:
        return self.folder / "data"

    @property
    def log(self) -> Path:
        return self.folder / "server.log"

    async def serve(
        self, *options: str, port: int = 0, settings: Mapping[str, str] | None = None
    ) -> Server:
        """Start `yarrow serve`, with more settings, and wait until it is ready."""
        port = port or free_port()
        child = await self._start("serve", "--port", str(port), *options, settings=settings or {})
        server = Server(child, port)
        await self._wait_ready(server)
        return server

    async def worker(self) -> Child:
        """Start `yarrow worker`; it is ready when its heartbeat is in the database."""
        return await self._start("worker")

    async def _start(
        self, command: str, *options: str, settings: Mapping[str, str] | None = None
    ) -> Child:
        child = await start(
            [YARROW, command, *options, "--data-dir", str(self.data_dir)],
            log=self.log,
            settings={
                "YARROW_AUTH": "jwt",
                "YARROW_LLM_BASE_URL": self.model_url,
                "YARROW_LLM_MODEL": "stub",
                **self.settings,
                **(settings or {}),
            },
        )
        self.children.append(child)
        return child

    async def _wait_ready(self, server: Server) -> None:
        async with asyncio.timeout(START_LIMIT_S):
            while True:
                if server.child.ended:
                    raise RuntimeError(f"the server ended at once; it said:\n{tail(self.log)}")
                with suppress(aiohttp.ClientError):
                    async with self.http.get(f"{server.url}/healthz") as answer:
                        if answer.status == 200:
                            return
                await asyncio.sleep(0.02)

    async def dsn(self) -> str:
        """Where the database is, in the words of the product's own command."""
        process = await asyncio.create_subprocess_exec(
            *(YARROW, "db", "url", "--data-dir", str(self.data_dir)),
            stdout=asyncio.subprocess.PIPE,
        )
        printed, _ = await process.communicate()
        return printed.decode().strip()

    async def account(self, server: Server, database: Database, *, points: int) -> Account:
        """Sign up, and move the account to so many points."""
        email = f"{uuid4().hex}@example.com"
        body = {"email": email, "password": "correct horse battery"}
        async with self.http.post(f"{server.url}/api/v1/auth/signup", json=body) as answer:
            made: JsonObject = await answer.json()
            if answer.status != 201:
                raise RuntimeError(f"signup failed: {made}")
        if points != SIGNUP_POINTS:
            delta = points - SIGNUP_POINTS
            await adjust_points(database, email, delta=delta, ticket_id=uuid4().hex)
        return Account(made["user"]["id"], email, made["access_token"])

    def database_pids(self) -> list[int]:
        """The processes of the embedded PostgreSQL."""
        return list_postgres_pids(self.data_dir)

    def mishaps(self) -> list[str]:
        """What the processes themselves call an error, and what PostgreSQL calls a deadlock."""
        logs = (self.log, self.data_dir / "postgres.log")
        lines = [
            line
            for log in logs
            if log.exists()
            for line in log.read_text(errors="replace").splitlines()
        ]
        return [line for line in lines if any(word in line for word in MISHAPS)]

    async def close(self) -> None:
        """Stop everything, the database of a killed server included."""
        await asyncio.gather(*(child.stop() for child in self.children))
        postmaster = find_postmaster_pid(self.data_dir) if self.data_dir.exists() else None
        if postmaster is not None:
            send(postmaster, signal.SIGQUIT)
            await asyncio.to_thread(psutil.Process(postmaster).wait, STOP_LIMIT_S)


@asynccontextmanager
async def deployed(
    folder: Path, model_url: str, settings: Mapping[str, str] | None = None
) -> AsyncIterator[Deployment]:
    """A place to start processes in; none of them outlives the block."""
    async with AsyncExitStack() as stack:
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=5)
        connector = aiohttp.TCPConnector(limit=0, force_close=True)
        http = await stack.enter_async_context(
            aiohttp.ClientSession(timeout=timeout, connector=connector)
        )
        deployment = Deployment(folder, model_url, http, settings or {})
        stack.push_async_callback(_close_shielded, deployment)
        yield deployment


async def _close_shielded(deployment: Deployment) -> None:
    await asyncio.shield(deployment.close())


@asynccontextmanager
async def opened(deployment: Deployment) -> AsyncIterator[Database]:
    """The deployment's database, to look into it and to give points."""
    async with open_database(await deployment.dsn(), size=4) as database:
        yield database
