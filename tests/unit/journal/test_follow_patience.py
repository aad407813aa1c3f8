"""How long followers of a run wait for a database that is away."""

import asyncio
from contextlib import AbstractAsyncContextManager

import pytest

from yarrow.db import Database, Tx
from yarrow.db.errors import DatabaseUnavailable
from yarrow.db.notify import Notifications
from yarrow.ids import RunId, new_uuid
from yarrow.journal import Journal, RunLog
from yarrow.journal.events import TextDelta

PATIENCE_S = 0.3


class AwayDatabase(Database):
    """A database that cannot be reached."""

    def __init__(self) -> None: ...

    def connection(self) -> AbstractAsyncContextManager[Tx]:
        raise DatabaseUnavailable


async def follow_silent_run() -> tuple[Journal, RunLog, asyncio.Task[float]]:
    """A run here that has sent an event, and what gives the time at which its follower gave up."""
    database = AwayDatabase()
    journal = Journal(database, Notifications(database), heartbeat_s=60.0)
    run_log = journal.open(RunId(new_uuid()), attempt=1)
    journal.append(run_log, TextDelta("m", "a"))
    has_begun = asyncio.Event()

    async def follow() -> float:
        with pytest.raises(DatabaseUnavailable):
            async for _ in journal.follow(run_log.run_id, after=0, patience_s=PATIENCE_S):
                has_begun.set()
        return asyncio.get_running_loop().time()

    following = asyncio.create_task(follow())
    await has_begun.wait()
    return journal, run_log, following


async def test_silence_before_a_run_is_released_does_not_count() -> None:
    journal, run_log, following = await follow_silent_run()
    await asyncio.sleep(PATIENCE_S)

    released_at = asyncio.get_running_loop().time()
    journal.discard(run_log)

    assert await following - released_at >= PATIENCE_S


async def test_a_settlement_that_took_too_long_is_told_at_once() -> None:
    journal, run_log, following = await follow_silent_run()
    await journal.stop_flushing(run_log)
    await asyncio.sleep(PATIENCE_S)
    await journal.stop_flushing(run_log)

    discarded_at = asyncio.get_running_loop().time()
    journal.discard(run_log)

    assert await following - discarded_at < PATIENCE_S
