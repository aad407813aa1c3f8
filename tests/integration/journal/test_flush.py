"""The flush loop beside settlements, when the listening connection is lost."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.integration.runs.claims import cancel_unfinished_runs, claim_run, submit_run
from tests.serving import Served, serving
from tests.waiting import PATIENCE_S

from yarrow.db.notify import Notifications
from yarrow.ids import RunId
from yarrow.journal import Journal, RunLog
from yarrow.journal.events import TextDelta
from yarrow.journal.journal import EVENTS_TO_FLUSH
from yarrow.llm.scripted import ScriptedModel


class GapNotifications(Notifications):
    """Reports a lost connection whenever a test wants one."""

    def lose_connection(self) -> None:
        self._report_gap()


@asynccontextmanager
async def flushing_journal(
    dsn: str, folder: Path
) -> AsyncIterator[tuple[Served, Journal, GapNotifications]]:
    async with serving(dsn, model=ScriptedModel(), data_dir=folder, slots=0) as api:
        notifications = GapNotifications(api.product.database)
        journal = Journal(api.product.database, notifications, heartbeat_s=PATIENCE_S)
        loop = asyncio.create_task(journal.flush())
        yield api, journal, notifications
        loop.cancel()
        await cancel_unfinished_runs(api)


async def open_log(api: Served, journal: Journal) -> RunLog:
    run = await claim_run(api, await submit_run(api))
    assert run is not None
    return journal.open(run.id, attempt=run.attempt)


async def is_stored(api: Served, run_id: RunId) -> bool:
    async with api.product.database.connection() as tx:
        return bool(await tx.fetchval("SELECT 1 FROM run_events WHERE run_id = $1", run_id))


async def test_lost_connection_starts_no_flush_beside_a_settlement(
    dsn: str, tmp_path: Path
) -> None:
    async with flushing_journal(dsn, tmp_path) as (api, journal, notifications):
        settling, other = await open_log(api, journal), await open_log(api, journal)
        journal.append(settling, TextDelta("m", "a"))
        await journal.stop_flushing(settling)

        notifications.lose_connection()
        journal.append(other, TextDelta("m", "b"))
        async with asyncio.timeout(PATIENCE_S):
            while not await is_stored(api, other.run_id):
                await asyncio.sleep(0.02)

        assert not await is_stored(api, settling.run_id)
        assert settling.has_unflushed


async def test_many_new_events_do_not_wait_in_memory_for_the_interval(
    dsn: str, tmp_path: Path
) -> None:
    async with flushing_journal(dsn, tmp_path) as (api, journal, _):
        run_log = await open_log(api, journal)
        run_log.flushed_at = asyncio.get_running_loop().time() + 10 * PATIENCE_S
        for _ in range(EVENTS_TO_FLUSH):
            journal.append(run_log, TextDelta("m", "a"))

        async with asyncio.timeout(PATIENCE_S):
            while run_log.has_unflushed:
                await asyncio.sleep(0.02)
        assert await is_stored(api, run_log.run_id)
