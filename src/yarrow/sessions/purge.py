"""Remove the content of sessions that were deleted a while ago.

What was charged stays provable: the rows of session, turns and runs remain, without a word.
"""

import logging
from datetime import timedelta

from yarrow.db import Database
from yarrow.sessions import purge_store

log = logging.getLogger("yarrow.sessions")

PAUSE_S = 3600.0
"""Between two sweeps."""


async def purge_sessions(database: Database, *, older_than: timedelta) -> None:
    """Remove the content of all such sessions, one in a transaction."""
    count = 0
    while await _purge_next(database, older_than):
        count += 1
    if count:
        log.info("sessions.purged", extra={"sessions": count})


async def _purge_next(database: Database, older_than: timedelta) -> bool:
    async with database.transaction() as tx:
        session_id = await purge_store.lock_expired_session(tx, older_than=older_than)
        if session_id is None:
            return False
        await purge_store.delete_content(tx, session_id)
    return True
