"""A lock on one account's points stops that account, not its neighbours and not the worker."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime

import asyncpg
import pytest
from tests.serving import RUNS, Caller, Served, broken_rules_of, run_body
from tests.waiting import PATIENCE_S, hold_open

from yarrow.db import Database
from yarrow.db.errors import DatabaseUnavailable

POSTS = 12
WAITING = """
SELECT pid, query_start FROM pg_stat_activity
WHERE datname = current_database() AND wait_event_type = 'Lock'
"""


async def test_others_run_while_one_accounts_points_are_locked(
    served: Served, database: Database
) -> None:
    neighbour = await served.account()
    async with locked_accounts(served, database, 1):
        await wait_for_waiting(database, 3)

        await answer(neighbour)

        # Half of the pool of six.
        assert len(await list_waiting(database)) == 3
    assert await broken_rules_of(database) == []


async def test_a_worker_lives_while_the_whole_pool_waits_for_locks(
    served: Served, database: Database
) -> None:
    async with locked_accounts(served, database, 2):
        waiting = await wait_for_waiting(database, 6)
        seen_at = await read_heartbeat(served, database)

        while await read_heartbeat(served, database) == seen_at:
            await asyncio.sleep(0.01)

        # Still the same statements: none of them made room for the heartbeat.
        assert await list_waiting(database) == waiting


@pytest.mark.slow
async def test_a_statement_that_waits_for_a_lock_gives_up_before_its_own_timeout(
    served: Served, database: Database
) -> None:
    caller = await served.account()
    lock = "SELECT 1 FROM user_points WHERE user_id = $1::text::uuid FOR UPDATE"
    async with database.transaction() as tx:
        await hold_open(tx)
        await tx.execute(lock, caller.id)

        with pytest.raises(DatabaseUnavailable) as raised:
            async with database.connection() as other:
                await other.execute(lock, caller.id)

    assert isinstance(raised.value.__cause__, asyncpg.LockNotAvailableError)


@asynccontextmanager
async def locked_accounts(served: Served, database: Database, count: int) -> AsyncIterator[None]:
    """Lock the points of accounts that post many runs each; afterwards all are answered."""
    callers = [await served.account(points=1_000) for _ in range(count)]
    async with asyncio.TaskGroup() as tasks, database.transaction() as tx:
        await hold_open(tx)
        await tx.execute(
            "SELECT 1 FROM user_points WHERE user_id = ANY($1::text[]::uuid[]) FOR UPDATE",
            [caller.id for caller in callers],
        )
        posts = [tasks.create_task(post(caller)) for caller in callers for _ in range(POSTS)]
        async with asyncio.timeout(PATIENCE_S):
            yield
    assert {post.result() for post in posts} <= {202, 503}


async def list_waiting(database: Database) -> set[tuple[int, datetime]]:
    """Not inside a longer transaction: PostgreSQL shows the same activity throughout one."""
    async with database.connection() as tx:
        return {tuple(row) for row in await tx.fetch(WAITING)}


async def wait_for_waiting(database: Database, count: int) -> set[tuple[int, datetime]]:
    while len(waiting := await list_waiting(database)) < count:
        await asyncio.sleep(0.01)
    return waiting


async def read_heartbeat(served: Served, database: Database) -> datetime:
    async with database.connection() as tx:
        query = "SELECT seen_at FROM workers WHERE id = $1"
        seen_at: datetime = await tx.fetchval(query, served.product.engine.worker_id)
        return seen_at


async def post(caller: Caller) -> int:
    status, _ = await caller.post(RUNS, run_body())
    return status


async def answer(caller: Caller) -> None:
    body = run_body()
    await caller.submit(body)
    assert (await caller.events(body["threadId"], body["runId"]))[-1].type == "RUN_FINISHED"
