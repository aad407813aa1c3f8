"""Waiting for a busy branch: first come, first served, over all processes.

A waiting request has a row in `branch_waiters` and renews it; the oldest row that was renewed
lately is the next one. There is no lock to lose: the row of a dead process expires.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import timedelta

from yarrow.db import Database
from yarrow.db.errors import DatabaseUnavailable
from yarrow.runs.model import RunRequest
from yarrow.runs.start_store import locate_branch
from yarrow.sessions import waiter_store

POLL_S = 0.1
EXPIRY = timedelta(seconds=3)
"""A row that was not renewed for so long belongs to a dead process."""


class QueuePlace:
    """The place of one request in the queue of its branch."""

    def __init__(self, database: Database, waiter_id: int) -> None:
        self._database = database
        self._waiter_id = waiter_id

    async def is_first(self) -> bool:
        """Renew the place; True when no older request waits for the branch."""
        async with self._database.connection() as tx:
            return await waiter_store.renew_waiter(tx, self._waiter_id, expiry=EXPIRY)


@asynccontextmanager
async def join_queue(database: Database, request: RunRequest) -> AsyncIterator[QueuePlace]:
    """Queue for the request's branch while the block lasts."""
    async with database.connection() as tx:
        branch, turn_id = locate_branch(request.target)
        waiter_id = await waiter_store.insert_waiter(
            tx, request.session_id, branch=branch, turn_id=turn_id
        )
    try:
        yield QueuePlace(database, waiter_id)
    finally:
        with suppress(DatabaseUnavailable):
            async with database.connection() as tx:
                await waiter_store.delete_waiter(tx, waiter_id)
