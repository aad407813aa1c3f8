"""SQL of turns, of the versions of their messages, and of the path to a branch's end.

Columns `page_slot`, `page_no` and `page_active` hold the slot, the number and the choice of a
message version.
"""

from collections.abc import Sequence
from itertools import groupby

from msgspec.structs import replace

from yarrow.db import Row, Tx
from yarrow.ids import AccountId, BranchId, MessageId, SessionId, TurnId, new_uuid
from yarrow.sessions.message_versions import order_versions
from yarrow.sessions.model import (
    MAIN_BRANCH,
    AnsweredTurn,
    FoundMessage,
    MessageVersion,
    NewMessageVersions,
    OpenCalls,
    Role,
    TurnRef,
    TurnStatus,
    TurnView,
    VersionMetadata,
    Visibility,
)
from yarrow.sessions.store import decode_details, insert_session

SMALL_INSERT = 100
BATCH = 2_000
"""Turns per statement: many for speed, not so many that the statement times out."""

BRANCH_PATH = """
WITH RECURSIVE path AS (
    SELECT id, name, parent_branch_id, forked_after_seq, forked_after_turn,
           2147483647 AS last_seq, NULL::uuid AS last_turn, NULL::timestamptz AS left_at
    FROM branches WHERE session_id = $1 AND name = $2 AND deleted_at IS NULL
    UNION ALL
    SELECT p.id, p.name, p.parent_branch_id, p.forked_after_seq, p.forked_after_turn,
           c.forked_after_seq, c.forked_after_turn,
           (SELECT created_at FROM turns WHERE id = c.forked_after_turn AND NOT live)
    FROM branches p JOIN path c ON p.id = c.parent_branch_id
    WHERE p.session_id = $1
)
"""
"""A branch ($2 of session $1) and its ancestors, each with its last turn before the fork; with
`left_at`, when that turn began, if the ancestor superseded it since."""

ON_PATH = """
t.session_id = $1 AND t.branch_id = path.id AND t.seq <= path.last_seq
AND CASE WHEN t.seq = path.last_seq THEN t.id = path.last_turn
         WHEN path.left_at IS NULL THEN t.live
         ELSE t.created_at <= path.left_at
              AND (t.live OR t.status = 'superseded' AND t.updated_at > path.left_at) END
"""
"""The turn that a branch was forked after counts even if its own branch superseded it later, and so
do those that it followed: one is superseded only with all turns behind it, or when none is left."""

TURN_COLUMNS = """
t.id AS turn_id, t.session_id, t.seq AS turn_seq, t.status, t.superseded_by,
t.created_at AS turn_created_at, t.updated_at AS turn_updated_at,
coalesce((SELECT p.id FROM turns p
          WHERE p.session_id = t.session_id AND p.branch_id = t.branch_id AND p.seq < t.seq
            AND CASE WHEN t.live THEN p.live AND p.status = 'answered'
                     ELSE p.status IN ('answered', 'superseded') AND p.created_at <= t.created_at
                          AND (p.live OR p.updated_at > t.created_at) END
          ORDER BY p.seq DESC LIMIT 1), b.forked_after_turn) AS parent_id,
coalesce(b.wanted_name, b.name) AS branch
"""

VERSION_COLUMNS = """
m.id, m.page_slot AS slot_id, m.page_no AS version_number, m.page_active AS is_active, m.seq,
m.role, m.content, m.visibility_mask, m.metadata::text AS details, m.input_tokens,
m.output_tokens, m.model_code, m.latency_ms, m.created_at
"""

JOIN_VERSIONS = """
LEFT JOIN messages m ON m.turn_id = t.id AND m.deleted_at IS NULL AND m.role <> 'tool'
"""

_PATH_TURNS = f"""
{BRANCH_PATH}, part AS (
    SELECT t.id FROM path JOIN turns t ON {ON_PATH}
)
SELECT {TURN_COLUMNS}, {VERSION_COLUMNS}
FROM part JOIN turns t ON t.id = part.id JOIN branches b ON b.id = t.branch_id {JOIN_VERSIONS}
ORDER BY t.seq, m.seq
"""  # noqa: S608


async def read_path_turns(tx: Tx, session_id: SessionId, branch: str) -> tuple[TurnView, ...]:
    """Read the turns on the path to a branch's end, oldest first."""
    return build_turn_views(await tx.fetch(_PATH_TURNS, session_id, branch))


async def find_last_answered(tx: Tx, session_id: SessionId, branch: str) -> TurnId | None:
    """Find the last answered turn on the path to a branch's end."""
    turn_id = await tx.fetchval(
        f"{BRANCH_PATH} SELECT t.id FROM path JOIN turns t ON {ON_PATH} "  # noqa: S608
        "WHERE t.status IN ('answered', 'superseded') ORDER BY t.seq DESC LIMIT 1",
        session_id,
        branch,
    )
    return None if turn_id is None else TurnId(turn_id)


_LIVE = """
t.session_id = $1 AND t.live AND t.branch_id IN (
    SELECT id FROM branches
    WHERE session_id = $1 AND deleted_at IS NULL AND ($2::text IS NULL OR name = $2))
"""

_LIVE_TURNS = f"""
SELECT {TURN_COLUMNS}, {VERSION_COLUMNS}
FROM (
    SELECT t.id FROM turns t WHERE {_LIVE}
    ORDER BY t.seq, t.created_at, t.id LIMIT $3 OFFSET $4
) part JOIN turns t ON t.id = part.id JOIN branches b ON b.id = t.branch_id {JOIN_VERSIONS}
ORDER BY t.seq, t.created_at, t.id, m.seq
"""  # noqa: S608


async def read_live_turns(
    tx: Tx, session_id: SessionId, branch: str | None, *, limit: int, offset: int
) -> tuple[TurnView, ...]:
    """Read the live turns of a session, of one branch or of all.

    Not live are superseded turns, and replacements whose run has not committed.
    """
    return build_turn_views(await tx.fetch(_LIVE_TURNS, session_id, branch, limit, offset))


async def count_live_turns(tx: Tx, session_id: SessionId, branch: str | None) -> int:
    count = await tx.fetchval(
        f"SELECT count(*) FROM turns t WHERE {_LIVE}",  # noqa: S608
        session_id,
        branch,
    )
    return int(count)


async def read_turn(tx: Tx, turn_id: TurnId) -> TurnView | None:
    """Read one turn, superseded or not; None if its branch was deleted."""
    rows = await tx.fetch(
        f"SELECT {TURN_COLUMNS}, {VERSION_COLUMNS} FROM turns t "  # noqa: S608
        "JOIN branches b ON b.id = t.branch_id "
        f"AND (b.deleted_at IS NULL OR b.wanted_name IS NOT NULL) {JOIN_VERSIONS} "
        "WHERE t.id = $1 ORDER BY m.seq",
        turn_id,
    )
    return next(iter(build_turn_views(rows)), None)


_REF_COLUMNS = """
t.id AS turn_id, t.session_id, t.branch_id, t.seq AS turn_seq, t.status,
b.name AS branch, s.user_id AS account_id
"""
_JOIN_REF = """
JOIN branches b ON b.id = t.branch_id AND (b.deleted_at IS NULL OR b.wanted_name IS NOT NULL)
JOIN sessions s ON s.id = t.session_id AND s.deleted_at IS NULL
"""


async def find_turn(tx: Tx, turn_id: TurnId) -> TurnRef | None:
    row = await tx.fetchrow(
        f"SELECT {_REF_COLUMNS} FROM turns t {_JOIN_REF} WHERE t.id = $1",  # noqa: S608
        turn_id,
    )
    return None if row is None else _build_turn_ref(row)


async def find_messages(tx: Tx, message_ids: Sequence[MessageId]) -> tuple[FoundMessage, ...]:
    rows = await tx.fetch(
        f"SELECT {_REF_COLUMNS}, {VERSION_COLUMNS} FROM messages m "  # noqa: S608
        f"JOIN turns t ON t.id = m.turn_id {_JOIN_REF} "
        "WHERE m.id = ANY($1) AND m.deleted_at IS NULL",
        message_ids,
    )
    return tuple(FoundMessage(_build_version(row), _build_turn_ref(row)) for row in rows)


async def activate_version(tx: Tx, version: MessageVersion) -> None:
    """Choose this version among its alternatives. The session must be locked.

    Two statements, because within one the unique index would see two active versions.
    """
    await tx.execute(
        "UPDATE messages SET page_active = false, updated_at = now() "
        "WHERE page_slot = $1 AND page_active AND id <> $2",
        version.slot_id,
        version.id,
    )
    await tx.execute(
        "UPDATE messages SET page_active = true, updated_at = now() "
        "WHERE id = $1 AND NOT page_active",
        version.id,
    )


async def set_hidden(tx: Tx, slot_ids: Sequence[MessageId], *, hidden: bool) -> None:
    """Hide messages and their alternatives from prompts, or show them again."""
    await tx.execute(
        "UPDATE messages SET updated_at = now(), visibility_mask = "
        "CASE WHEN $2 THEN visibility_mask & ~2 ELSE visibility_mask | 2 END "
        "WHERE id = ANY($1) OR page_slot = ANY($1)",
        slot_ids,
        hidden,
    )


async def replace_content(tx: Tx, message_id: MessageId, content: str) -> None:
    """Replace the text of one message version."""
    await tx.execute(
        "UPDATE messages SET content = $2, updated_at = now() WHERE id = $1", message_id, content
    )


async def insert_conversation(
    tx: Tx,
    session_id: SessionId,
    account_id: AccountId,
    conversation: Sequence[tuple[NewMessageVersions, ...]],
) -> None:
    """Create the session with a client's conversation as the first turns of its main branch."""
    branch_id = BranchId(new_uuid())
    await insert_session(tx, session_id, account_id, title=None, main_branch_id=branch_id)
    turns = [
        AnsweredTurn(TurnId(new_uuid()), seq, slots) for seq, slots in enumerate(conversation, 1)
    ]
    await insert_turns(tx, session_id, branch_id, turns=turns)


async def insert_turns(
    tx: Tx, session_id: SessionId, branch_id: BranchId, *, turns: Sequence[AnsweredTurn]
) -> None:
    """Insert answered turns on a branch. The session must be new, or locked."""
    if len(turns) > SMALL_INSERT:
        await tx.execute(_PLAN_FOR_LARGE_INSERT)
    for start in range(0, len(turns), BATCH):
        await _insert_batch(tx, session_id, branch_id, turns[start : start + BATCH])


_PLAN_FOR_LARGE_INSERT = "SET LOCAL enable_seqscan = off; DISCARD PLANS"
"""Cached plans include those of foreign keys. One that was made when the tables were small scans
all of `turns` for each message, which makes an import a hundred times slower."""

_INSERT_TURNS = """
INSERT INTO turns (id, session_id, branch_id, seq, status)
SELECT n.id, $1, $2, n.seq, 'answered' FROM unnest($3::uuid[], $4::int[]) AS n (id, seq)
"""

_INSERT_VERSIONS = """
WITH stored AS (
    INSERT INTO messages (id, session_id, turn_id, seq, role, content, visibility_mask, metadata,
        page_slot, page_no, page_active, created_at, model_code, output_tokens)
    SELECT p.id, $1, p.turn_id,
           p.n + coalesce((SELECT max(seq) FROM messages WHERE session_id = $1), 0),
           p.role, p.content, p.visibility, p.metadata, p.slot, p.number, p.active,
           coalesce(p.created_at, now()), p.model, p.tokens
    FROM unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::int[], $7::jsonb[],
                $8::uuid[], $9::int[], $10::bool[], $11::timestamptz[], $12::text[], $13::int[])
         WITH ORDINALITY AS p (id, turn_id, role, content, visibility, metadata,
                               slot, number, active, created_at, model, tokens, n)
    RETURNING role = 'assistant' AND page_active AND visibility_mask & 1 = 1 AS is_answer
)
UPDATE sessions SET message_count = message_count + (SELECT count(*) FROM stored),
    has_answer = has_answer OR coalesce((SELECT bool_or(is_answer) FROM stored), FALSE),
    last_activity_at = now(), updated_at = now()
WHERE id = $1
"""


async def _insert_batch(
    tx: Tx, session_id: SessionId, branch_id: BranchId, turns: Sequence[AnsweredTurn]
) -> None:
    ids, seqs = [turn.id for turn in turns], [turn.seq for turn in turns]
    await tx.execute(_INSERT_TURNS, session_id, branch_id, ids, seqs)
    rows = [
        row for turn in turns for slot in turn.slots for row in _make_version_rows(turn.id, slot)
    ]
    await tx.execute(_INSERT_VERSIONS, session_id, *map(list, zip(*rows, strict=True)))


def _make_version_rows(turn_id: TurnId, slot: NewMessageVersions) -> list[tuple[object, ...]]:
    """Make the columns of each version. A message without alternatives has no slot."""
    ids = slot.ids or [MessageId(new_uuid()) for _ in slot.texts]
    others = replace(slot.details, line={})
    facts = slot.facts or (VersionMetadata(),) * len(ids)
    return [
        (
            message_id,
            turn_id,
            slot.role,
            text,
            int(slot.visibility),
            others if number else slot.details,
            ids[0] if len(ids) > 1 else None,
            number,
            number == slot.active,
            known.created_at,
            known.model,
            known.output_tokens,
        )
        for number, (message_id, text, known) in enumerate(zip(ids, slot.texts, facts, strict=True))
    ]


def build_turn_views(rows: Sequence[Row]) -> tuple[TurnView, ...]:
    """Group rows by turn; they are sorted by it. A turn without messages has one row of nulls."""
    return tuple(
        _build_turn_view(list(group)) for _, group in groupby(rows, lambda row: row["turn_id"])
    )


def _build_turn_view(rows: list[Row]) -> TurnView:
    row = rows[0]
    return TurnView(
        id=TurnId(row["turn_id"]),
        session_id=SessionId(row["session_id"]),
        branch=row["branch"],
        seq=row["turn_seq"],
        status=TurnStatus(row["status"]),
        parent_id=row["parent_id"],
        superseded_by=row["superseded_by"],
        created_at=row["turn_created_at"],
        updated_at=row["turn_updated_at"],
        versions=order_versions(_build_version(row) for row in rows if row["id"] is not None),
    )


def _build_version(row: Row) -> MessageVersion:
    return MessageVersion(
        id=MessageId(row["id"]),
        turn_id=TurnId(row["turn_id"]),
        slot_id=MessageId(row["slot_id"] or row["id"]),
        number=row["version_number"],
        active=row["is_active"],
        seq=row["seq"],
        role=Role(row["role"]),
        content=row["content"],
        visibility=Visibility(row["visibility_mask"]),
        details=decode_details(row["details"]),
        tokens=(row["input_tokens"], row["output_tokens"]),
        model=row["model_code"],
        latency_ms=row["latency_ms"],
        created_at=row["created_at"],
    )


def _build_turn_ref(row: Row) -> TurnRef:
    return TurnRef(
        id=TurnId(row["turn_id"]),
        account_id=AccountId(row["account_id"]),
        session_id=SessionId(row["session_id"]),
        branch_id=BranchId(row["branch_id"]),
        branch=row["branch"],
        seq=row["turn_seq"],
        status=TurnStatus(row["status"]),
    )


_OPEN_CALLS = """
SELECT t.id, m.metadata::text AS details,
       ARRAY(SELECT a.metadata -> 'tool_call' ->> 0 FROM messages a WHERE a.turn_id = t.id
             AND a.deleted_at IS NULL AND a.metadata ? 'tool_call') AS answered_ids,
       (SELECT i.content FROM messages i WHERE i.turn_id = t.id ORDER BY i.seq LIMIT 1) AS question,
       (SELECT count(*) FROM messages c WHERE c.turn_id = t.id AND c.deleted_at IS NULL
        AND c.role = 'tool' AND c.metadata ? 'tool_results') AS continuations
FROM branches b
JOIN LATERAL (SELECT id FROM turns WHERE branch_id = b.id AND live AND status = 'answered'
              ORDER BY seq DESC LIMIT 1) t ON TRUE
JOIN LATERAL (SELECT metadata FROM messages WHERE turn_id = t.id AND deleted_at IS NULL
              AND page_active AND role = 'assistant' ORDER BY seq DESC LIMIT 1) m ON TRUE
WHERE b.session_id = $1 AND b.name = $2
"""


async def read_open_calls(tx: Tx, session_id: SessionId) -> OpenCalls | None:
    """Read the calls of client tools that the newest turn of the main branch ends with."""
    row = await tx.fetchrow(_OPEN_CALLS, session_id, MAIN_BRANCH)
    if row is None:
        return None
    calls = decode_details(row["details"]).tool_calls
    return OpenCalls(
        TurnId(row["id"]),
        frozenset(call.id for call in calls),
        frozenset(row["answered_ids"]),
        question=row["question"],
        continuations=row["continuations"],
    )
