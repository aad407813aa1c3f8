"""The lease of a blocked worker: renewed while it may recover, never at the price of an error."""

import asyncio
import math
from uuid import uuid4

import pytest
from tests.waiting import PATIENCE_S

from yarrow.db import Database
from yarrow.ids import WorkerId
from yarrow.kit.loop_watchdog import LoopBlock
from yarrow.runs.blocked_loop import BlockedWorker

LEASED = "SELECT EXISTS (SELECT 1 FROM workers WHERE id = $1)"
TERMINATE = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1"


def block_of(task: str, *, is_long: bool = False) -> LoopBlock:
    return LoopBlock(-math.inf if is_long else math.inf, task, stack="")


async def wait_for_lease(database: Database, worker_id: WorkerId) -> None:
    async with asyncio.timeout(PATIENCE_S), database.connection() as tx:
        while not await tx.fetchval(LEASED, worker_id):
            await asyncio.sleep(0.02)


async def test_the_lease_is_renewed_until_the_block_ends(database: Database, dsn: str) -> None:
    worker_id, block = WorkerId(uuid4()), block_of("run of somebody")
    keeping = asyncio.create_task(BlockedWorker(dsn, worker_id).keep_lease(block))

    await wait_for_lease(database, worker_id)
    block.ended.set()

    await asyncio.wait_for(keeping, PATIENCE_S)


async def test_a_block_that_no_run_causes_only_ends_the_lease(database: Database, dsn: str) -> None:
    worker_id, block = WorkerId(uuid4()), block_of("journal", is_long=True)

    await BlockedWorker(dsn, worker_id).keep_lease(block)

    async with database.connection() as tx:
        assert not await tx.fetchval(LEASED, worker_id)


async def test_an_unreachable_database_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    nowhere = BlockedWorker("postgresql://nobody@127.0.0.1:1/yarrow", WorkerId(uuid4()))

    await nowhere.keep_lease(block_of("run of somebody"))

    assert "worker.lease_not_renewed" in caplog.messages


async def test_a_connection_that_is_lost_while_blocked_is_logged(
    database: Database, dsn: str, caplog: pytest.LogCaptureFixture
) -> None:
    worker_id, name = WorkerId(uuid4()), f"lease-{uuid4().hex}"
    worker = BlockedWorker(f"{dsn}&application_name={name}", worker_id)
    keeping = asyncio.create_task(worker.keep_lease(block_of("run of somebody")))
    await wait_for_lease(database, worker_id)

    async with database.connection() as tx:
        await tx.fetch(TERMINATE, name)

    await asyncio.wait_for(keeping, PATIENCE_S)
    assert "worker.lease_not_renewed" in caplog.messages
