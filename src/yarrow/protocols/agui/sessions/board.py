"""The board of a divination session as a picture."""

from yarrow.agents.diviner.input import find_cast
from yarrow.errors import NotFound
from yarrow.ids import AccountId, SessionId
from yarrow.liuyao import board_in_hant, board_of, derive, svg_of
from yarrow.runs.engine import Engine
from yarrow.runs.follow import own_answers, own_preferences


async def board_svg(engine: Engine, account_id: AccountId, session_id: SessionId) -> str:
    """An SVG of the cast that the session began with, in the account's script."""
    cast = find_cast(await own_answers(engine, account_id, session_id))
    preferences = await own_preferences(engine, account_id)
    if cast is None:
        raise NotFound("this session has no divination")
    board = board_of(derive(cast))
    return svg_of(board_in_hant(board) if preferences.get("script") == "hant" else board)
