"""Delete memory jobs that ended a while ago."""

import logging
from datetime import timedelta

from yarrow.db import Database
from yarrow.memory import job_store

log = logging.getLogger("yarrow.memory")

BATCH = 500
PAUSE_S = 3600.0
"""Between two sweeps."""


async def sweep_jobs(database: Database, *, older_than: timedelta) -> None:
    """Delete all such jobs, a batch at a time: each transaction is short."""
    total, count = 0, BATCH
    while count == BATCH:
        async with database.transaction() as tx:
            count = await job_store.delete_ended(tx, older_than=older_than, limit=BATCH)
        total += count
    if total:
        log.info("memory.jobs_swept", extra={"jobs": total})
