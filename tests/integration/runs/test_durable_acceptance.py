"""Runs that were accepted are on disk: a crash of the database after the answer keeps them."""

import asyncio
import os
import shutil
import signal
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import asyncpg
import pytest
from tests.held_connections import hold_reserved_connections
from tests.integration.runs.claims import claim_run, submit_run
from tests.memory_folder import copy_data_dir, make_memory_folder
from tests.own_database import create_database
from tests.serving import RUNS, Served, run_body, serving

from yarrow.db.embedded.server import EmbeddedPostgres, find_postmaster_pid
from yarrow.db.errors import DatabaseUnavailable
from yarrow.ids import RunId
from yarrow.llm.scripted import Hold, Say, ScriptedModel
from yarrow.runs.model import ClaimedRun

pytestmark = pytest.mark.slow

ACCEPTED = 3
ARRIVES_S = 0.5
"""In which a request comes to where it waits."""


@pytest.fixture(scope="module")
async def template() -> AsyncIterator[Path]:
    """A data dir whose server has a migrated database."""
    folder = make_memory_folder("yarrow-crash-")
    with EmbeddedPostgres(folder) as server:
        await create_database(await asyncio.to_thread(server.start))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
async def folder(template: Path) -> AsyncIterator[Path]:
    """The data dir of a server of this test's own, which may crash."""
    folder = make_memory_folder("yarrow-crash-")
    copy_data_dir(template, folder)
    yield folder
    shutil.rmtree(folder)


def crash(folder: Path) -> None:
    """End the server as a loss of power would: what is not on disk is lost."""
    pid = find_postmaster_pid(folder)
    assert pid is not None
    os.kill(pid, signal.SIGQUIT)
    while find_postmaster_pid(folder) is not None:
        time.sleep(0.01)


async def test_accepted_runs_outlive_a_crash_of_the_database(
    folder: Path, model: ScriptedModel, tmp_path: Path
) -> None:
    with EmbeddedPostgres(folder) as server:
        hold = Hold()
        model.play([hold])
        async with serving_lazily(server, model, tmp_path) as (served, dsn):
            callers = [await served.account() for _ in range(ACCEPTED)]

            await asyncio.gather(*(caller.submit(run_body()) for caller in callers))
            await asyncio.to_thread(crash, folder)

            await asyncio.to_thread(server.start)
            assert await execute(dsn, "SELECT count(*) FROM runs") == ACCEPTED
            hold.release.set()


async def test_runs_that_a_crash_took_are_not_answered_as_accepted(
    folder: Path, model: ScriptedModel, tmp_path: Path
) -> None:
    with EmbeddedPostgres(folder) as server:
        hold = Hold()
        model.play([hold])
        async with serving_lazily(server, model, tmp_path) as (served, dsn):
            callers = [await served.account() for _ in range(ACCEPTED)]
            # Nor does a commit of another request or loop of this process write it then.
            await execute(dsn, "ALTER SYSTEM SET synchronous_commit = 'off'")
            await execute(dsn, "SELECT pg_reload_conf()")
            async with hold_reserved_connections(served.product.database):
                posts = [asyncio.create_task(caller.post(RUNS, run_body())) for caller in callers]
                while await execute(dsn, "SELECT count(*) FROM runs") != ACCEPTED:
                    await asyncio.sleep(0)
                # The process stands still until the database serves again.
                crash(folder)
                server.start()

            statuses = [status for status, _ in await asyncio.gather(*posts)]
            stored = await execute(dsn, "SELECT count(*) FROM runs")
            assert (statuses, stored) == ([503] * ACCEPTED, 0)
            hold.release.set()


async def test_a_run_that_a_crash_took_is_not_streamed(
    folder: Path, model: ScriptedModel, tmp_path: Path
) -> None:
    with EmbeddedPostgres(folder) as server:
        hold = Hold()
        model.play([Say("half "), hold])
        async with serving_lazily(server, model, tmp_path) as (served, dsn):
            caller, body = await served.account(), run_body()
            url = f"{served.url}{RUNS}/{body['threadId']}/events?runId={body['runId']}"
            await execute(dsn, "ALTER SYSTEM SET synchronous_commit = 'off'")
            await execute(dsn, "SELECT pg_reload_conf()")
            async with hold_reserved_connections(served.product.database):
                post = asyncio.create_task(caller.post(RUNS, body))
                await hold.reached.wait()
                stream = asyncio.create_task(read_status(served, url, caller.headers))
                await asyncio.wait({stream}, timeout=ARRIVES_S)
                crash(folder)
                server.start()

            assert (await stream, (await post)[0]) == (503, 503)
            hold.release.set()


async def read_status(served: Served, url: str, headers: dict[str, str]) -> int:
    """The status of a stream that is not read."""
    async with served.http.get(url, headers=headers) as answer:
        return answer.status


async def test_a_claim_that_was_answered_outlives_a_crash_of_the_database(
    folder: Path, model: ScriptedModel, tmp_path: Path
) -> None:
    with EmbeddedPostgres(folder) as server:
        async with serving_lazily(server, model, tmp_path, slots=0) as (served, _):
            run_id = await submit_run(served)
            first = await claim_run(served, run_id, alive=False)
            await asyncio.to_thread(crash, folder)

            await asyncio.to_thread(server.start)
            second = await claim_run_again(served, run_id)
            assert first is not None
            # Two workers with one attempt would both write its events, and both settle it.
            assert (first.attempt, second.attempt) == (1, 2)


async def claim_run_again(served: Served, run_id: RunId) -> ClaimedRun:
    """Claim over connections that the crash has ended."""
    while True:
        with suppress(DatabaseUnavailable):
            run = await claim_run(served, run_id)
            assert run is not None
            return run


@asynccontextmanager
async def serving_lazily(
    server: EmbeddedPostgres, model: ScriptedModel, data_dir: Path, *, slots: int = 64
) -> AsyncIterator[tuple[Served, str]]:
    """Serve with a database where nothing but a commit that waits writes the log to disk."""
    dsn = await create_database(await asyncio.to_thread(server.start))
    await execute(dsn, "ALTER SYSTEM SET wal_writer_delay = '10s'")
    await execute(dsn, "SELECT pg_reload_conf()")
    async with serving(dsn, model=model, data_dir=data_dir, slots=slots) as served:
        yield served, dsn


async def execute(dsn: str, statement: str) -> object:
    connection = await asyncpg.connect(dsn)
    try:
        return await connection.fetchval(statement)
    finally:
        await connection.close()
