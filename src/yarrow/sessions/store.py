"""SQL of sessions and of the messages in them."""

from collections.abc import Sequence
from datetime import date

import msgspec

from yarrow.db import Row, Tx
from yarrow.db.patterns import escape_like
from yarrow.ids import AccountId, BranchId, MessageId, SessionId
from yarrow.sessions.model import (
    MAIN_BRANCH,
    HistorySlice,
    Message,
    MessageDetails,
    Ownership,
    Role,
    SearchHit,
)

_MESSAGE_COLUMNS = (
    "m.id, m.session_id, m.seq, m.role, m.content, m.tool_name, m.metadata::text AS details, "
    "m.created_at"
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
        f"SELECT {_MESSAGE_COLUMNS} FROM messages m JOIN turns t ON t.id = m.turn_id "  # noqa: S608
        "JOIN branches b ON b.id = t.branch_id AND b.name = $2 "
        "WHERE m.session_id = $1 AND m.deleted_at IS NULL AND m.page_active "
        "AND t.status = 'answered' AND m.visibility_mask & 2 = 2 ORDER BY m.seq",
        session_id,
        MAIN_BRANCH,
    )
    return tuple(map(_message, rows))


async def read_branch_answers(
    tx: Tx, branch_id: BranchId, *, before_seq: int
) -> tuple[Message, ...]:
    """Read what a model sees when it answers a turn: the answered turns before it."""
    rows = await tx.fetch(
        f"SELECT {_MESSAGE_COLUMNS} FROM messages m JOIN turns t ON t.id = m.turn_id "  # noqa: S608
        "WHERE t.branch_id = $1 AND t.seq < $2 AND t.live AND t.status = 'answered' "
        "AND m.deleted_at IS NULL AND m.page_active AND m.visibility_mask & 2 = 2 "
        "ORDER BY t.seq, m.seq",
        branch_id,
        before_seq,
    )
    return tuple(map(_message, rows))


async def read_messages(tx: Tx, session_id: SessionId) -> tuple[Message, ...]:
    """Read all messages of a session that its user sees, oldest first."""
    rows = await tx.fetch(
        f"SELECT {_MESSAGE_COLUMNS} FROM messages m "  # noqa: S608
        "WHERE m.session_id = $1 AND m.deleted_at IS NULL AND m.page_active "
        "AND m.visibility_mask & 1 = 1 ORDER BY m.seq",
        session_id,
    )
    return tuple(map(_message, rows))


async def read_latest_answers(
    tx: Tx, account_id: AccountId, *, limit: int, offset: int
) -> HistorySlice:
    """Read the last answer of each session, the most recently active session first."""
    rows = await tx.fetch(
        f"SELECT {_MESSAGE_COLUMNS} FROM sessions s CROSS JOIN LATERAL ("  # noqa: S608
        "  SELECT * FROM messages WHERE session_id = s.id AND role = 'assistant'"
        "  AND deleted_at IS NULL AND page_active AND visibility_mask & 1 = 1"
        "  ORDER BY seq DESC LIMIT 1"
        ") m WHERE s.user_id = $1 AND s.deleted_at IS NULL "
        "ORDER BY s.last_activity_at DESC, s.id LIMIT $2 OFFSET $3",
        account_id,
        limit + 1,
        offset,
    )
    return HistorySlice(tuple(map(_message, rows[:limit])), has_more=len(rows) > limit)


async def find_latest_session(tx: Tx, account_id: AccountId) -> SessionId | None:
    """Find the account's most recently active session with a visible message."""
    session_id = await tx.fetchval(
        "SELECT id FROM sessions s WHERE user_id = $1 AND deleted_at IS NULL AND EXISTS ("
        "  SELECT 1 FROM messages WHERE session_id = s.id AND deleted_at IS NULL AND page_active"
        "  AND visibility_mask & 1 = 1"
        ") ORDER BY last_activity_at DESC LIMIT 1",
        account_id,
    )
    return SessionId(session_id) if session_id else None


_VISIBLE = "session_id = $1 AND deleted_at IS NULL AND page_active AND visibility_mask & 1 = 1"
_DAY = "(created_at AT TIME ZONE 'UTC')::date"


async def read_day(
    tx: Tx, session_id: SessionId, *, before: date | None
) -> tuple[date | None, HistorySlice]:
    """Read the messages of the newest UTC day with any, before a date if one is given."""
    day = await tx.fetchval(
        f"SELECT max({_DAY}) FROM messages WHERE {_VISIBLE} "  # noqa: S608
        f"AND ($2::date IS NULL OR {_DAY} < $2)",
        session_id,
        before,
    )
    if day is None:
        return None, HistorySlice((), has_more=False)
    rows = await tx.fetch(
        f"SELECT {_MESSAGE_COLUMNS} FROM messages m "  # noqa: S608
        f"WHERE {_VISIBLE} AND {_DAY} = $2 ORDER BY seq",
        session_id,
        day,
    )
    has_older = await tx.fetchval(
        f"SELECT EXISTS (SELECT 1 FROM messages WHERE {_VISIBLE} AND {_DAY} < $2)",  # noqa: S608
        session_id,
        day,
    )
    return day, HistorySlice(tuple(map(_message, rows)), has_more=has_older)


_SEARCH = """
SELECT coalesce(s.title, '') AS title, m.role, m.content, m.created_at
FROM sessions s CROSS JOIN LATERAL (
    SELECT m.role, m.content, m.created_at
    FROM messages m LEFT JOIN turns t ON t.id = m.turn_id
    WHERE m.session_id = s.id AND m.deleted_at IS NULL AND m.page_active
      AND m.visibility_mask & 1 = 1 AND m.role IN ('user', 'assistant')
      AND t.live IS NOT FALSE
      AND m.content ILIKE ALL ($2::text[])
    ORDER BY m.seq DESC LIMIT 1
) m
WHERE s.user_id = $1 AND s.deleted_at IS NULL AND s.id <> $3
ORDER BY m.created_at DESC LIMIT $4
"""


async def search_messages(
    tx: Tx, account_id: AccountId, words: Sequence[str], *, besides: SessionId, limit: int
) -> tuple[SearchHit, ...]:
    """Find the newest message with all the words in each session but one, newest first."""
    patterns = [f"%{escape_like(word)}%" for word in words]
    rows = await tx.fetch(_SEARCH, account_id, patterns, besides, limit)
    return tuple(
        SearchHit(row["title"], Role(row["role"]), row["content"], row["created_at"])
        for row in rows
    )


async def read_ownership(tx: Tx, session_id: SessionId) -> Ownership:
    """Read the owner of a session, deleted or not."""
    row = await tx.fetchrow("SELECT user_id, deleted_at FROM sessions WHERE id = $1", session_id)
    if row is None:
        return Ownership(owner=None, deleted=False)
    return Ownership(AccountId(row["user_id"]), deleted=row["deleted_at"] is not None)


async def lock_ownership(tx: Tx, session_id: SessionId) -> Ownership:
    """Lock the session, so that no turn starts in it until the transaction ends.

    Two statements: one that locks and reads would show the row as it was before the wait.
    """
    await tx.execute("SELECT 1 FROM sessions WHERE id = $1 FOR UPDATE", session_id)
    return await read_ownership(tx, session_id)


async def delete_session(tx: Tx, session_id: SessionId) -> None:
    """Soft-delete the session; its rows stay."""
    await tx.execute(
        "UPDATE sessions SET deleted_at = now(), updated_at = now() "
        "WHERE id = $1 AND deleted_at IS NULL",
        session_id,
    )


def _message(row: Row) -> Message:
    return Message(
        id=MessageId(row["id"]),
        session_id=SessionId(row["session_id"]),
        seq=row["seq"],
        role=Role(row["role"]),
        content=row["content"],
        tool_name=row["tool_name"],
        details=decode_details(row["details"]),
        created_at=row["created_at"],
    )
