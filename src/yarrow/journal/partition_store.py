"""Partitions of the journal: one a week, made ahead, dropped when all of it is old enough.

A partition holds a range of run ids. Those are version 7 UUIDs, which begin with the time.
"""

import logging
from datetime import UTC, datetime, timedelta

from yarrow.clock import Clock
from yarrow.db import Database, Tx
from yarrow.ids import first_uuid

log = logging.getLogger("yarrow.runs")

WEEK = timedelta(days=7)
WEEKS_AHEAD = 4
PAUSE_S = 3600.0
PREFIX = "run_events_week_"

_LIST = """
SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
WHERE i.inhparent = 'run_events'::regclass AND starts_with(c.relname, $1)
"""
_LOCK = "SELECT pg_advisory_xact_lock(hashtext('run_events partitions'))"
_LOCK_SESSION = "SELECT pg_advisory_lock(hashtext('run_events partitions'))"
_HAS_ROWS = """
SELECT EXISTS (SELECT 1 FROM run_events_default WHERE run_id >= $1 AND run_id < $2)
"""


async def rotate_journal(database: Database, clock: Clock, *, keep: timedelta) -> None:
    """Make and drop partitions; fails if another transaction holds a lock for long."""
    async with database.transaction() as tx:
        await rotate_partitions(tx, now=clock(), keep=keep)


async def rotate_partitions(tx: Tx, *, now: datetime, keep: timedelta) -> None:
    """Make the partitions of this week and the next ones, and drop those older than `keep`.

    One process of the cluster does it at a time, and none waits long for a lock.
    """
    await tx.execute("SET LOCAL lock_timeout = '2s'")
    await tx.execute(_LOCK)
    existing = {row["name"] for row in await tx.fetch(_LIST, PREFIX)}
    this_week = _find_week_start(now)
    for number in range(WEEKS_AHEAD + 1):
        await _create_partition(tx, this_week + number * WEEK, existing)
    for name in sorted(existing):
        if _parse_start(name) + WEEK <= now - keep:
            await tx.execute(f"DROP TABLE {name}")
            log.info("journal.partition_dropped", extra={"partition": name})
    await tx.execute("DELETE FROM run_events_default WHERE run_id < $1", first_uuid(now - keep))


async def keep_partitions(tx: Tx) -> None:
    """Let no process make or drop partitions until this connection is closed.

    For long reads of all tables: a DROP that waits for them would hold up every other statement.
    """
    await tx.execute(_LOCK_SESSION)


async def _create_partition(tx: Tx, start: datetime, existing: set[str]) -> None:
    """Create the week's partition, unless the default one has rows of that week already."""
    name, first, end = f"{PREFIX}{start:%Y%m%d}", first_uuid(start), first_uuid(start + WEEK)
    if name not in existing and not await tx.fetchval(_HAS_ROWS, first, end):
        await tx.execute(
            f"CREATE TABLE {name} PARTITION OF run_events FOR VALUES FROM ('{first}') TO ('{end}')"
        )


def _find_week_start(moment: datetime) -> datetime:
    day = moment.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return day - timedelta(days=day.weekday())


def _parse_start(name: str) -> datetime:
    return datetime.strptime(name.removeprefix(PREFIX), "%Y%m%d").replace(tzinfo=UTC)
