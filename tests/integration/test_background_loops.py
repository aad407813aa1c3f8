"""A background loop that dies ends its process, after a drain and with an exit code.

The loop is killed as an operator could: the database refuses new connections, and the connection
that listens for notifications is terminated. Those of the pool stay.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import uuid4

import asyncpg
import pytest
from benchmarks.deployment import Deployment, deployed
from msgspec import Struct
from tests.loose_json import JsonObject
from tests.serving import RUNS, run_body
from tests.waiting import PATIENCE_S

from yarrow.llm.scripted_server import serve_scripted

DRAIN_S = 4

LISTENERS = """
    SELECT l.pid FROM pg_locks l JOIN pg_database d ON d.oid = l.database
    WHERE d.datname = $1 AND l.locktype = 'advisory' AND l.classid = 2036429426::oid
"""
"""Every listening connection holds the lock of `yarrow.db.notify`."""


class OwnDatabase(Struct):
    """A database of one test on the shared server, and a connection beside it."""

    name: str
    dsn: str
    admin: asyncpg.Connection

    async def kill_listeners(self) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while not (rows := await self.admin.fetch(LISTENERS, self.name)):
                await asyncio.sleep(0.05)
        await self.admin.execute(f"ALTER DATABASE {self.name} ALLOW_CONNECTIONS false")
        for row in rows:
            await self.admin.execute("SELECT pg_terminate_backend($1)", row["pid"])


@pytest.fixture
async def own_database(postgres: str) -> AsyncIterator[OwnDatabase]:
    admin = await asyncpg.connect(postgres)
    name = f"loops_{uuid4().hex}"
    shared = await admin.fetchval("SELECT current_database()")
    await admin.execute(f"CREATE DATABASE {name}")
    yield OwnDatabase(name, postgres.replace(f"/{shared}?", f"/{name}?"), admin)
    await admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
    await admin.close()


@asynccontextmanager
async def deployed_on(database: OwnDatabase, folder: Path) -> AsyncIterator[Deployment]:
    settings = {
        "YARROW_DATABASE_URL": database.dsn,
        "YARROW_AUTH": "off",
        "YARROW_DRAIN_S": str(DRAIN_S),
    }
    async with (
        serve_scripted(0) as model,
        deployed(folder, model.base_url, settings) as deployment,
    ):
        yield deployment


async def healthz(deployment: Deployment, url: str) -> tuple[int, JsonObject]:
    async with deployment.http.get(f"{url}/healthz") as answer:
        return answer.status, await answer.json()


async def test_a_server_with_a_dead_loop_reports_it_drains_and_exits_non_zero(
    own_database: OwnDatabase, tmp_path: Path
) -> None:
    async with deployed_on(own_database, tmp_path) as deployment:
        server = await deployment.serve()
        body = run_body("[[hang=3]]")
        async with deployment.http.post(f"{server.url}{RUNS}", json=body) as answer:
            accepted = await answer.json()

        await own_database.kill_listeners()

        async with asyncio.timeout(PATIENCE_S):
            while (health := await healthz(deployment, server.url)) == (200, {"status": "ok"}):
                await asyncio.sleep(0.02)
            assert health == (503, {"status": "loop died", "loop": "listen"})
            assert await server.child.process.wait() == 1
        assert await run_status(own_database, accepted["taskId"]) == "queued"


async def test_a_worker_with_a_dead_loop_exits_non_zero(
    own_database: OwnDatabase, tmp_path: Path
) -> None:
    async with deployed_on(own_database, tmp_path) as deployment:
        worker = await deployment.worker()

        await own_database.kill_listeners()

        async with asyncio.timeout(PATIENCE_S):
            assert await worker.process.wait() == 1


async def run_status(database: OwnDatabase, run_id: str) -> str:
    await database.admin.execute(f"ALTER DATABASE {database.name} ALLOW_CONNECTIONS true")
    connection = await asyncpg.connect(database.dsn)
    try:
        status: str = await connection.fetchval("SELECT status FROM runs WHERE id = $1", run_id)
    finally:
        await connection.close()
    return status
