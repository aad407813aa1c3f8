"""The journal commits asynchronously; a crash of PostgreSQL must not leave a gap in it."""

import asyncio
import os
import shutil
import signal
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import asyncpg
import psutil
import pytest
from benchmarks.invariants import EVENTS
from tests.serving import run_body, serving
from tests.waiting import PATIENCE_S

from yarrow.db.embedded.server import EmbeddedPostgres, list_postgres_pids
from yarrow.db.migrate import upgrade_if_behind
from yarrow.llm.scripted import Hold, Say, ScriptedModel

WAL_WRITERS = ("walwriter", "checkpointer", "background writer", "autovacuum launcher")
STORED_TEXT = f"""
SELECT string_agg(event->>'text', '' ORDER BY seq) FROM {EVENTS} AS stored
WHERE run_id = $1::uuid AND event->>'kind' = 'text'
"""
STORED_SEQS = f"SELECT array_agg(seq ORDER BY seq) FROM {EVENTS} AS stored WHERE run_id = $1::uuid"


@pytest.fixture
def server() -> Iterator[EmbeddedPostgres]:
    """A PostgreSQL to kill. Not in `tmp_path`: its user could not enter that folder."""
    folder = Path(tempfile.mkdtemp(prefix="yarrow-crash-"))
    with EmbeddedPostgres(folder) as server:
        yield server
    shutil.rmtree(folder)


@pytest.fixture
async def connection(server: EmbeddedPostgres) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(server.dsn)
    yield connection
    connection.terminate()


@asynccontextmanager
async def suspended_wal(connection: asyncpg.Connection) -> AsyncIterator[None]:
    """Keep PostgreSQL from writing its log: a crash at the end of the block loses its commits.

    It suspends the processes that write the log in the background; backends do not write it
    because `synchronous_commit` is off in the whole database.
    """
    await connection.execute("CHECKPOINT")
    query = "SELECT pid FROM pg_stat_activity WHERE backend_type = ANY($1::text[])"
    rows = await connection.fetch(query, WAL_WRITERS)
    writers = [psutil.Process(row["pid"]) for row in rows]
    try:
        for writer in writers:
            writer.suspend()
        async with asyncio.timeout(PATIENCE_S):
            while any(writer.status() != psutil.STATUS_STOPPED for writer in writers):
                await asyncio.sleep(0.01)
        yield
    finally:
        for writer in writers:
            with suppress(psutil.NoSuchProcess):
                writer.resume()


async def wait_for_text(connection: asyncpg.Connection, run_id: str, text: str) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while await connection.fetchval(STORED_TEXT, run_id) != text:
            await asyncio.sleep(0.01)


async def test_events_that_a_crash_of_postgresql_lost_are_stored_again(
    server: EmbeddedPostgres,
    connection: asyncpg.Connection,
    model: ScriptedModel,
    tmp_path: Path,
) -> None:
    holds = [Hold(), Hold(), Hold()]
    model.play([holds[0], Say("one "), holds[1], Say("two "), holds[2], Say("three")])
    await upgrade_if_behind(server.dsn)
    await connection.execute("ALTER DATABASE yarrow SET synchronous_commit = off")
    async with serving(server.dsn, model=model, data_dir=tmp_path) as served:
        caller, body = await served.account(), run_body()
        run_id = (await caller.submit(body))["taskId"]
        await holds[0].reached.wait()

        async with suspended_wal(connection):
            written = await connection.fetchval("SELECT pg_current_wal_lsn()")
            # Flushes follow each other: that the second is there proves that the first returned.
            for hold, text in zip(holds, ("one ", "one two "), strict=False):
                hold.release.set()
                await wait_for_text(connection, run_id, text)
            assert await connection.fetchval("SELECT pg_current_wal_lsn()") == written
            for pid in list_postgres_pids(server.data_dir):
                os.kill(pid, signal.SIGKILL)
        await asyncio.to_thread(server.start)
        # Before the run ends: the settlement of a short run stores all of its events again.
        again = await asyncpg.connect(server.dsn)
        await wait_for_text(again, run_id, "one two ")
        await again.close()
        holds[2].release.set()
        frames = await caller.events(body["threadId"], body["runId"])

        async with served.product.database.connection() as tx:
            seqs = await tx.fetchval(STORED_SEQS, run_id)
            text = await tx.fetchval(STORED_TEXT, run_id)
    assert frames[-1].data["result"]["answer"] == "one two three"
    assert seqs == list(range(1, seqs[-1] + 1))
    assert {frame.id for frame in frames} == set(range(1, frames[-1].id + 1))
    assert text == "one two three"
