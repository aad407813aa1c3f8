"""A run that blocks the event loop of its worker."""

import asyncio
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import UUID

import asyncpg
import pytest
from msgspec import Struct
from prometheus_client import CollectorRegistry
from tests.serving import broken_rules_of, run_body, serving
from tests.waiting import PATIENCE_S

from yarrow.kit.loop_watchdog import LoopWatchdog
from yarrow.llm.model import ChatRequest, Chunk, FinishChunk, TextChunk
from yarrow.runs.blocked_loop import BlockedWorker

NOW = "SELECT now()"
LEASE_IS_RENEWED = "SELECT seen_at > $2 FROM workers WHERE id = $1"
RUN_IS_FENCED = (
    "SELECT bool_or(attempt >= 5 AND $2::timestamptz < now()) FROM runs WHERE worker_id = $1"
)

pytestmark = pytest.mark.slow


class BlockingModel(Struct):
    """Holds the event loop until a query about its worker and the start of the block is true."""

    dsn: str
    until: str
    name: str = "blocking"
    worker_id: UUID | None = None

    async def stream(self, request: ChatRequest) -> AsyncIterator[Chunk]:
        block = threading.Thread(target=lambda: asyncio.run(self._poll()))
        block.start()
        block.join()
        yield TextChunk("hello")
        yield FinishChunk("stop")  # type: ignore[arg-type]

    async def _poll(self) -> None:
        connection = await asyncpg.connect(self.dsn)
        start = await connection.fetchval(NOW)
        async with asyncio.timeout(PATIENCE_S):
            while not await connection.fetchval(self.until, self.worker_id, start):
                await asyncio.sleep(0.05)
        await connection.close()


async def run_once(
    model: BlockingModel, data_dir: Path, *, max_block_s: float
) -> tuple[str, str | None]:
    """Submit a run whose model blocks; its status and failure at the end."""
    dsn = model.dsn
    async with serving(dsn, model=model, data_dir=data_dir) as api:  # type: ignore[arg-type]
        model.worker_id = api.product.engine.worker_id
        blocked = BlockedWorker(dsn, api.product.engine.worker_id, max_block_s=max_block_s)
        watchdog = LoopWatchdog(CollectorRegistry(), on_block=blocked.keep_lease)
        async with api.product.loops.running(watch_quickly=watchdog.watch()):
            caller, body = await api.account(), run_body()
            run_id = UUID((await caller.submit(body))["taskId"])
            await caller.events(body["threadId"], body["runId"])
        async with api.product.database.connection() as tx:
            row = await tx.fetchrow("SELECT status, failure FROM runs WHERE id = $1", run_id)
        assert await broken_rules_of(api.product.database) == []
    assert row is not None
    return row["status"], row["failure"]


async def test_a_run_that_blocks_the_loop_for_too_long_fails(dsn: str, tmp_path: Path) -> None:
    model = BlockingModel(dsn, RUN_IS_FENCED)

    assert await run_once(model, tmp_path, max_block_s=3) == ("failed", "worker_lost")


async def test_the_lease_is_renewed_while_the_loop_is_blocked(dsn: str, tmp_path: Path) -> None:
    model = BlockingModel(dsn, LEASE_IS_RENEWED)

    assert await run_once(model, tmp_path, max_block_s=PATIENCE_S) == ("succeeded", None)
