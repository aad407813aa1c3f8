"""Sweep: uploads that no message came to show are removed, row and file."""

import asyncio
import logging
from datetime import timedelta

import asyncpg

from yarrow.attachments import store
from yarrow.attachments.storage import Storage
from yarrow.db import Database
from yarrow.errors import Unavailable

log = logging.getLogger("yarrow.attachments")

BATCH = 20
PAUSE_S = 300.0


async def sweep(database: Database, storage: Storage, *, older_than: timedelta) -> int:
    """Remove one batch and say how many there were.

    Files go before their rows: a file that could not be removed keeps its row, and is tried
    again. The rows stay locked meanwhile, so that no message begins to show a file that goes.
    """
    async with database.transaction() as tx:
        unused = await store.lock_unused(tx, older_than=older_than, limit=BATCH)
        for _, path in unused:
            await storage.delete(path)
        await store.forget(tx, [attachment_id for attachment_id, _ in unused])
    if unused:
        log.info("attachments.swept", extra={"files": len(unused)})
    return len(unused)


async def keep_swept(database: Database, storage: Storage, *, older_than: timedelta) -> None:
    """Sweep for ever; a store or a database that is away is tried again later."""
    while True:
        try:
            while await sweep(database, storage, older_than=older_than) == BATCH:
                pass
        except (Unavailable, asyncpg.PostgresError) as away:
            log.warning("attachments.not_swept", extra={"error": type(away).__name__})
        await asyncio.sleep(PAUSE_S)
