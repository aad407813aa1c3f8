"""A caller of tools, and sources that answer what a test wants."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from uuid import UUID
from zoneinfo import ZoneInfo

from yarrow.clock import FixedClock
from yarrow.ids import AccountId, SessionId
from yarrow.kit.language import Language
from yarrow.liuyao import DayBoundary
from yarrow.points.model import Balance
from yarrow.sessions.model import SearchHit
from yarrow.tools.model import Toolbox, ToolCaller
from yarrow.tools.registry import shipped_tools

NOW = datetime(2026, 4, 3, 12, 30, tzinfo=UTC)
ACCOUNT, SESSION = AccountId(UUID(int=1)), SessionId(UUID(int=2))


@dataclass
class Shelf:
    """Sources with fixed contents that remember what they were asked."""

    found: tuple[SearchHit, ...] = ()
    asked: list[tuple[object, ...]] = field(default_factory=list)

    async def read_balance(self, account_id: AccountId) -> Balance:
        self.asked.append((account_id,))
        return Balance(100, 20, 140, 40)

    async def search_sessions(
        self, account_id: AccountId, words: Sequence[str], *, besides: SessionId, limit: int
    ) -> Sequence[SearchHit]:
        self.asked.append((account_id, tuple(words), besides, limit))
        return self.found


def caller_in(
    language: Language = Language.ENGLISH,
    zone: str = "Asia/Shanghai",
    day_boundary: DayBoundary = DayBoundary.LATE_ZI,
) -> ToolCaller:
    return ToolCaller(ACCOUNT, SESSION, FixedClock(NOW), ZoneInfo(zone), language, day_boundary)


def tools(shelf: Shelf | None = None, throws: Sequence[int] = (1, 2, 3, 0, 1, 2)) -> Toolbox:
    coins = iter(throws)
    return shipped_tools(shelf or Shelf(), throw=lambda: next(coins))
