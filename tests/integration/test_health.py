"""`GET /healthz` answers in time, also while the database does not."""

import asyncio
import gc
from contextlib import AsyncExitStack
from urllib.parse import urlsplit

import asyncpg
from fastapi import FastAPI
from tests.own_database import create_database
from tests.tcp_postgres import tcp_postgres
from tests.unit.http.asgi import call
from tests.waiting import PATIENCE_S

from yarrow.db import open_database
from yarrow.http.health import DatabaseCheck, make_health_router
from yarrow.kit.tasks import BackgroundLoops

LESS_THAN_A_QUERY_HAS_S = 20


async def test_a_database_that_stands_still_is_reported_before_its_query_fails(
    postgres: str,
) -> None:
    name = urlsplit(await create_database(postgres)).path.removeprefix("/")
    async with tcp_postgres(postgres) as proxy, open_database(proxy.url(name), size=2) as database:
        app = FastAPI()
        app.include_router(make_health_router(database, BackgroundLoops()))
        assert (await call(app, "/healthz")).status == 200

        proxy.is_silent = True
        async with asyncio.timeout(LESS_THAN_A_QUERY_HAS_S):
            answers = [(await call(app, "/healthz")).json for _ in range(2)]

        assert answers == [{"status": "no database"}] * 2
        await end_connections(postgres, name)


async def test_a_database_whose_pool_is_in_use_is_healthy(postgres: str) -> None:
    async with open_database(postgres, size=2) as database, AsyncExitStack() as held:
        for _ in range(2):
            await held.enter_async_context(database.connection())

        assert await DatabaseCheck(database).answers(within_s=PATIENCE_S)


async def test_a_query_that_fails_after_the_answer_leaves_no_error_behind(postgres: str) -> None:
    name = urlsplit(await create_database(postgres)).path.removeprefix("/")
    errors: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: errors.append(context))
    async with tcp_postgres(postgres) as proxy, open_database(proxy.url(name), size=2) as database:
        check = DatabaseCheck(database)
        assert await check.answers(within_s=PATIENCE_S)

        proxy.is_silent = True
        assert not await check.answers(within_s=0.1)
        await end_connections(postgres, name)
        proxy.is_silent = False
    del check
    gc.collect()
    await asyncio.sleep(0)

    assert errors == []


async def end_connections(postgres: str, name: str) -> None:
    """Let the query that waits for its answer fail."""
    connection = await asyncpg.connect(postgres)
    await connection.fetch(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", name
    )
    await connection.close()
