"""SQL of memories."""

from collections.abc import Callable, Sequence
from uuid import UUID

import msgspec

from yarrow.db import Row, Tx
from yarrow.ids import AccountId, BranchId, MemoryId, MessageId, SessionId, TurnId
from yarrow.kit.json import JsonObject
from yarrow.memory.model import (
    ACCOUNT_MAX,
    HIDING,
    MemoryItem,
    MemoryRelation,
    MemoryScope,
    MemoryScopeRef,
    NewMemory,
    StoredMemory,
)
from yarrow.prompting.choose_memories import MemoryKind, SummaryTier
from yarrow.sessions.turn_store import BRANCH_PATH, ON_PATH

GLOBAL_LIMIT = 200
STORY_LIMIT = 300
MICRO_LIMIT = 300
"""How many memories of each sort a prompt is chosen from: the most important, the newest micro."""

RECOUNT_AFTER = 1_000
"""After so many new memories those of the account are counted again."""

HIDING_IN = ", ".join(f"'{relation}'" for relation in HIDING)
"""The relations that hide a memory, for `IN (…)`."""

_STORED_COLUMNS = f"""
i.id, i.scope, i.kind, i.tier, i.content, i.fact_key, i.importance,
extract(epoch FROM i.created_at)::float8, i.replies, i.turn_id, i.source_turn,
(SELECT json_agg(e.replies) FROM memory_edges e
 WHERE e.target_id = i.id AND e.relation IN ({HIDING_IN}))
"""  # noqa: S608

JOIN_MEMORIES = f"""
LEFT JOIN LATERAL (
    SELECT json_agg(json_build_array({_STORED_COLUMNS}))::text AS memories FROM (
        (SELECT i.* FROM memory_items i
         WHERE i.account_id = s.user_id AND i.scope = 'global' AND i.is_active
         ORDER BY i.importance DESC, i.created_at DESC LIMIT {GLOBAL_LIMIT})
        UNION ALL
        (SELECT i.* FROM memory_items i
         WHERE i.session_id = s.id AND i.is_active AND i.tier IS DISTINCT FROM 'micro'
         ORDER BY i.importance DESC, i.created_at DESC LIMIT {STORY_LIMIT})
        UNION ALL
        (SELECT i.* FROM memory_items i
         WHERE i.session_id = s.id AND i.is_active AND i.tier = 'micro'
         ORDER BY i.created_at DESC LIMIT {MICRO_LIMIT})
    ) i
    WHERE i.scope <> 'branch' OR i.replies <> '{{}}' OR i.branch_id = br.id
       OR (i.branch_id IN (SELECT id FROM path) AND i.created_at <= br.created_at)
) remembered ON true
"""  # noqa: S608
"""Join for a statement that begins with `BRANCH_PATH` and has `sessions s` and `branches br`.

Whether the replies of a memory are live is decided by the history that the statement reads. What a
person wrote for a branch counts there and on branches that were made from it later.
"""

_decoder = msgspec.json.Decoder(tuple[StoredMemory, ...])


def decode_memories(text: str | None) -> tuple[StoredMemory, ...]:
    """Decode the column of `JOIN_MEMORIES`."""
    return () if text is None else _decoder.decode(text)


_LIVE_REPLIES = """
SELECT count(*) FROM messages m JOIN turns t ON t.id = m.turn_id
JOIN branches b ON b.id = t.branch_id
WHERE m.page_active AND m.deleted_at IS NULL AND b.deleted_at IS NULL
  AND (t.live OR EXISTS (
      SELECT 1 FROM (
          SELECT forked_after_turn FROM branches
          WHERE session_id = b.session_id AND parent_branch_id = b.id AND deleted_at IS NULL
          OFFSET 0
      ) f CROSS JOIN LATERAL (SELECT * FROM turns WHERE id = f.forked_after_turn OFFSET 0) last
      WHERE (last.id = t.id
             OR NOT last.live AND last.seq > t.seq AND t.status = 'superseded'
                AND t.created_at <= last.created_at AND t.updated_at > last.created_at)))
  AND m.id = ANY
"""


def make_live_condition(replies: str) -> str:
    """A condition: every one of these replies is in some branch of the story.

    It counts them: the planner would join tables as a whole for a NOT EXISTS.
    """
    return f"cardinality({replies}) = ({_LIVE_REPLIES} ({replies}))"


def join_branch(is_live: Callable[[str], str]) -> str:
    """Join the branch of an item and the relations that hide it."""
    return f"""
LEFT JOIN LATERAL (SELECT * FROM branches WHERE id = i.branch_id OFFSET 0) ib ON true
LEFT JOIN LATERAL (
    SELECT array_agg(DISTINCT e.relation) AS relations FROM memory_edges e
    WHERE (i.may_be_deprecated OR i.may_be_compacted)
    AND e.target_id = i.id AND e.relation IN ({HIDING_IN})
    AND {is_live("e.replies")}
) hiding ON true
"""  # noqa: S608


def join_items(is_live: Callable[[str], str], source: str) -> str:
    """Join branch and relations, and select live items."""
    return f"""
{join_branch(is_live)}
WHERE {source} AND {is_live("i.replies")}
  AND (ib.id IS NULL OR ib.deleted_at IS NULL)
"""


# IS TRUE: the index of all memories of the account would be read to check the replies of fewer.
_JOINED = join_items(make_live_condition, "(i.account_id = $1) IS TRUE")

ITEM_COLUMNS = """
i.*, coalesce(ib.wanted_name, ib.name) AS branch, hiding.relations,
(SELECT array_agg(DISTINCT m.turn_id) FROM messages m WHERE m.id = ANY(i.replies)) AS covered
"""


async def read_live_replies(tx: Tx, session_id: SessionId, branch: str) -> tuple[MessageId, ...]:
    """The active replies of all turns on the path to a branch's end."""
    rows = await tx.fetch(
        f"{BRANCH_PATH} SELECT m.id FROM path JOIN turns t ON {ON_PATH} "  # noqa: S608
        "JOIN messages m ON m.turn_id = t.id WHERE m.page_active AND m.deleted_at IS NULL",
        session_id,
        branch,
    )
    return tuple(row["id"] for row in rows)


async def find_items(
    tx: Tx, account_id: AccountId, memory_ids: Sequence[MemoryId]
) -> tuple[MemoryItem, ...]:
    """Read these memories, if they are the account's and their turns are live."""
    rows = await tx.fetch(
        f"SELECT {ITEM_COLUMNS} FROM memory_items i {_JOINED} AND i.id = ANY($2)",  # noqa: S608
        account_id,
        memory_ids,
    )
    return tuple(map(build_item, rows))


_COUNT_NEWER = """
SELECT c.counted, (
    SELECT count(*) FROM (
        SELECT 1 FROM memory_items i
        WHERE i.account_id = $1 AND i.created_at > c.counted_at LIMIT $2
    ) newer
) AS newer
FROM memory_counts c WHERE c.account_id = $1
"""
_COUNT_ALL = """
INSERT INTO memory_counts AS c (account_id, counted, counted_at)
SELECT $1, count(*), now() FROM memory_items WHERE account_id = $1
ON CONFLICT (account_id) DO UPDATE
    SET counted = excluded.counted, counted_at = excluded.counted_at
RETURNING c.counted
"""


async def has_room(tx: Tx, account_id: AccountId) -> bool:
    """Whether the account has no more than `ACCOUNT_MAX` memories, those of this transaction too.

    The last count is stored. What was deleted since is in it, so a full account is counted again.
    """
    row = await tx.fetchrow(_COUNT_NEWER, account_id, RECOUNT_AFTER + 1)
    if row is not None and row["newer"] <= RECOUNT_AFTER:
        count = row["counted"] + row["newer"]
        if count <= ACCOUNT_MAX:
            return True
    return bool(await tx.fetchval(_COUNT_ALL, account_id) <= ACCOUNT_MAX)


_INSERT = """
INSERT INTO memory_items (id, account_id, scope, session_id, branch_id, turn_id, kind, tier,
    content, fact_key, importance, confidence, is_active, replies, source_turn, source_reply)
SELECT w.id, $1, w.scope, w.session_id, w.branch_id, w.turn_id, w.kind, w.tier,
    w.content, w.fact_key, w.importance, w.confidence, w.is_active, w.replies, w.source_turn,
    w.source_reply
FROM json_to_recordset($2) AS w (id uuid, scope text, session_id uuid, branch_id uuid,
    turn_id uuid, kind text, tier text, content text, fact_key text, importance float8,
    confidence float8, is_active boolean, replies uuid[], source_turn uuid, source_reply uuid)
ON CONFLICT (id) DO NOTHING
"""


async def insert_items(tx: Tx, account_id: AccountId, items: Sequence[NewMemory]) -> None:
    """Insert memories; one whose id is stored already is left as it is."""
    rows: list[JsonObject] = [
        {
            "id": str(item.id),
            "scope": item.place.scope,
            "session_id": _format_uuid(item.place.session_id),
            "branch_id": _format_uuid(item.place.branch_id),
            "turn_id": _format_uuid(item.place.turn_id),
            "kind": item.kind,
            "tier": item.tier,
            "content": item.content,
            "fact_key": item.fact_key,
            "importance": item.importance,
            "confidence": item.confidence,
            "is_active": item.is_active,
            "replies": list(map(str, item.replies)),
            "source_turn": _format_uuid(item.source_turn),
            "source_reply": _format_uuid(item.source_reply),
        }
        for item in items
    ]
    if rows:
        await tx.execute(_INSERT, account_id, rows)


def _format_uuid(uuid: UUID | None) -> str | None:
    return None if uuid is None else str(uuid)


async def update_item(tx: Tx, memory: NewMemory) -> None:
    """Store a memory that a person changed: it is theirs from now on."""
    await tx.execute(
        "UPDATE memory_items SET content = $2, fact_key = $3, importance = $4, confidence = $5, "
        "is_active = $6, replies = '{}', updated_at = now() WHERE id = $1",
        memory.id,
        memory.content,
        memory.fact_key,
        memory.importance,
        memory.confidence,
        memory.is_active,
    )


async def delete_items(
    tx: Tx, account_id: AccountId, memory_ids: Sequence[MemoryId]
) -> frozenset[MemoryId]:
    """Delete memories with their edges; returns those that belong to the account."""
    rows = await tx.fetch(
        "DELETE FROM memory_items WHERE account_id = $1 AND id = ANY($2) RETURNING id",
        account_id,
        memory_ids,
    )
    return frozenset(MemoryId(row["id"]) for row in rows)


def build_item(row: Row) -> MemoryItem:
    session_id, branch_id, turn_id = row["session_id"], row["branch_id"], row["turn_id"]
    turn, reply, tier = row["source_turn"], row["source_reply"], row["tier"]
    place = MemoryScopeRef(
        MemoryScope(row["scope"]),
        None if session_id is None else SessionId(session_id),
        None if branch_id is None else BranchId(branch_id),
        None if turn_id is None else TurnId(turn_id),
    )
    memory = NewMemory(
        id=MemoryId(row["id"]),
        place=place,
        kind=MemoryKind(row["kind"]),
        content=row["content"],
        tier=None if tier is None else SummaryTier(tier),
        fact_key=row["fact_key"],
        importance=row["importance"],
        confidence=row["confidence"],
        is_active=row["is_active"],
        replies=tuple(row["replies"]),
        source_turn=None if turn is None else TurnId(turn),
        source_reply=None if reply is None else MessageId(reply),
    )
    return MemoryItem(
        memory=memory,
        account_id=AccountId(row["account_id"]),
        branch=row["branch"],
        relations=tuple(map(MemoryRelation, row["relations"] or ())),
        covered_turns=tuple(map(TurnId, row["covered"] or ())),
        created_at=row["created_at"],
        updated_at=row["updated_at"],
    )
