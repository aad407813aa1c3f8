"""SQL of sessions and of the messages in them; pages of history are in `history_store`."""

from collections.abc import Sequence
from datetime import UTC, datetime

import msgspec

from yarrow.db import Row, Tx
from yarrow.db.patterns import escape_like
from yarrow.ids import AccountId, BranchId, MessageId, SessionId
from yarrow.kit.threads import run_in_thread_if_large
from yarrow.sessions.model import (
    MAIN_BRANCH,
    Message,
    MessageDetails,
    Ownership,
    RecentSession,
    Role,
    SearchHit,
)

MESSAGE_COLUMNS = (
    "m.id, m.session_id, m.seq, m.role, m.content, m.tool_name, m.metadata::text AS details, "
    "m.created_at, m.model_code"
)
_details_decoder = msgspec.json.Decoder(MessageDetails)

decode_details = _details_decoder.decode
"""Decode `metadata::text` straight into its struct, without a dictionary in between.

A `MessageDetails` as the parameter of a jsonb column is encoded by the connection's codec."""


_INSERT_SESSION = """
WITH inserted AS (
    INSERT INTO sessions (id, user_id, title, status) VALUES ($1, $2, $3, 'completed')
    RETURNING id
)
INSERT INTO branches (id, session_id, name) SELECT $4, id, $5 FROM inserted
"""


async def insert_session(
    tx: Tx,
    session_id: SessionId,
    account_id: AccountId,
    *,
    title: str | None,
    main_branch_id: BranchId,
) -> None:
    """Insert a session with an empty main branch, without a run.

    A session that begins with a run is inserted by `runs/transitions.py`, in the same statement.
    """
    await tx.execute(_INSERT_SESSION, session_id, account_id, title, main_branch_id, MAIN_BRANCH)


async def update_title(tx: Tx, session_id: SessionId, title: str | None) -> None:
    """Set the title, and the time of the last change."""
    await tx.execute(
        "UPDATE sessions SET title = $2, updated_at = now() WHERE id = $1", session_id, title
    )


async def ensure_operator_session(tx: Tx, account_id: AccountId) -> SessionId:
    """Find or insert the session that ledger entries of operators refer to.

    The caller holds a lock on the account, so two operators cannot insert two of them.
    """
    session_id = await tx.fetchval(
        "SELECT id FROM sessions"
        " WHERE user_id = $1 AND session_type = 'automation' AND deleted_at IS NULL"
        " ORDER BY created_at, id LIMIT 1",
        account_id,
    )
    if session_id is None:
        session_id = await tx.fetchval(
            "INSERT INTO sessions (user_id, session_type, status, title)"
            " VALUES ($1, 'automation', 'completed', 'points') RETURNING id",
            account_id,
        )
    return SessionId(session_id)


async def read_answered(tx: Tx, session_id: SessionId) -> tuple[Message, ...]:
    """Read what a model sees: the messages of answered turns on the main branch."""
    rows = await tx.fetch(
        f"SELECT {MESSAGE_COLUMNS} FROM messages m JOIN turns t ON t.id = m.turn_id "  # noqa: S608
        "JOIN branches b ON b.id = t.branch_id AND b.name = $2 "
        "WHERE m.session_id = $1 AND m.deleted_at IS NULL AND m.page_active "
        "AND t.status = 'answered' AND m.visibility_mask & 2 = 2 ORDER BY m.seq",
        session_id,
        MAIN_BRANCH,
    )
    return await build_messages(rows)


_BRANCH_ANSWERS = f"""
WITH RECURSIVE path AS (
    SELECT id, parent_branch_id, forked_after_seq, forked_after_turn,
           $2::int - 1 AS last_seq, NULL::uuid AS last_turn
    FROM branches WHERE id = $1
    UNION ALL
    SELECT p.id, p.parent_branch_id, p.forked_after_seq, p.forked_after_turn,
           c.forked_after_seq, c.forked_after_turn
    FROM branches p JOIN path c ON p.id = c.parent_branch_id
    WHERE p.session_id = (SELECT session_id FROM branches WHERE id = $1)
)
SELECT {MESSAGE_COLUMNS} FROM (
    SELECT t.id, t.seq FROM path CROSS JOIN LATERAL (
        (SELECT id, seq FROM turns
         WHERE branch_id = path.id AND live AND status = 'answered'
           AND seq < path.last_seq + (path.last_turn IS NULL)::int
         ORDER BY seq DESC LIMIT $3::int)
        UNION ALL
        (SELECT id, seq FROM turns
         WHERE id = path.last_turn AND branch_id = path.id AND seq <= path.last_seq
           AND status IN ('answered', 'superseded'))
    ) t
    ORDER BY t.seq DESC LIMIT $3::int
) t
JOIN messages m ON m.turn_id = t.id
WHERE m.deleted_at IS NULL AND m.page_active AND m.visibility_mask & 2 = 2
ORDER BY t.seq, m.seq
"""  # noqa: S608
"""The turn that a branch was forked after counts even if its own branch superseded it later."""


async def read_branch_answers(
    tx: Tx, branch_id: BranchId, *, before_seq: int, turns: int | None = None
) -> tuple[Message, ...]:
    """Read what a model sees when it answers a turn: the answered turns before it, or so many of
    them, the newest.

    A forked branch begins with the turns of its ancestors, up to the fork.
    """
    return await build_messages(await tx.fetch(_BRANCH_ANSWERS, branch_id, before_seq, turns))


SHOWN = (
    "m.session_id = {session} AND m.deleted_at IS NULL AND m.page_active "
    "AND m.visibility_mask & 1 = 1 "
    "AND (t.live IS NOT FALSE OR (t.status = 'failed' AND t.replaces IS NULL))"
)
"""The user sees messages of live turns, the input of failed ones, and messages without a turn. A
failed replacement is not shown: the turn that it was for still is."""

SHOWN_MESSAGES = "messages m LEFT JOIN turns t ON t.id = m.turn_id"


_HAS_ANSWER = f"""EXISTS (
    SELECT 1 FROM {SHOWN_MESSAGES} WHERE {SHOWN.format(session="$1")} AND m.role = 'assistant'
)"""  # noqa: S608


async def refresh_has_answer(tx: Tx, session_id: SessionId) -> None:
    """Recompute `has_answer` after messages were deleted. The session must be locked."""
    await tx.execute(
        f"UPDATE sessions SET has_answer = {_HAS_ANSWER} WHERE id = $1",  # noqa: S608
        session_id,
    )


def build_after_session(number: int) -> str:
    """The condition of sessions behind a `ListPosition`, the most recently active first; `number`
    is that of its first parameter."""
    at, id_ = f"${number}", f"${number + 1}"
    return f"AND last_activity_at <= {at} AND (last_activity_at < {at} OR id > {id_})"


_RECENT_SESSIONS = """
SELECT id, coalesce(title, '') AS title, last_activity_at, message_count FROM sessions
WHERE user_id = $1 AND deleted_at IS NULL AND id IS DISTINCT FROM $2 AND last_activity_at < $3
ORDER BY last_activity_at DESC, id LIMIT $4
"""


async def read_recent_sessions(
    tx: Tx, account_id: AccountId, *, besides: SessionId | None, before: datetime | None, limit: int
) -> list[RecentSession]:
    """Read the most recently active sessions, but for one and those not active before a time."""
    rows = await tx.fetch(
        _RECENT_SESSIONS, account_id, besides, before or datetime.max.replace(tzinfo=UTC), limit
    )
    return [
        RecentSession(
            SessionId(row["id"]), row["title"], row["last_activity_at"], row["message_count"]
        )
        for row in rows
    ]


_SEARCH = f"""
SELECT s.id, s.title, hit.role, hit.content, hit.created_at
FROM unnest($1::uuid[], $2::text[]) AS s (id, title) CROSS JOIN LATERAL (
    SELECT m.role, m.content, m.created_at
    FROM (SELECT * FROM messages WHERE session_id = s.id ORDER BY seq DESC LIMIT $4) m
    LEFT JOIN turns t ON t.id = m.turn_id
    WHERE {SHOWN.format(session="s.id")} AND m.role IN ('user', 'assistant')
      AND m.content ILIKE ALL ($3::text[])
      -- The assistant's rules without a tool say a refusal ("that needs a model") or a greeting.
      AND (m.model_code IS DISTINCT FROM 'rules'
           OR EXISTS (SELECT FROM messages c WHERE c.turn_id = m.turn_id AND c.role = 'tool')
           OR EXISTS (SELECT FROM runs r WHERE r.session_id = s.id
                      AND r.key = m.metadata ->> 'run_id' AND r.agent <> 'assistant'))
      -- A search by rules has its words in its question and again in its answer.
      AND NOT EXISTS (SELECT FROM messages c JOIN messages a USING (turn_id)
                      WHERE c.turn_id = m.turn_id AND c.tool_name = 'search_sessions'
                        AND a.model_code = 'rules')
    ORDER BY m.seq DESC LIMIT 1
) hit
ORDER BY hit.created_at DESC LIMIT $5
"""  # noqa: S608


async def search_messages(
    tx: Tx,
    sessions: Sequence[RecentSession],
    words: Sequence[str],
    *,
    messages_each: int,
    limit: int,
) -> tuple[SearchHit, ...]:
    """Find the newest message with all the words in each of the sessions, newest first.

    Only the newest `messages_each` messages of a session are looked at.
    """
    rows = await tx.fetch(
        _SEARCH,
        [session.id for session in sessions],
        [session.title for session in sessions],
        [f"%{escape_like(word)}%" for word in words],
        messages_each,
        limit,
    )
    return tuple(
        SearchHit(
            SessionId(row["id"]), row["title"], Role(row["role"]), row["content"], row["created_at"]
        )
        for row in rows
    )


async def read_ownership(tx: Tx, session_id: SessionId) -> Ownership:
    """Read the owner of a session, deleted or not."""
    row = await tx.fetchrow("SELECT user_id, deleted_at FROM sessions WHERE id = $1", session_id)
    if row is None:
        return Ownership(owner=None, deleted=False)
    return Ownership(AccountId(row["user_id"]), deleted=row["deleted_at"] is not None)


async def read_last_activity(tx: Tx, session_id: SessionId) -> datetime:
    """Read when a session was last active, deleted or not."""
    active_at: datetime = await tx.fetchval(
        "SELECT last_activity_at FROM sessions WHERE id = $1", session_id
    )
    return active_at


async def lock_ownership(tx: Tx, session_id: SessionId) -> Ownership:
    """Lock the session, so that no turn starts in it until the transaction ends.

    Two statements: one that locks and reads would show the row as it was before the wait.
    """
    await tx.execute("SELECT 1 FROM sessions WHERE id = $1 FOR UPDATE", session_id)
    return await read_ownership(tx, session_id)


async def mark_deleted(tx: Tx, session_id: SessionId) -> None:
    """Soft-delete the session; its rows stay."""
    await tx.execute(
        "UPDATE sessions SET deleted_at = now(), updated_at = now() "
        "WHERE id = $1 AND deleted_at IS NULL",
        session_id,
    )


async def build_messages(rows: Sequence[Row]) -> tuple[Message, ...]:
    return await run_in_thread_if_large(len(rows), lambda: tuple(map(build_message, rows)))


def build_message(row: Row) -> Message:
    return Message(
        id=MessageId(row["id"]),
        session_id=SessionId(row["session_id"]),
        seq=row["seq"],
        role=Role(row["role"]),
        content=row["content"],
        tool_name=row["tool_name"],
        details=decode_details(row["details"]),
        created_at=row["created_at"],
        model_code=row["model_code"],
    )
