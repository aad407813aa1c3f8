"""A run that blocks the event loop of its worker."""

import asyncio
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from time import sleep
from uuid import UUID

import asyncpg
import pytest
from msgspec import Struct, field
from prometheus_client import CollectorRegistry
from tests.serving import broken_rules_of, run_body, serving

from yarrow.kit.loop_watchdog import LoopWatchdog
from yarrow.llm.model import ChatRequest, Chunk, FinishChunk, TextChunk
from yarrow.runs.blocked_loop import BlockedWorker

MAX_BLOCK_S = 3.0
LEASES = "SELECT max(extract(epoch FROM now() - seen_at)) FROM workers WHERE id = $1"

pytestmark = pytest.mark.slow


class BlockingModel(Struct):
    """Holds the event loop for a while before it answers."""

    dsn: str
    seconds: float
    name: str = "blocking"
    worker_id: UUID | None = None
    lease_ages: list[float] = field(default_factory=list)

    async def stream(self, request: ChatRequest) -> AsyncIterator[Chunk]:
        sleep(self.seconds)  # noqa: ASYNC251  # this is what is tested
        reading = threading.Thread(target=lambda: asyncio.run(self._read_lease()))
        reading.start()
        reading.join()
        yield TextChunk("hello")
        yield FinishChunk("stop")  # type: ignore[arg-type]

    async def _read_lease(self) -> None:
        connection = await asyncpg.connect(self.dsn)
        self.lease_ages.append(await connection.fetchval(LEASES, self.worker_id))
        await connection.close()


async def run_once(dsn: str, model: BlockingModel, data_dir: Path) -> tuple[str, str | None]:
    """Submit a run whose model blocks; its status and failure at the end."""
    async with serving(dsn, model=model, data_dir=data_dir) as api:  # type: ignore[arg-type]
        model.worker_id = api.product.engine.worker_id
        blocked = BlockedWorker(dsn, api.product.engine.worker_id, max_block_s=MAX_BLOCK_S)
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
    model = BlockingModel(dsn, MAX_BLOCK_S + 2)

    assert await run_once(dsn, model, tmp_path) == ("failed", "worker_lost")


async def test_the_lease_is_renewed_while_the_loop_is_blocked(dsn: str, tmp_path: Path) -> None:
    model = BlockingModel(dsn, MAX_BLOCK_S - 0.5)

    assert await run_once(dsn, model, tmp_path) == ("succeeded", None)
    assert model.lease_ages[0] < MAX_BLOCK_S - 1.5
