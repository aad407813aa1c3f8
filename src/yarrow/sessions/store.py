"""SQL of sessions, branches, turns and messages."""

from collections.abc import Sequence
from datetime import date

import msgspec

from yarrow.db import Row, Tx
from yarrow.ids import AccountId, BranchId, MessageId, SessionId
from yarrow.sessions.model import (
    FoundMessage,
    HistoryPage,
    Message,
    MessageDetails,
    Ownership,
    Role,
)

MAIN_BRANCH = "main"

_MESSAGE_COLUMNS = (
    "m.id, m.session_id, m.seq, m.role, m.content, m.tool_name, m.metadata::text AS details, "
    "m.created_at"
)
_details_decoder = msgspec.json.Decoder(MessageDetails)

decode_details = _details_decoder.decode
"""Decode `metadata::text` straight into its struct, without a dictionary in between.

A `MessageDetails` as the parameter of a jsonb column is encoded by the connection's codec."""


async def read_answered(tx: Tx, session_id: SessionId) -> tuple[Message, ...]:
    """What a model is told of the session: the live, answered turns of its main branch."""
    rows = await tx.fetch(
        f"SELECT {_MESSAGE_COLUMNS} FROM messages m JOIN turns t ON t.id = m.turn_id "  # noqa: S608
        "JOIN branches b ON b.id = t.branch_id AND b.name = $2 "
        "WHERE m.session_id = $1 AND m.deleted_at IS NULL AND m.page_active "
        "AND t.status = 'answered' AND m.visibility_mask & 2 = 2 ORDER BY m.seq",
        session_id,
        MAIN_BRANCH,
    )
    return tuple(map(_message, rows))


async def read_before(tx: Tx, branch_id: BranchId, *, turn_number: int) -> tuple[Message, ...]:
    """Read what a model may know when it answers a turn: the answered turns before it."""
    rows = await tx.fetch(
        f"SELECT {_MESSAGE_COLUMNS} FROM messages m JOIN turns t ON t.id = m.turn_id "  # noqa: S608
        "WHERE t.branch_id = $1 AND t.seq < $2 AND t.live AND t.status = 'answered' "
        "AND m.deleted_at IS NULL AND m.page_active AND m.visibility_mask & 2 = 2 "
        "ORDER BY t.seq, m.seq",
        branch_id,
        turn_number,
    )
    return tuple(map(_message, rows))


async def read_session(tx: Tx, session_id: SessionId) -> tuple[Message, ...]:
    """All messages a user may see in a session, oldest first."""
    rows = await tx.fetch(
        f"SELECT {_MESSAGE_COLUMNS} FROM messages m "  # noqa: S608
        "WHERE m.session_id = $1 AND m.deleted_at IS NULL AND m.page_active "
        "AND m.visibility_mask & 1 = 1 ORDER BY m.seq",
        session_id,
    )
    return tuple(map(_message, rows))


async def read_latest_answers(
    tx: Tx, account_id: AccountId, *, limit: int, offset: int
) -> HistoryPage:
    """The last answer of each session, the most recently active session first."""
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
    return HistoryPage(tuple(map(_message, rows[:limit])), has_more=len(rows) > limit)


async def latest_session(tx: Tx, account_id: AccountId) -> SessionId | None:
    """The account's most recently active session that has messages to be seen."""
    found = await tx.fetchval(
        "SELECT id FROM sessions s WHERE user_id = $1 AND deleted_at IS NULL AND EXISTS ("
        "  SELECT 1 FROM messages WHERE session_id = s.id AND deleted_at IS NULL AND page_active"
        "  AND visibility_mask & 1 = 1"
        ") ORDER BY last_activity_at DESC LIMIT 1",
        account_id,
    )
    return SessionId(found) if found else None


_VISIBLE = "session_id = $1 AND deleted_at IS NULL AND page_active AND visibility_mask & 1 = 1"
_DAY = "(created_at AT TIME ZONE 'UTC')::date"


async def read_day(
    tx: Tx, session_id: SessionId, *, before: date | None
) -> tuple[date | None, HistoryPage]:
    """The messages of the session's newest day (before a date), and whether older ones exist."""
    day = await tx.fetchval(
        f"SELECT max({_DAY}) FROM messages WHERE {_VISIBLE} "  # noqa: S608
        f"AND ($2::date IS NULL OR {_DAY} < $2)",
        session_id,
        before,
    )
    if day is None:
        return None, HistoryPage((), has_more=False)
    rows = await tx.fetch(
        f"SELECT {_MESSAGE_COLUMNS} FROM messages m "  # noqa: S608
        f"WHERE {_VISIBLE} AND {_DAY} = $2 ORDER BY seq",
        session_id,
        day,
    )
    older = await tx.fetchval(
        f"SELECT EXISTS (SELECT 1 FROM messages WHERE {_VISIBLE} AND {_DAY} < $2)",  # noqa: S608
        session_id,
        day,
    )
    return day, HistoryPage(tuple(map(_message, rows)), has_more=older)


_SEARCH = """
SELECT coalesce(s.title, '') AS title, m.role, m.content, m.created_at
FROM sessions s CROSS JOIN LATERAL (
    SELECT m.role, m.content, m.created_at
    FROM messages m LEFT JOIN turns t ON t.id = m.turn_id
    WHERE m.session_id = s.id AND m.deleted_at IS NULL AND m.page_active
      AND m.visibility_mask & 1 = 1 AND m.role IN ('user', 'assistant')
      AND t.status IS DISTINCT FROM 'superseded'
      AND m.content ILIKE ALL ($2::text[])
    ORDER BY m.seq DESC LIMIT 1
) m
WHERE s.user_id = $1 AND s.deleted_at IS NULL AND s.id <> $3
ORDER BY m.created_at DESC LIMIT $4
"""


async def search(
    tx: Tx, account_id: AccountId, words: Sequence[str], *, besides: SessionId, limit: int
) -> tuple[FoundMessage, ...]:
    """The newest message with all the words of each session but one, the newest first."""
    patterns = [f"%{_escaped(word)}%" for word in words]
    rows = await tx.fetch(_SEARCH, account_id, patterns, besides, limit)
    return tuple(
        FoundMessage(row["title"], Role(row["role"]), row["content"], row["created_at"])
        for row in rows
    )


def _escaped(word: str) -> str:
    """A word as a pattern that matches itself only."""
    return word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


async def read_ownership(tx: Tx, session_id: SessionId) -> Ownership:
    """Whose the session is; nobody's when it does not exist."""
    row = await tx.fetchrow("SELECT user_id, deleted_at FROM sessions WHERE id = $1", session_id)
    if row is None:
        return Ownership(owner=None, deleted=False)
    return Ownership(AccountId(row["user_id"]), deleted=row["deleted_at"] is not None)


async def lock_ownership(tx: Tx, session_id: SessionId) -> Ownership:
    """The same, and nobody begins a turn in the session until the transaction ends."""
    await tx.execute("SELECT 1 FROM sessions WHERE id = $1 FOR UPDATE", session_id)
    return await read_ownership(tx, session_id)


async def delete_session(tx: Tx, session_id: SessionId) -> None:
    """Hide the session and all it holds; nothing is removed."""
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
