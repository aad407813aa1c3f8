"""Tools on a real database, and an account that calls them."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

from yarrow.clock import FixedClock
from yarrow.db import Database
from yarrow.ids import AccountId, SessionId
from yarrow.language.languages import Language
from yarrow.liuyao import DayBoundary
from yarrow.tools.model import Tool, Toolbox, ToolCaller
from yarrow.tools.registry import build_tools

NOW = datetime(2026, 4, 3, 12, 30, tzinfo=UTC)
DOCS = Path(__file__).parents[3] / "docs"
NO_SESSION = SessionId(UUID(int=0))


async def add_session(
    database: Database, account_id: AccountId, *, title: str, text: str, role: str = "user"
) -> SessionId:
    """A session of one message, said two days ago."""
    session_id = SessionId(uuid4())
    async with database.transaction() as tx:
        await tx.execute(
            "INSERT INTO sessions (id, user_id, title) VALUES ($1, $2, $3)",
            session_id,
            account_id,
            title,
        )
        await tx.execute(
            "INSERT INTO messages (session_id, seq, role, content, visibility_mask, created_at)"
            " VALUES ($1, 1, $2, $3, 3, '2026-04-01T20:00:00Z')",
            session_id,
            role,
            text,
        )
    return session_id


def make_caller(
    account_id: AccountId,
    language: Language = Language.ENGLISH,
    zone: str = "Asia/Shanghai",
    *,
    session_id: SessionId = NO_SESSION,
    day_boundary: DayBoundary = DayBoundary.LATE_ZI,
) -> ToolCaller:
    return ToolCaller(
        account_id, session_id, FixedClock(NOW), ZoneInfo(zone), language, day_boundary
    )


def make_tools(
    database: Database, throws: Sequence[int] = (1, 2, 3, 0, 1, 2), *, more: Sequence[Tool] = ()
) -> Toolbox:
    coins = iter(throws)
    return build_tools(database, throw=lambda: next(coins), docs=DOCS, more=more)
