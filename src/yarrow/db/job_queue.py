"""Jobs of PgQueuer, taken by a connection of their own. Slow to import: see `runs/worker.py`."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import TypeAlias

from pgqueuer.adapters.drivers.asyncpg import AsyncpgDriver
from pgqueuer.core.qm import QueueManager
from pgqueuer.domain.errors import RetryRequested
from pgqueuer.domain.models import Job
from pgqueuer.queries import Queries

from yarrow.db.pool import connect

POLL = timedelta(seconds=1)
JOBS_PER_BATCH = 10

DoJob: TypeAlias = Callable[[str], Awaitable[timedelta | None]]
"""Gets the payload; returns after which time the job is due again, None if it is done."""


class JobQueue:
    """Takes jobs until it is shut down, or its connection is lost."""

    def __init__(self) -> None:
        self._manager: QueueManager | None = None

    async def take_jobs(
        self, dsn: str, entrypoint: str, do_job: DoJob, *, heartbeat_timeout: timedelta
    ) -> None:
        """Do the jobs of the entrypoint."""

        async def do_or_retry(job: Job) -> None:
            delay = await do_job((job.payload or b"").decode())
            if delay is not None:
                raise RetryRequested(delay=delay)

        connection = await connect(dsn)
        try:
            self._manager = QueueManager(Queries(AsyncpgDriver(connection)))
            self._manager.entrypoint(entrypoint)(do_or_retry)
            await self._manager.run(
                dequeue_timeout=POLL,
                batch_size=JOBS_PER_BATCH,
                heartbeat_timeout=heartbeat_timeout,
                shutdown_on_listener_failure=True,
            )
        finally:
            self._manager = None
            await connection.close()

    def shut_down(self) -> None:
        """Take no more jobs."""
        if self._manager is not None:
            self._manager.shutdown.set()
