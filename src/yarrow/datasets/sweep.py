"""Sweep: what crashes left behind is removed, rows and files."""

import asyncio
import logging
import time
from datetime import timedelta

import asyncpg

from yarrow.datasets import store
from yarrow.datasets.model import Shelf
from yarrow.datasets.remove import unlink_tables
from yarrow.datasets.sandbox.sandbox import SPOOL
from yarrow.errors import DatabaseUnavailable

log = logging.getLogger("yarrow.datasets")

BATCH = 50
PAUSE_S = 300.0
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


async def keep_swept(shelf: Shelf) -> None:
    """Sweep for ever; a database that is away is tried again later."""
    while True:
        try:
            while await sweep(shelf) == BATCH:
                pass
        except (DatabaseUnavailable, asyncpg.PostgresError, OSError) as away:
            log.warning("datasets.not_swept", extra={"error": type(away).__name__})
        await asyncio.sleep(PAUSE_S)


def _sweep_spool(shelf: Shelf, older_than: timedelta) -> None:
    youngest = time.time() - older_than.total_seconds()
    for file in (shelf.sandbox.folder / SPOOL).iterdir():
        if file.stat().st_mtime < youngest:
            file.unlink(missing_ok=True)
