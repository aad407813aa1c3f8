"""SQL of the requests that wait for a busy branch."""

from datetime import timedelta

from yarrow.db import Tx
from yarrow.ids import SessionId, TurnId

_INSERT = """
INSERT INTO branch_waiters (session_id, branch)
SELECT $1, coalesce($2, (SELECT b.name FROM turns t JOIN branches b ON b.id = t.branch_id
                         WHERE t.id = $3 AND t.session_id = $1), '')
RETURNING id
"""

_RENEW = """
WITH renewed AS (
    UPDATE branch_waiters SET seen_at = now() WHERE id = $1 RETURNING session_id, branch
)
SELECT NOT EXISTS (
    SELECT 1 FROM branch_waiters w JOIN renewed USING (session_id, branch)
    WHERE w.id < $1 AND w.seen_at > now() - $2::interval
)
"""


async def insert_waiter(
    tx: Tx, session_id: SessionId, *, branch: str | None, turn_id: TurnId | None
) -> int:
    """Add a request to the queue of a branch: the one of this name, or of this turn."""
    return int(await tx.fetchval(_INSERT, session_id, branch, turn_id))


async def renew_waiter(tx: Tx, waiter_id: int, *, expiry: timedelta) -> bool:
    """Renew a place in the queue; True when it is the first one."""
    return bool(await tx.fetchval(_RENEW, waiter_id, expiry))


async def delete_waiter(tx: Tx, waiter_id: int) -> None:
    """Leave the queue."""
    await tx.execute("DELETE FROM branch_waiters WHERE id = $1", waiter_id)
