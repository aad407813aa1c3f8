"""The tools that ship."""

from typing import Protocol

from yarrow.tools.cast_hexagram import CastHexagram, Throw
from yarrow.tools.current_time import CurrentTime
from yarrow.tools.model import Tool, Toolbox
from yarrow.tools.points_balance import BalanceReader, PointsBalance
from yarrow.tools.search_sessions import SearchSessions, SessionSearcher
from yarrow.tools.show_card import ShowCard


class Sources(BalanceReader, SessionSearcher, Protocol):
    """What the tools read of other features."""


def shipped_tools(sources: Sources, *, throw: Throw) -> Toolbox:
    """Every tool by its name."""
    tools: tuple[Tool, ...] = (
        CurrentTime(),
        PointsBalance(sources),
        SearchSessions(sources),
        CastHexagram(throw),
        ShowCard(),
    )
    return {tool.description.name: tool for tool in tools}
