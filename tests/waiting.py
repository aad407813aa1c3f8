"""Waiting for a condition instead of for a time: a busy machine makes tests slow, never red."""

import asyncio
from collections.abc import Callable

from yarrow.db import Database, Tx

PATIENCE_S = 120
"""After this long a condition counts as never true; far more than any step needs, even if
ten times as much work as the machine can do runs beside it."""


async def wait_until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not condition():
            await asyncio.sleep(0.005)


async def hold_open(tx: Tx) -> None:
    """Let a transaction of the test hold its locks for longer than one of a frozen process may."""
    await tx.execute("SET LOCAL idle_in_transaction_session_timeout = 0")


async def wait_for_lock_waiter(database: Database, *, waiters: int = 1) -> None:
    """Return when so many transactions in this database wait for a row that another has locked."""
    query = (
        "SELECT count(*) FROM pg_stat_activity "
        "WHERE datname = current_database() AND wait_event_type = 'Lock'"
    )
    async with asyncio.timeout(PATIENCE_S), database.connection() as tx:
        while await tx.fetchval(query) < waiters:
            await asyncio.sleep(0.01)
