"""Runs that were accepted are on disk: a crash of the database after the answer keeps them."""

import asyncio
import os
import shutil
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import pytest
from tests.memory_folder import make_memory_folder
from tests.own_database import create_database
from tests.serving import run_body, serving

from yarrow.db.embedded.server import EmbeddedPostgres, postmaster_pid
from yarrow.llm.scripted import Hold, ScriptedModel

pytestmark = pytest.mark.slow

ACCEPTED = 3


@pytest.fixture
async def folder() -> AsyncIterator[Path]:
    """The data dir of a server of this test's own, which may crash."""
    folder = make_memory_folder("yarrow-crash-")
    yield folder
    shutil.rmtree(folder)


async def crash(folder: Path) -> None:
    """End the server as a loss of power would: what is not on disk is lost."""
    pid = postmaster_pid(folder)
    assert pid is not None
    os.kill(pid, signal.SIGQUIT)
    while postmaster_pid(folder) is not None:
        await asyncio.sleep(0.01)


async def test_accepted_runs_outlive_a_crash_of_the_database(
    folder: Path, model: ScriptedModel, tmp_path: Path
) -> None:
    with EmbeddedPostgres(folder) as server:
        dsn = await create_database(await asyncio.to_thread(server.start))
        # Nothing but a commit that waits writes the log to disk then.
        await execute(dsn, "ALTER SYSTEM SET wal_writer_delay = '10s'")
        await execute(dsn, "SELECT pg_reload_conf()")
        hold = Hold()
        model.play([hold])
        async with serving(dsn, model=model, data_dir=tmp_path) as served:
            callers = [await served.account() for _ in range(ACCEPTED)]

            await asyncio.gather(*(caller.submit(run_body()) for caller in callers))
            await crash(folder)

            await asyncio.to_thread(server.start)
            assert await execute(dsn, "SELECT count(*) FROM runs") == ACCEPTED
            hold.release.set()


async def execute(dsn: str, statement: str) -> object:
    connection = await asyncpg.connect(dsn)
    try:
        return await connection.fetchval(statement)
    finally:
        await connection.close()
