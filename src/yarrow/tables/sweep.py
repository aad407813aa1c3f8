"""Remove rows and files of tables that were replaced, or that crashes left behind."""

import asyncio
import logging
import time
from datetime import timedelta
from pathlib import Path
from uuid import UUID

from yarrow.ids import TableId
from yarrow.sandbox.job_spec import SPOOL
from yarrow.tables import store
from yarrow.tables.files import PART_SUFFIX, stat_file
from yarrow.tables.model import Tables

log = logging.getLogger("yarrow.tables")

BATCH = 50
PAUSE_S = 300.0
ORPHANS_PAUSE_S = 3600.0
"""Between two scans of all files."""
MIN_AGE = timedelta(hours=1)
"""Longer than any upload or query: younger files may be in use."""


async def sweep_leftovers(tables: Tables, *, older_than: timedelta = MIN_AGE) -> int:
    """Remove one batch of leftovers; return their number.

    Their files are deleted outside of any transaction: each may be a request to the shared store.
    """
    async with tables.database.transaction() as tx:
        leftovers = await store.claim_leftovers(tx, older_than=older_than, limit=BATCH)
    await tables.files.delete(leftovers)
    async with tables.database.transaction() as tx:
        await store.delete_discarded(tx, leftovers)
    _sweep_spool(tables, older_than)
    if leftovers:
        log.info("tables.swept", extra={"tables": len(leftovers)})
    return len(leftovers)


async def sweep_orphans(tables: Tables, *, older_than: timedelta = MIN_AGE) -> int:
    """Remove files without a row, and those of crashed downloads; return the former's number."""
    old = await asyncio.to_thread(_list_old_files, tables.sandbox.folder, older_than)
    for file in old:
        if file.suffix == PART_SUFFIX:
            file.unlink(missing_ok=True)
    files = {table_id for file in old if (table_id := _parse_table_id(file)) is not None}
    async with tables.database.connection() as tx:
        orphans = files - await store.select_existing_ids(tx, list(files))
    tables.files.unlink(list(orphans))
    if orphans:
        log.info("tables.orphans_swept", extra={"files": len(orphans)})
    return len(orphans)


async def sweep_all(tables: Tables) -> None:
    """Remove all leftovers, and shrink the local cache to its limit."""
    while await sweep_leftovers(tables) == BATCH:
        pass
    await asyncio.to_thread(tables.files.evict)


def _sweep_spool(tables: Tables, older_than: timedelta) -> None:
    for file in _list_old_files(tables.sandbox.folder / SPOOL, older_than):
        file.unlink(missing_ok=True)


def _list_old_files(folder: Path, older_than: timedelta) -> list[Path]:
    youngest = time.time() - older_than.total_seconds()
    return [
        file
        for file in folder.iterdir()
        if (stat := stat_file(file)) is not None and stat.st_mtime < youngest
    ]


def _parse_table_id(file: Path) -> TableId | None:
    try:
        return TableId(UUID(file.stem))
    except ValueError:
        return None
