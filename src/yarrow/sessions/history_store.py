"""SQL of the history a user sees: a session's messages, one day, the last answer of each session.

Long histories are converted batch by batch as they are read.
"""

from collections.abc import Callable
from datetime import UTC, date, datetime, tzinfo
from typing import Generic, TypeAlias, TypeVar

from msgspec import Struct

from yarrow.db import Tx
from yarrow.db.pool import RowCursor, Transaction
from yarrow.ids import AccountId, SessionId, TurnId
from yarrow.sessions.history_days import find_day_start
from yarrow.sessions.model import HistorySlice, ListPosition, Message
from yarrow.sessions.store import (
    MESSAGE_COLUMNS,
    SHOWN,
    SHOWN_MESSAGES,
    build_after_session,
    build_message,
    build_messages,
)

Item = TypeVar("Item")

BATCH_ROWS = 250
"""Rows that are read and converted at a time: a few milliseconds."""

ConvertBatch: TypeAlias = Callable[[list[Message]], Item]
"""Converts some consecutive messages of a history, so that they need not be kept."""


class DayHistory(Struct, Generic[Item], frozen=True):
    """The messages of one day of a session; `has_more` if there are older ones."""

    session_id: SessionId
    day: date | None
    """None when the session has no messages before the date that was asked for."""
    batches: list[Item]
    has_more: bool


async def read_messages(
    tx: Transaction, session_id: SessionId, convert: ConvertBatch[Item]
) -> list[Item]:
    """Read all messages of a session that its user sees, oldest first, batch by batch."""
    cursor = await tx.cursor(
        f"SELECT {MESSAGE_COLUMNS} FROM {SHOWN_MESSAGES} "  # noqa: S608
        f"WHERE {SHOWN.format(session='$1')} ORDER BY m.seq",
        session_id,
    )
    return await _convert_messages(cursor, convert)


_MESSAGES_UP_TO = f"""
SELECT {MESSAGE_COLUMNS}
FROM (SELECT id, seq, created_at FROM turns WHERE id = $2) own,
     messages m LEFT JOIN turns t ON t.id = m.turn_id
WHERE m.session_id = $1 AND m.deleted_at IS NULL AND m.page_active AND m.visibility_mask & 1 = 1
  AND (t.id IS NULL OR t.id = own.id OR (t.live AND t.seq < own.seq)
       OR (t.status = 'failed' AND t.replaces IS NULL AND t.created_at < own.created_at))
ORDER BY m.seq
"""  # noqa: S608


async def read_messages_up_to(
    tx: Tx, session_id: SessionId, turn_id: TurnId
) -> tuple[Message, ...]:
    """Read the messages that the user sees up to a turn, which need not be live yet."""
    return await build_messages(await tx.fetch(_MESSAGES_UP_TO, session_id, turn_id))


# The page is cut in the index of sessions, before messages are looked at.
_LATEST_ANSWERS = f"""
SELECT {MESSAGE_COLUMNS}
FROM (
    SELECT id, last_activity_at FROM sessions
    WHERE user_id = $1 AND deleted_at IS NULL AND has_answer {{after}}
    ORDER BY last_activity_at DESC, id LIMIT $2 OFFSET $3
) s LEFT JOIN LATERAL (
    SELECT m.* FROM {SHOWN_MESSAGES}
    WHERE {SHOWN.format(session="s.id")} AND m.role = 'assistant'
    ORDER BY m.seq DESC LIMIT 1
) m ON TRUE
ORDER BY s.last_activity_at DESC, s.id
"""  # noqa: S608


async def read_latest_answers(
    tx: Tx, account_id: AccountId, *, limit: int, offset: int, after: ListPosition | None = None
) -> HistorySlice:
    """Read the last answer of each session, the most recently active session first.

    With `after`, of the sessions that come behind this one.
    """
    statement = _LATEST_ANSWERS.format(after="" if after is None else build_after_session(4))
    rows = await tx.fetch(statement, account_id, limit + 1, offset, *(after or ()))
    messages = [build_message(row) for row in rows[:limit] if row["id"] is not None]
    return HistorySlice(tuple(messages), has_more=len(rows) > limit)


# A subquery for each session in turn: a join would be planned as one over all messages.
_LATEST_SESSION = f"""
SELECT id FROM sessions s
WHERE user_id = $1 AND deleted_at IS NULL AND (
    SELECT TRUE FROM {SHOWN_MESSAGES} WHERE {SHOWN.format(session="s.id")} LIMIT 1
)
ORDER BY last_activity_at DESC, id LIMIT 1
"""  # noqa: S608


async def find_latest_session(tx: Tx, account_id: AccountId) -> SessionId | None:
    """Find the account's most recently active session with a visible message."""
    session_id = await tx.fetchval(_LATEST_SESSION, account_id)
    return SessionId(session_id) if session_id else None


_DAY_MESSAGES = f"{SHOWN_MESSAGES} WHERE {SHOWN.format(session='$1')}"


async def read_day(
    tx: Transaction,
    session_id: SessionId,
    convert: ConvertBatch[Item],
    *,
    before: date | None,
    zone: tzinfo,
) -> DayHistory[Item]:
    """Read the messages of the newest day with any, before a date if one is given."""
    limit = datetime.max.replace(tzinfo=UTC) if before is None else find_day_start(before, zone)
    last = await tx.fetchval(
        f"SELECT m.created_at FROM {_DAY_MESSAGES} AND m.created_at < $2 "  # noqa: S608
        "ORDER BY m.created_at DESC LIMIT 1",
        session_id,
        limit,
    )
    if last is None:
        return DayHistory(session_id, None, [], has_more=False)
    day = last.astimezone(zone).date()
    cursor = await tx.cursor(
        f"SELECT {MESSAGE_COLUMNS} FROM {_DAY_MESSAGES} "  # noqa: S608
        "AND m.created_at >= $2 AND m.created_at <= $3 ORDER BY m.seq",
        session_id,
        find_day_start(day, zone),
        last,
    )
    batches = await _convert_messages(cursor, convert)
    has_older = await tx.fetchval(
        f"SELECT EXISTS (SELECT 1 FROM {_DAY_MESSAGES} AND m.created_at < $2)",  # noqa: S608
        session_id,
        find_day_start(day, zone),
    )
    return DayHistory(session_id, day, batches, has_more=has_older)


async def _convert_messages(cursor: RowCursor, convert: ConvertBatch[Item]) -> list[Item]:
    """Convert the messages of a query in batches, between which other tasks run.

    All rows at once would block the event loop: asyncpg decodes them there, and there they are
    freed. The cursor has one snapshot, so a turn that is replaced meanwhile is not seen by half.
    """
    batches: list[Item] = []
    while rows := await cursor.fetch(BATCH_ROWS):
        batches.append(convert([build_message(row) for row in rows]))
        if len(rows) < BATCH_ROWS:
            break
    return batches
