"""SQL that removes the content of deleted sessions."""

from collections.abc import Collection
from datetime import timedelta

from yarrow.db import Tx
from yarrow.ids import SessionId

_FIND = """
SELECT id FROM sessions
WHERE deleted_at < now() - $1::interval AND purged_at IS NULL
  AND id <> ALL ($2::uuid[])
  AND NOT EXISTS (SELECT 1 FROM runs r
                  WHERE r.session_id = sessions.id AND r.status IN ('queued', 'running'))
ORDER BY deleted_at LIMIT 1 FOR UPDATE SKIP LOCKED
"""

# Prompts and states of replies go with their messages, edges of memories with their ends. Rows of
# attachments lose their message, after which the sweep of unused uploads deletes the files.
# Branches keep their rows for the turns, with their ids as names. Global variables keep the values
# that the session wrote; nobody can undo these, so that what was written before them goes.
_DELETE = """
WITH ended AS MATERIALIZED (SELECT id FROM runs WHERE session_id = $1),
gone_events AS (DELETE FROM run_events e USING ended WHERE e.run_id = ended.id),
gone_calls AS (DELETE FROM tool_executions t USING ended WHERE t.run_id = ended.id),
gone_messages AS (DELETE FROM messages WHERE session_id = $1),
gone_memories AS (DELETE FROM memory_items WHERE session_id = $1),
gone_jobs AS (DELETE FROM memory_jobs WHERE session_id = $1),
last_globals AS (
    SELECT g.account_id, g.key, max(g.number) AS number FROM global_writes g
    JOIN messages m ON m.id = g.reply_id WHERE m.session_id = $1 AND g.stands
    GROUP BY g.account_id, g.key
),
older_globals AS (
    DELETE FROM global_writes g USING last_globals l
    WHERE g.account_id = l.account_id AND g.key = l.key AND g.number < l.number
),
undone_globals AS (
    DELETE FROM global_writes g USING messages m
    WHERE m.id = g.reply_id AND m.session_id = $1 AND NOT g.stands
),
gone_variables AS (DELETE FROM variables WHERE session_id = $1),
gone_values AS (DELETE FROM state_values WHERE session_id = $1),
gone_namespaces AS (DELETE FROM state_namespaces WHERE session_id = $1),
gone_models AS (DELETE FROM llm_bindings WHERE session_id = $1),
emptied AS (UPDATE runs SET input = '{}' WHERE session_id = $1),
reset AS (
    UPDATE session_bindings SET model = '{}', policy = '{}', metadata = '{}',
        tool_permissions = '{}'
    WHERE session_id = $1
),
renamed AS (UPDATE branches SET name = id::text, wanted_name = NULL WHERE session_id = $1)
UPDATE sessions SET title = NULL, message_count = 0, purged_at = now() WHERE id = $1
"""


async def lock_expired_session(
    tx: Tx, *, older_than: timedelta, skipped: Collection[SessionId]
) -> SessionId | None:
    """Lock the session that was deleted first, longer ago than that; None if there is none."""
    session_id = await tx.fetchval(_FIND, older_than, list(skipped))
    return None if session_id is None else SessionId(session_id)


async def delete_content(tx: Tx, session_id: SessionId) -> None:
    """Delete all that was written in the session; its rows that the ledger needs stay."""
    await tx.execute(_DELETE, session_id)
