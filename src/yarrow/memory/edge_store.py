"""SQL of the edges between memories."""

from collections.abc import Sequence
from uuid import UUID

from yarrow.db import Row, Tx
from yarrow.ids import AccountId, MemoryId
from yarrow.kit.json import JsonObject
from yarrow.memory.model import MemoryEdge, MemoryRelation
from yarrow.memory.store import HIDING_IN, make_live_condition

_INSERT_EDGES = """
INSERT INTO memory_edges (id, account_id, source_id, target_id, relation, replies)
SELECT w.id, $1, w.source_id, w.target_id, w.relation, w.replies
FROM json_to_recordset($2)
    AS w (id uuid, source_id uuid, target_id uuid, relation text, replies uuid[])
JOIN memory_items target ON target.id = w.target_id AND target.account_id = $1
LEFT JOIN memory_items source ON source.id = w.source_id AND source.account_id = $1
WHERE w.source_id IS NULL OR source.id IS NOT NULL
ON CONFLICT DO NOTHING
"""


async def insert_edges(tx: Tx, account_id: AccountId, edges: Sequence[MemoryEdge]) -> None:
    """Insert edges; one whose ends are not there any more, or that is stored, is left out."""
    rows: list[JsonObject] = [
        {
            "id": str(edge.id),
            "source_id": None if edge.source_id is None else str(edge.source_id),
            "target_id": str(edge.target_id),
            "relation": edge.relation,
            "replies": list(map(str, edge.replies)),
        }
        for edge in edges
    ]
    if rows:
        await tx.execute(_INSERT_EDGES, account_id, rows)


async def save_edge(tx: Tx, account_id: AccountId, edge: MemoryEdge) -> MemoryEdge | None:
    """Store an edge of a person, also in place of a turn's; None if one of its ends is gone."""
    row = await tx.fetchrow(
        "INSERT INTO memory_edges AS e (id, account_id, source_id, target_id, relation) "
        "SELECT $2, $1, source.id, target.id, $5 FROM memory_items source, memory_items target "
        "WHERE source.account_id = $1 AND source.id = $3 "
        "AND target.account_id = $1 AND target.id = $4 "
        "ON CONFLICT (source_id, target_id, relation) DO UPDATE SET replies = '{}' RETURNING e.*",
        account_id,
        edge.id,
        edge.source_id,
        edge.target_id,
        edge.relation,
    )
    return None if row is None else _build_edge(row)


async def delete_hiding_edges(tx: Tx, memory_id: MemoryId) -> None:
    """Delete the edges that hide a memory."""
    await tx.execute(
        f"DELETE FROM memory_edges WHERE target_id = $1 AND relation IN ({HIDING_IN})",  # noqa: S608
        memory_id,
    )


_EDGES = f"""
FROM memory_edges e WHERE e.account_id = $1 AND e.source_id IS NOT NULL
  AND ($2::uuid IS NULL OR e.source_id = $2 OR e.target_id = $2)
  AND ($3::text IS NULL OR e.relation = $3) AND {make_live_condition("e.replies")}
"""


async def list_edges(
    tx: Tx,
    account_id: AccountId,
    *,
    memory_id: MemoryId | None,
    relation: MemoryRelation | None,
    limit: int,
    offset: int,
) -> tuple[tuple[MemoryEdge, ...], int]:
    """List some of the account's edges, newest first, and count all that match."""
    values = (account_id, memory_id, relation)
    rows = await tx.fetch(
        f"SELECT e.* {_EDGES} ORDER BY e.created_at DESC, e.id LIMIT $4 OFFSET $5",
        *values,
        limit,
        offset,
    )
    total = await tx.fetchval(f"SELECT count(*) {_EDGES}", *values)
    return tuple(map(_build_edge, rows)), total


async def delete_edge(tx: Tx, account_id: AccountId, edge_id: UUID) -> bool:
    """Delete an edge; False if the account has none of this id."""
    deleted = await tx.fetchval(
        "DELETE FROM memory_edges WHERE account_id = $1 AND id = $2 AND source_id IS NOT NULL "
        "RETURNING TRUE",
        account_id,
        edge_id,
    )
    return bool(deleted)


def _build_edge(row: Row) -> MemoryEdge:
    source = row["source_id"]
    return MemoryEdge(
        id=row["id"],
        source_id=None if source is None else MemoryId(source),
        target_id=MemoryId(row["target_id"]),
        relation=MemoryRelation(row["relation"]),
        replies=tuple(row["replies"]),
        created_at=row["created_at"],
    )
