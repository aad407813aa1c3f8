"""The worker: takes jobs from PgQueuer, renews its lease, listens for cancels.

Every accepted run has a job. A process with capacity starts its own runs at once; their jobs
are due a few seconds later and are deleted by then unless the run takes longer. `recovery` says
what happens when something is lost on the way.
"""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING
from uuid import UUID

from yarrow.db.errors import DatabaseUnavailable
from yarrow.db.repeat import repeat_step
from yarrow.ids import RunId
from yarrow.kit.tasks import BackgroundLoops
from yarrow.runs import recovery, store
from yarrow.runs.engine import Engine
from yarrow.runs.executions import Executions, StopReason
from yarrow.runs.model import CANCEL_CHANNEL, FINISH_CHANNEL, JOB_ENTRYPOINT

if TYPE_CHECKING:
    from yarrow.db.job_queue import JobQueue

log = logging.getLogger("yarrow.worker")

SLOT_TIMEOUT_S = 1.0
RETRY_S = 0.5


class Worker:
    """This process's share of the runs."""

    def __init__(self, engine: Engine, executions: Executions) -> None:
        self._engine = engine
        self._executions = executions
        self._queue: JobQueue | None = None
        self._stopping = False
        engine.notifications.subscribe(CANCEL_CHANNEL, self._on_cancel)
        engine.notifications.subscribe(FINISH_CHANNEL, self._on_finish)

    @asynccontextmanager
    async def running(self, loops: BackgroundLoops) -> AsyncIterator[None]:
        """Renew the lease while the block lasts; leaving it drains nothing, `stop` does."""
        engine = self._engine
        async with engine.database.transaction() as tx:
            await store.renew_lease(tx, engine.worker_id)
        heartbeat = partial(recovery.heartbeat, engine, self._executions)
        async with loops.running(
            heartbeat=repeat_step("heartbeat", heartbeat, recovery.HEARTBEAT_S),
            sweep_runs=repeat_step("sweep", partial(recovery.sweep_runs, engine), recovery.SWEEP_S),
        ):
            yield

    async def take_jobs(self) -> None:
        """Loop: take jobs of PgQueuer."""
        await repeat_step("take_jobs", self._take_jobs, RETRY_S)

    async def stop(self, timeout_s: float) -> None:
        """Take no more jobs, finish or release what runs, give up the lease."""
        self._stopping = True
        if self._queue is not None:
            self._queue.shut_down()
        await self._executions.drain(timeout_s)
        try:
            async with self._engine.database.transaction() as tx:
                await store.deregister_worker(tx, self._engine.worker_id)
        except DatabaseUnavailable:
            log.warning("worker.not_deregistered")

    async def _take_jobs(self) -> None:
        if self._queue is None:
            self._queue = await asyncio.to_thread(_open_queue)
        if not self._stopping:
            await self._queue.take_jobs(
                self._engine.database.dsn,
                JOB_ENTRYPOINT,
                self._take_job,
                heartbeat_timeout=recovery.JOB_HEARTBEAT_TIMEOUT,
            )

    async def _take_job(self, payload: str) -> timedelta | None:
        run_id = RunId(UUID(payload))
        task = await self._executions.start_or_wait(run_id, timeout_s=SLOT_TIMEOUT_S)
        if task is None:
            return timedelta()
        return await recovery.choose_retry_time(self._engine, run_id, await asyncio.shield(task))

    def _on_cancel(self, payload: str) -> None:
        self._executions.stop(RunId(UUID(payload)), StopReason.CANCEL)

    def _on_finish(self, payload: str) -> None:
        self._executions.finish(RunId(UUID(payload)))


def _open_queue() -> "JobQueue":
    from yarrow.db.job_queue import JobQueue  # noqa: PLC0415 - imported once the server answers

    return JobQueue()
