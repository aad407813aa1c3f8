"""SQL of branches."""

from collections.abc import Sequence

from yarrow.db import Row, Tx
from yarrow.ids import BranchId, SessionId
from yarrow.sessions.model import Branch, NewBranch
from yarrow.sessions.store import refresh_has_answer

_BRANCHES = """
SELECT b.id, b.name, p.name AS parent, b.forked_after_turn, b.forked_after_seq, b.created_at,
       (SELECT count(*) FROM turns t
        WHERE t.branch_id = b.id AND t.live) AS own_turns
FROM branches b LEFT JOIN branches p ON p.id = b.parent_branch_id
WHERE b.session_id = $1 AND b.deleted_at IS NULL AND ($2::text IS NULL OR b.name = $2)
ORDER BY b.created_at, b.id
"""


async def read_branches(
    tx: Tx, session_id: SessionId, name: str | None = None
) -> tuple[Branch, ...]:
    """Read the branches of a session, oldest first, or only the one with this name."""
    return tuple(map(_branch, await tx.fetch(_BRANCHES, session_id, name)))


async def insert_branch(tx: Tx, session_id: SessionId, branch: NewBranch) -> bool:
    """Insert a branch; False when the name is taken."""
    inserted = await tx.fetchval(
        "INSERT INTO branches (id, session_id, name, parent_branch_id, forked_after_seq, "
        "forked_after_turn) VALUES ($1, $2, $3, $4, $5, $6) "
        "ON CONFLICT (session_id, name) DO NOTHING RETURNING TRUE",
        branch.id,
        session_id,
        branch.name,
        branch.parent_id,
        branch.after_seq,
        branch.after,
    )
    return bool(inserted)


_DESCENDANTS = """
WITH RECURSIVE descendants AS (
    SELECT id FROM branches WHERE id = $1
    UNION ALL
    SELECT c.id FROM branches c JOIN descendants f ON c.parent_branch_id = f.id
    WHERE c.session_id = (SELECT session_id FROM branches WHERE id = $1) AND c.deleted_at IS NULL
)
"""


async def read_descendants(tx: Tx, branch_id: BranchId) -> tuple[tuple[BranchId, ...], bool]:
    """Read the ids of a branch and of all forked from it, and whether any has an open turn."""
    row = await tx.fetchrow(
        f"{_DESCENDANTS} SELECT array_agg(id) AS ids, EXISTS (SELECT 1 FROM turns t "  # noqa: S608
        "WHERE t.session_id = (SELECT session_id FROM branches WHERE id = $1) "
        "AND t.branch_id IN (SELECT id FROM descendants) AND t.status = 'open') AS has_open_turn "
        "FROM descendants",
        branch_id,
    )
    assert row is not None
    return tuple(map(BranchId, row["ids"])), row["has_open_turn"]


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
    updated_at = now()
WHERE id = $1
"""


async def delete_branches(tx: Tx, session_id: SessionId, ids: Sequence[BranchId]) -> None:
    """Soft-delete branches and their messages. The session must be locked.

    The names become free: a deleted branch is renamed to its id.
    """
    await tx.execute(_DELETE_BRANCHES, session_id, ids)
    await refresh_has_answer(tx, session_id)


def _branch(row: Row) -> Branch:
    return Branch(
        id=BranchId(row["id"]),
        name=row["name"],
        parent=row["parent"],
        forked_after=row["forked_after_turn"],
        forked_after_seq=row["forked_after_seq"],
        own_turns=row["own_turns"],
        created_at=row["created_at"],
    )
