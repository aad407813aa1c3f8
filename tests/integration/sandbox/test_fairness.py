"""One account's endless queries do not keep another account from its short one."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.waiting import PATIENCE_S

from yarrow.kit.limiter import set_owner
from yarrow.sandbox.model import JobLimits, TableResult
from yarrow.sandbox.sandbox import Sandbox
from yarrow.settings import Settings

ENDLESS = "SELECT count(*) FROM range(1000000000000) a, range(1000) b"


@pytest.fixture
async def sandbox(tmp_path: Path) -> AsyncIterator[Sandbox]:
    async with Sandbox(Settings(data_dir=tmp_path, sandbox_jobs=2)) as sandbox:
        yield sandbox


async def query(sandbox: Sandbox, owner: str, sql: str) -> TableResult:
    set_owner(owner)
    return await sandbox.run_sql(sql, {}, JobLimits(seconds=PATIENCE_S))


async def test_another_accounts_query_is_answered_beside_twenty_endless_ones(
    sandbox: Sandbox,
) -> None:
    flood = [asyncio.create_task(query(sandbox, "flood", ENDLESS)) for _ in range(20)]
    await asyncio.sleep(0)

    result = await asyncio.create_task(query(sandbox, "neighbour", "SELECT 42 AS n"))

    assert [list(row.values()) for row in result.rows] == [[42]]
    assert not any(task.done() for task in flood)
    for task in flood:
        task.cancel()
    await asyncio.wait(flood)
