"""Jobs of PgQueuer, taken by a connection of their own. Slow to import: see `runs/worker.py`."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import TypeAlias

import asyncpg
from pgqueuer.adapters.drivers.asyncpg import AsyncpgDriver
from pgqueuer.core.logconfig import logger as pgqueuer_log
from pgqueuer.core.qm import QueueManager
from pgqueuer.domain.errors import RetryRequested
from pgqueuer.domain.models import Job
from pgqueuer.queries import Queries

from yarrow.db.errors import DatabaseUnavailable
from yarrow.db.pool import RETRYABLE, open_unpooled_connection

POLL = timedelta(seconds=1)
JOBS_PER_BATCH = 10

DoJob: TypeAlias = Callable[[str], Awaitable[timedelta | None]]
"""Gets the payload; returns after which time the job is due again, None if it is done."""


class JobQueue:
    """Takes jobs until it is shut down, or its connection is lost."""

    def __init__(self) -> None:
        self._manager: QueueManager | None = None
        self._jobs: set[asyncio.Task[object]] = set()

    async def take_jobs(
        self, dsn: str, entrypoint: str, do_job: DoJob, *, heartbeat_timeout: timedelta
    ) -> None:
        """Do the jobs of the entrypoint; raises an error of `RETRYABLE` if the connection is lost.

        The jobs are cancelled then: PgQueuer would wait for their ends before a new connection
        could take others.
        """

        async def do_or_retry(job: Job) -> None:
            delay = await self._run_job(do_job, (job.payload or b"").decode())
            if delay is not None:
                raise RetryRequested(delay=delay)

        connection = await open_unpooled_connection(dsn)
        connection.add_termination_listener(self._stop_jobs)
        complaints = LostConnectionFilter(connection)
        pgqueuer_log.addFilter(complaints)
        try:
            self._manager = QueueManager(Queries(AsyncpgDriver(connection)))
            self._manager.entrypoint(entrypoint)(do_or_retry)
            await self._manager.run(
                dequeue_timeout=POLL,
                batch_size=JOBS_PER_BATCH,
                heartbeat_timeout=heartbeat_timeout,
                shutdown_on_listener_failure=True,
            )
            if connection.is_closed():
                raise DatabaseUnavailable
        finally:
            self._manager = None
            pgqueuer_log.removeFilter(complaints)
            connection.remove_termination_listener(self._stop_jobs)
            await connection.close()

    def shut_down(self) -> None:
        """Take no more jobs."""
        if self._manager is not None:
            self._manager.shutdown.set()

    async def _run_job(self, do_job: DoJob, payload: str) -> timedelta | None:
        task = asyncio.current_task()
        assert task is not None
        self._jobs.add(task)
        try:
            return await do_job(payload)
        finally:
            self._jobs.discard(task)

    def _stop_jobs(self, _: object) -> None:
        self.shut_down()
        for job in self._jobs:
            job.cancel()


class LostConnectionFilter(logging.Filter):
    """Drops what PgQueuer logs about a lost connection: a traceback for each statement."""

    def __init__(self, connection: asyncpg.Connection) -> None:
        super().__init__()
        self._connection = connection

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        return not (self._connection.is_closed() or isinstance(error, RETRYABLE))
