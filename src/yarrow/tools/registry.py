"""The tools that ship."""

from collections.abc import Sequence
from pathlib import Path

from yarrow.db import Database
from yarrow.tools.calculate import Calculate
from yarrow.tools.calendar_date import CalendarDate
from yarrow.tools.cast_hexagram import CastHexagram, Throw
from yarrow.tools.current_time import CurrentTime
from yarrow.tools.model import Tool, Toolbox
from yarrow.tools.points_balance import PointsBalance
from yarrow.tools.points_ledger import PointsLedger
from yarrow.tools.search_docs import SearchDocs
from yarrow.tools.search_sessions import SearchSessions
from yarrow.tools.show_card import ShowCard


def build_tools(
    database: Database, *, throw: Throw, docs: Path, more: Sequence[Tool] = ()
) -> Toolbox:
    """Every tool by its name; `docs` is the folder of the docs, `more` are tools of agents."""
    tools: tuple[Tool, ...] = (
        CurrentTime(),
        CalendarDate(),
        Calculate(),
        PointsBalance(database),
        PointsLedger(database),
        SearchSessions(database),
        CastHexagram(throw),
        SearchDocs(docs),
        *more,
        ShowCard(),
    )
    return {tool.description.name: tool for tool in tools}
