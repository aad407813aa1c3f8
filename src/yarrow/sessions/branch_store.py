"""SQL of branches, and of sessions that begin with an empty one."""

from collections.abc import Sequence

from yarrow.db import Row, Tx
from yarrow.ids import AccountId, BranchId, SessionId
from yarrow.sessions.model import MAIN_BRANCH, Branch, NewBranch
from yarrow.sessions.store import refresh_has_answer

_BRANCHES = """
SELECT b.id, b.name, p.name AS parent, b.forked_after_turn, b.forked_after_seq, b.created_at,
       (SELECT count(*) FROM turns t
        WHERE t.branch_id = b.id AND t.live) AS own_turns
FROM branches b LEFT JOIN branches p ON p.id = b.parent_branch_id
WHERE b.session_id = $1 AND b.deleted_at IS NULL AND b.wanted_name IS NULL
  AND ($2::text IS NULL OR b.name = $2)
ORDER BY b.created_at, b.id
"""


async def read_branches(
    tx: Tx, session_id: SessionId, name: str | None = None
) -> tuple[Branch, ...]:
    """Read the branches of a session, oldest first, or only the one with this name."""
    return tuple(map(_build_branch, await tx.fetch(_BRANCHES, session_id, name)))


async def find_branch(tx: Tx, session_id: SessionId, name: str) -> Branch | None:
    return next(iter(await read_branches(tx, session_id, name)), None)


async def insert_branch(tx: Tx, session_id: SessionId, branch: NewBranch) -> bool:
    """Insert a branch; False when the name is taken."""
    inserted = await tx.fetchval(
        "INSERT INTO branches (id, session_id, name, parent_branch_id, forked_after_seq, "
        "forked_after_turn, wanted_name) VALUES ($1, $2, $3, $4, $5, $6, $7) "
        "ON CONFLICT (session_id, name) DO NOTHING RETURNING TRUE",
        branch.id,
        session_id,
        branch.name,
        branch.parent_id,
        branch.after_seq,
        branch.after,
        branch.wanted_name,
    )
    return bool(inserted)


_ABANDON = """
UPDATE branches b SET deleted_at = now() WHERE b.session_id = $1 AND b.wanted_name = $2
  AND b.deleted_at IS NULL
  AND NOT EXISTS (SELECT 1 FROM runs r
                  WHERE r.branch_id = b.id AND r.status IN ('queued', 'running'))
  AND (b.created_at < now() - interval '30 seconds'
       OR EXISTS (SELECT 1 FROM turns t WHERE t.session_id = b.session_id AND t.branch_id = b.id))
"""


async def reserve_name(tx: Tx, session_id: SessionId, wanted_name: str) -> bool:
    """Whether a new branch may wait for this name. The session must be locked.

    A branch whose first run failed gives the name up; so does one that never had a run.
    """
    await tx.execute(_ABANDON, session_id, wanted_name)
    is_taken = await tx.fetchval(
        "SELECT TRUE FROM branches WHERE session_id = $1 AND wanted_name = $2 "
        "AND deleted_at IS NULL",
        session_id,
        wanted_name,
    )
    return not is_taken


_LOCK_SESSION = """
SELECT FROM sessions s JOIN branches b ON b.session_id = s.id WHERE b.id = $1 FOR UPDATE OF s
"""
_ABANDON_EMPTY = """
UPDATE branches b SET deleted_at = now() WHERE id = $1 AND wanted_name IS NOT NULL
  AND NOT EXISTS (SELECT FROM turns t WHERE t.session_id = b.session_id AND t.branch_id = b.id)
"""


async def abandon_branch(tx: Tx, branch_id: BranchId) -> None:
    """Give up a branch that waits for its name and has no turn.

    Needs a transaction: the session is locked first, so that a turn which is being stored counts.
    """
    await tx.execute(_LOCK_SESSION, branch_id)
    await tx.execute(_ABANDON_EMPTY, branch_id)


_ESTABLISH = """
WITH wanted AS (
    SELECT session_id, wanted_name FROM branches WHERE id = $1 AND wanted_name IS NOT NULL
)
UPDATE branches b SET deleted_at = now(), name = b.id::text FROM wanted
WHERE b.session_id = wanted.session_id AND b.name = wanted.wanted_name
  AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.branch_id = b.id AND t.live)
"""


async def establish_branch(tx: Tx, branch_id: BranchId) -> None:
    """Give a branch the name that it waits for; an empty branch of that name makes way."""
    await tx.execute(_ESTABLISH, branch_id)
    await tx.execute(
        "UPDATE branches SET name = wanted_name, wanted_name = NULL "
        "WHERE id = $1 AND wanted_name IS NOT NULL",
        branch_id,
    )


_DESCENDANTS = """
WITH RECURSIVE descendants AS (
    SELECT id FROM branches WHERE id = $1
    UNION ALL
    SELECT c.id FROM branches c JOIN descendants f ON c.parent_branch_id = f.id
    WHERE c.session_id = (SELECT session_id FROM branches WHERE id = $1) AND c.deleted_at IS NULL
)
"""


async def read_descendants(tx: Tx, branch_id: BranchId) -> tuple[tuple[BranchId, ...], bool]:
    """Read the ids of a branch and of all forked from it, and whether any has an active run."""
    row = await tx.fetchrow(
        f"{_DESCENDANTS} SELECT array_agg(id) AS ids, EXISTS (SELECT 1 FROM runs r "  # noqa: S608
        "WHERE r.branch_id IN (SELECT id FROM descendants) "
        "AND r.status IN ('queued', 'running')) AS is_active "
        "FROM descendants",
        branch_id,
    )
    assert row is not None
    return tuple(map(BranchId, row["ids"])), row["is_active"]


async def has_active_run(tx: Tx, branch_id: BranchId) -> bool:
    """Whether a turn of the branch is being answered."""
    active = await tx.fetchval(
        "SELECT TRUE FROM runs WHERE branch_id = $1 AND status IN ('queued', 'running')", branch_id
    )
    return bool(active)


_DELETE_BRANCHES = """
WITH hidden_branches AS (
    UPDATE branches SET deleted_at = now(), name = id::text
    WHERE session_id = $1 AND id = ANY($2)
), hidden_messages AS (
    UPDATE messages m SET deleted_at = now(), updated_at = now() FROM turns t
    WHERE t.session_id = $1 AND m.session_id = $1 AND t.id = m.turn_id AND t.branch_id = ANY($2)
      AND m.deleted_at IS NULL
    RETURNING m.id
)
UPDATE sessions SET message_count = message_count - (SELECT count(*) FROM hidden_messages),
    updated_at = now(), history_version = history_version + 1
WHERE id = $1
"""


async def delete_branches(tx: Tx, session_id: SessionId, ids: Sequence[BranchId]) -> None:
    """Soft-delete branches and their messages. The session must be locked.

    The names become free: a deleted branch is renamed to its id. A run that waits for the lock sees
    by the version that it was for such a branch.
    """
    await tx.execute(_DELETE_BRANCHES, session_id, ids)
    await refresh_has_answer(tx, session_id)


def _build_branch(row: Row) -> Branch:
    return Branch(
        id=BranchId(row["id"]),
        name=row["name"],
        parent=row["parent"],
        forked_after=row["forked_after_turn"],
        forked_after_seq=row["forked_after_seq"],
        own_turns=row["own_turns"],
        created_at=row["created_at"],
    )


_ENSURE_SESSION = """
WITH inserted AS (
    INSERT INTO sessions (id, user_id, status) VALUES ($1, $2, 'completed')
    ON CONFLICT (id) DO NOTHING RETURNING id
)
INSERT INTO branches (id, session_id, name) SELECT $3, id, $4 FROM inserted
"""


async def ensure_session(
    tx: Tx, session_id: SessionId, account_id: AccountId, *, main_branch_id: BranchId
) -> None:
    """Insert an empty session with its main branch, unless there is one, whoever owns it."""
    await tx.execute(_ENSURE_SESSION, session_id, account_id, main_branch_id, MAIN_BRANCH)
