"""Delete uploads that no message refers to, file and row."""

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


async def sweep_batch(database: Database, storage: Storage, *, older_than: timedelta) -> int:
    """Delete one batch; return how many there were.

    Files are deleted before their rows: a file that could not be deleted keeps its row and is
    tried again. The rows are locked meanwhile, so that no message begins to use such a file.
    """
    async with database.transaction() as tx:
        unused = await store.lock_unused(tx, older_than=older_than, limit=BATCH)
        for _, path in unused:
            await storage.delete(path)
        await store.delete(tx, [attachment_id for attachment_id, _ in unused])
    if unused:
        log.info("attachments.swept", extra={"files": len(unused)})
    return len(unused)


async def sweep_periodically(
    database: Database, storage: Storage, *, older_than: timedelta
) -> None:
    """Loop: sweep every five minutes; skip a round if the store or the database is down."""
    while True:
        try:
            while await sweep_batch(database, storage, older_than=older_than) == BATCH:
                pass
        except (Unavailable, asyncpg.PostgresError) as error:
            log.warning("attachments.not_swept", extra={"error": type(error).__name__})
        await asyncio.sleep(PAUSE_S)
