"""Delete uploads that no message refers to, file and row."""

import logging
from datetime import timedelta

from yarrow.attachments import store
from yarrow.attachments.storage import Storage
from yarrow.db import Database
from yarrow.errors import StorageUnavailable
from yarrow.ids import AttachmentId

log = logging.getLogger("yarrow.attachments")

BATCH = 20
PAUSE_S = 300.0


async def sweep_attachments(database: Database, storage: Storage, *, older_than: timedelta) -> int:
    """Delete all such uploads, a batch in a transaction; return how many there were.

    One whose file cannot be deleted is left to the next sweep and delays no other.
    `StorageUnavailable` when a whole batch fails.
    """
    deleted, failed = 0, set[AttachmentId]()
    while count := await _sweep_batch(database, storage, older_than, failed):
        deleted += count
    if deleted:
        log.info("attachments.swept", extra={"files": deleted})
    return deleted


async def _sweep_batch(
    database: Database, storage: Storage, older_than: timedelta, failed: set[AttachmentId]
) -> int:
    """Delete one batch, without those that failed before; add those that fail now.

    Files are deleted before their rows: a file that could not be deleted keeps its row. The rows
    are locked meanwhile, so that no message begins to use such a file.
    """
    deleted: list[AttachmentId] = []
    async with database.transaction() as tx:
        unused = await store.lock_unused(tx, older_than=older_than, limit=BATCH, skipped=failed)
        for attachment_id, path in unused:
            try:
                await storage.delete(path)
                deleted.append(attachment_id)
            except StorageUnavailable:
                failed.add(attachment_id)
        await store.delete_attachments(tx, deleted)
    if unused and not deleted:
        raise StorageUnavailable
    return len(deleted)
