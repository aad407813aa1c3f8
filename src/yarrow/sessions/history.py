"""Long histories, converted batch by batch as they are read."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Generic, TypeAlias, TypeVar

from yarrow.db import Row
from yarrow.db.pool import RowCursor
from yarrow.ids import SessionId
from yarrow.sessions.model import Message

Item = TypeVar("Item")

BATCH_ROWS = 250
"""Rows that are read and converted at a time: a few milliseconds."""

ConvertBatch: TypeAlias = Callable[[list[Message]], Item]
"""Converts some consecutive messages of a history, so that they need not be kept."""


@dataclass(frozen=True, slots=True)
class DayHistory(Generic[Item]):
    """The messages of one day of a session; `has_more` if there are older ones."""

    session_id: SessionId
    day: date | None
    """None when the session has no messages before the date that was asked for."""
    batches: list[Item]
    has_more: bool


async def convert_rows(cursor: RowCursor, convert: Callable[[list[Row]], Item]) -> list[Item]:
    """Convert the rows of a query in batches, between which other tasks run.

    All rows at once would block the event loop: asyncpg decodes them there, and there they are
    freed. The cursor has one snapshot, so a turn that is replaced meanwhile is not seen by half.
    """
    batches: list[Item] = []
    while rows := await cursor.fetch(BATCH_ROWS):
        batches.append(convert(rows))
        if len(rows) < BATCH_ROWS:
            break
    return batches
