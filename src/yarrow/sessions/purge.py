"""Remove the content of sessions that `runs/delete_session.py` deleted a while ago.

What was charged stays provable: the rows of session, branches, turns and runs remain, without a
word.
"""

import logging
from datetime import timedelta

import asyncpg

from yarrow.db import Database
from yarrow.db.errors import DatabaseUnavailable, describe_failure
from yarrow.ids import SessionId
from yarrow.sessions import purge_store

log = logging.getLogger("yarrow.sessions")

PAUSE_S = 3600.0
"""Between two sweeps."""


async def purge_sessions(database: Database, *, older_than: timedelta) -> None:
    """Remove the content of all such sessions, one in a transaction.

    A session that fails is logged and left to the next sweep: it does not delay the others.
    """
    count, failed = 0, set[SessionId]()
    while await _purge_next(database, older_than, failed):
        count += 1
    if purged := count - len(failed):
        log.info("sessions.purged", extra={"sessions": purged})


async def _purge_next(database: Database, older_than: timedelta, failed: set[SessionId]) -> bool:
    """Purge the next session that has not failed, or add it to those; False if there is none."""
    session_id = None
    try:
        async with database.transaction() as tx:
            session_id = await purge_store.lock_expired_session(
                tx, older_than=older_than, skipped=failed
            )
            if session_id is None:
                return False
            await purge_store.delete_content(tx, session_id)
    except (DatabaseUnavailable, asyncpg.PostgresError) as error:
        if session_id is None:
            raise
        failed.add(session_id)
        log.warning(
            "sessions.purge_failed",
            extra={"session_id": str(session_id), **describe_failure(error)},
        )
    return True
