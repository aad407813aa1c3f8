"""The tools that ship."""

from yarrow.db import Database
from yarrow.tools.cast_hexagram import CastHexagram, Throw
from yarrow.tools.current_time import CurrentTime
from yarrow.tools.model import Tool, Toolbox
from yarrow.tools.points_balance import PointsBalance
from yarrow.tools.search_sessions import SearchSessions
from yarrow.tools.show_card import ShowCard


def build_tools(database: Database, *, throw: Throw) -> Toolbox:
    """Every tool by its name."""
    tools: tuple[Tool, ...] = (
        CurrentTime(),
        PointsBalance(database),
        SearchSessions(database),
        CastHexagram(throw),
        ShowCard(),
    )
    return {tool.description.name: tool for tool in tools}
