"""SQL of some of the turns on the path to a branch's end."""

from yarrow.db import Tx
from yarrow.ids import SessionId
from yarrow.sessions.model import TurnView
from yarrow.sessions.turn_store import (
    BRANCH_PATH,
    JOIN_VERSIONS,
    ON_PATH,
    TURN_COLUMNS,
    VERSION_COLUMNS,
    build_turn_views,
)

# The part is cut at the nearer end, in the index of a session's turns. Only one of both parts is
# executed, by the same snapshot that counts.
_PART = """
SELECT t.id FROM path CROSS JOIN LATERAL (
    SELECT t.id, t.seq FROM turns t WHERE {on_path} ORDER BY t.seq {order} LIMIT {limit} + {skipped}
) t
WHERE (SELECT total FROM counted) {near} 2 * $4::bigint
ORDER BY t.seq {order} LIMIT {limit} OFFSET {skipped}
"""
_FROM_START = _PART.format(
    on_path=ON_PATH, order="ASC", near=">=", limit="$3::bigint", skipped="$4::bigint"
)
_FROM_END = _PART.format(
    on_path=ON_PATH,
    order="DESC",
    near="<",
    limit="(SELECT greatest(0, least($3, total - $4)) FROM counted)",
    skipped="(SELECT greatest(0, total - $4 - $3) FROM counted)",
)
_PATH_PART = f"""
{BRANCH_PATH}, counted AS MATERIALIZED (
    SELECT count(*) AS total FROM path JOIN turns t ON {ON_PATH}
), part AS (({_FROM_START}) UNION ALL ({_FROM_END}))
SELECT counted.total, {TURN_COLUMNS}, {VERSION_COLUMNS}
FROM counted LEFT JOIN (
    part JOIN turns t ON t.id = part.id JOIN branches b ON b.id = t.branch_id {JOIN_VERSIONS}
) ON TRUE
ORDER BY t.seq, m.seq
"""  # noqa: S608


async def read_path_part(
    tx: Tx, session_id: SessionId, branch: str, *, limit: int, offset: int
) -> tuple[tuple[TurnView, ...], int]:
    """Read some of the turns on the path to a branch's end, oldest first, and count all."""
    rows = await tx.fetch(_PATH_PART, session_id, branch, limit, offset)
    turns = build_turn_views([row for row in rows if row["turn_id"] is not None])
    return turns, rows[0]["total"]
