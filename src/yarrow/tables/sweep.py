"""Sweep: what crashes left behind is removed, rows and files."""

import asyncio
import logging
import time
from datetime import timedelta
from itertools import count
from pathlib import Path
from uuid import UUID

import asyncpg

from yarrow.db.errors import DatabaseUnavailable
from yarrow.ids import TableId
from yarrow.sandbox.spool_files import SPOOL
from yarrow.tables import store
from yarrow.tables.model import Shelf
from yarrow.tables.remove import unlink_tables

log = logging.getLogger("yarrow.tables")

BATCH = 50
PAUSE_S = 300.0
ORPHANS_EVERY = 12
"""Sweeps: all files are looked at for it, so once an hour is enough."""
LEFT_FOR = timedelta(hours=1)
"""Longer than anything takes: younger files may still be worked on."""


async def sweep(shelf: Shelf, *, older_than: timedelta = LEFT_FOR) -> int:
    """Remove one batch of leftovers and say how many there were."""
    async with shelf.database.transaction() as tx:
        leftovers = await store.lock_leftovers(tx, older_than=older_than, limit=BATCH)
        unlink_tables(shelf, leftovers)
        await store.forget(tx, leftovers)
    _sweep_spool(shelf, older_than)
    if leftovers:
        log.info("datasets.swept", extra={"tables": len(leftovers)})
    return len(leftovers)


async def sweep_orphans(shelf: Shelf, *, older_than: timedelta = LEFT_FOR) -> int:
    """Remove files that never got their row, and say how many there were."""
    old = await asyncio.to_thread(_old_files, shelf.sandbox.folder, older_than)
    files = {table_id for file in old if (table_id := _table_of(file)) is not None}
    async with shelf.database.connection() as tx:
        orphans = files - await store.known_of(tx, list(files))
    unlink_tables(shelf, list(orphans))
    if orphans:
        log.info("datasets.orphans_swept", extra={"files": len(orphans)})
    return len(orphans)


async def keep_swept(shelf: Shelf) -> None:
    """Sweep for ever; a database that is away is tried again later."""
    for number in count():
        try:
            while await sweep(shelf) == BATCH:
                pass
            if number % ORPHANS_EVERY == 0:
                await sweep_orphans(shelf)
        except (DatabaseUnavailable, asyncpg.PostgresError, OSError) as away:
            log.warning("datasets.not_swept", extra={"error": type(away).__name__})
        await asyncio.sleep(PAUSE_S)


def _sweep_spool(shelf: Shelf, older_than: timedelta) -> None:
    for file in _old_files(shelf.sandbox.folder / SPOOL, older_than):
        file.unlink(missing_ok=True)


def _old_files(folder: Path, older_than: timedelta) -> list[Path]:
    youngest = time.time() - older_than.total_seconds()
    return [file for file in folder.iterdir() if file.is_file() and file.stat().st_mtime < youngest]


def _table_of(file: Path) -> TableId | None:
    try:
        return TableId(UUID(file.stem))
    except ValueError:
        return None
