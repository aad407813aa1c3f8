"""The worker loop: PgQueuer hands out runs, the lease says who lives, the sweep catches strays.

Every accepted run has a job in the queue. A process with a free slot starts its own runs at
once; their jobs are due a few seconds later and are gone by then unless the run takes longer.
Whoever receives a job claims the run if it waits or if its worker has fallen silent; a run in
living hands is looked at again later. Settling deletes the job in the same transaction.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from datetime import timedelta
from uuid import UUID

import asyncpg
from pgqueuer.adapters.drivers.asyncpg import AsyncpgDriver
from pgqueuer.core.qm import QueueManager
from pgqueuer.domain.errors import RetryRequested
from pgqueuer.domain.models import Job
from pgqueuer.queries import Queries

from yarrow.db.pool import TRY_AGAIN, connect
from yarrow.errors import DatabaseUnavailable
from yarrow.ids import RunId
from yarrow.kit.tasks import in_background
from yarrow.runs import store
from yarrow.runs.engine import Engine
from yarrow.runs.executions import SAFETY_DELAY, Claim, Slots, StopReason

log = logging.getLogger("yarrow.worker")

BEAT_S = 1.0
LEASE = timedelta(seconds=4)
LOOK_AGAIN = timedelta(seconds=2)
HEARTBEAT_TIMEOUT = timedelta(seconds=4)
POLL = timedelta(seconds=1)
SWEEP_S = 5.0
KEEP = timedelta(days=1)
RETRY_S = 0.5
BATCH = 10
CANCEL_CHANNEL = "yarrow_cancel"


class Worker:
    """This process's share of the runs."""

    def __init__(self, engine: Engine, slots: Slots) -> None:
        self._engine = engine
        self._slots = slots
        self._queue: QueueManager | None = None
        self._stopping = False

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Work for as long as the block lasts; leaving it drains nothing, `stop` does."""
        async with self._engine.database.transaction() as tx:
            await store.beat(tx, self._engine.worker_id)
        async with in_background(
            _for_ever(self._beat, BEAT_S),
            _for_ever(self._sweep, SWEEP_S),
            _for_ever(self._take_jobs, RETRY_S),
            _for_ever(self._hear_cancels, RETRY_S),
        ):
            yield

    async def stop(self, patience_s: float) -> None:
        """Take no more, finish or hand back what runs, and say good-bye."""
        self._stopping = True
        if self._queue is not None:
            self._queue.shutdown.set()
        await self._slots.drain(patience_s)
        try:
            async with self._engine.database.transaction() as tx:
                await store.leave(tx, self._engine.worker_id)
        except DatabaseUnavailable:
            log.warning("worker.left_silently")

    async def _beat(self) -> None:
        async with self._engine.database.connection() as tx:
            await store.beat(tx, self._engine.worker_id)
            unheard = await store.cancelled_runs(tx, self._engine.worker_id)
            held = await store.runs_held_by(tx, self._engine.worker_id, since=SAFETY_DELAY)
        for run_id in unheard:
            self._slots.stop(run_id, StopReason.CANCEL)
        # One that is ours and not here was accepted with its claim, and the answer was lost.
        for run_id in held:
            self._slots.start(run_id)

    async def _sweep(self) -> None:
        async with self._engine.database.transaction() as tx:
            strays = await store.requeue_stray_runs(tx, older_than=timedelta(seconds=SWEEP_S))
            await store.sweep(tx, keep=KEEP)
        if strays:
            log.warning("worker.strays_requeued", extra={"runs": strays})

    async def _take_jobs(self) -> None:
        if self._stopping:
            return
        connection = await connect(self._engine.database.dsn)
        try:
            self._queue = QueueManager(Queries(AsyncpgDriver(connection)))
            self._queue.entrypoint(store.ENTRYPOINT)(self._take)
            await self._queue.run(
                dequeue_timeout=POLL,
                batch_size=BATCH,
                heartbeat_timeout=HEARTBEAT_TIMEOUT,
                shutdown_on_listener_failure=True,
            )
        finally:
            self._queue = None
            await connection.close()

    async def _take(self, job: Job) -> None:
        run_id = RunId(UUID((job.payload or b"").decode()))
        task = await self._slots.start_soon(run_id, patience_s=POLL.total_seconds())
        if task is None:
            raise RetryRequested(delay=timedelta())
        match await asyncio.shield(task):
            case Claim.ELSEWHERE:
                raise RetryRequested(delay=LOOK_AGAIN)
            case Claim.HANDED_BACK:
                raise RetryRequested(delay=timedelta())
            case Claim.DONE:
                pass

    async def _hear_cancels(self) -> None:
        lost = asyncio.Event()
        connection = await self._engine.database.listen(
            {CANCEL_CHANNEL: self._cancel_heard}, on_lost=lost.set
        )
        try:
            await lost.wait()
        finally:
            await connection.close()

    def _cancel_heard(self, payload: str) -> None:
        self._slots.stop(RunId(UUID(payload)), StopReason.CANCEL)


async def _for_ever(step: Callable[[], Coroutine[None, None, None]], pause_s: float) -> None:
    """Repeat a step; a database that is away is waited for, any other trouble is logged."""
    while True:
        try:
            await step()
        except (DatabaseUnavailable, asyncpg.PostgresError, *TRY_AGAIN):
            log.warning("worker.database_lost", extra={"step": step.__name__})
        except Exception:
            log.exception("worker.step_failed", extra={"step": step.__name__})
        await asyncio.sleep(pause_s)
