"""Jobs are taken again after the database was restarted."""

import asyncio
import logging
import os
import signal
from datetime import timedelta
from functools import partial
from pathlib import Path

import asyncpg
import pytest
from tests.waiting import PATIENCE_S

from yarrow.db.embedded.server import EmbeddedPostgres, find_postmaster_pid
from yarrow.db.job_queue import JobQueue
from yarrow.db.migrate import upgrade_if_behind
from yarrow.db.repeat import repeat_step

HEARTBEAT_TIMEOUT = timedelta(seconds=1)
ENTRYPOINT = "test"


async def insert_job(dsn: str, payload: str) -> None:
    connection = await asyncpg.connect(dsn)
    await connection.execute(
        "INSERT INTO pgqueuer (priority, entrypoint, payload, status) VALUES (0, $1, $2, 'queued')",
        ENTRYPOINT,
        payload.encode(),
    )
    await connection.close()


class HeldJobs:
    """Jobs that do not end before they may; each is announced when it begins."""

    def __init__(self) -> None:
        self.begun: asyncio.Queue[str] = asyncio.Queue()
        self.may_end = asyncio.Event()

    async def do(self, payload: str) -> timedelta | None:
        await self.begun.put(payload)
        await self.may_end.wait()
        return None


async def restart(data_dir: Path, server: EmbeddedPostgres) -> None:
    pid = find_postmaster_pid(data_dir)
    assert pid is not None
    os.kill(pid, signal.SIGQUIT)
    while find_postmaster_pid(data_dir) == pid:
        await asyncio.sleep(0.02)
    await asyncio.to_thread(server.start)


@pytest.mark.slow
async def test_a_restart_of_the_database_is_one_warning(
    used_dir: Path, caplog: pytest.LogCaptureFixture
) -> None:
    server = EmbeddedPostgres(used_dir)
    dsn = await asyncio.to_thread(server.start)
    await upgrade_if_behind(dsn)
    queue, jobs = JobQueue(), HeldJobs()
    take = partial(queue.take_jobs, dsn, ENTRYPOINT, jobs.do, heartbeat_timeout=HEARTBEAT_TIMEOUT)
    taking = asyncio.create_task(repeat_step("take_jobs", take, 0.1))
    try:
        async with asyncio.timeout(PATIENCE_S):
            await insert_job(dsn, "first")
            assert await jobs.begun.get() == "first"
            await restart(used_dir, server)
            await insert_job(dsn, "second")

            begun = {await jobs.begun.get(), await jobs.begun.get()}
    finally:
        jobs.may_end.set()
        taking.cancel()
        await asyncio.gather(taking, return_exceptions=True)
        server.stop()

    assert begun == {"first", "second"}
    warnings = [
        record.getMessage()
        for record in caplog.records
        if record.levelno >= logging.WARNING and record.name != "yarrow.loop"  # A busy machine.
    ]
    assert warnings == ["worker.step_postponed"]
    assert [record for record in caplog.records if record.exc_info] == []
