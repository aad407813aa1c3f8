"""The board of a divination session as a picture."""

from yarrow.accounts.profile import show_profile
from yarrow.agents.diviner.input import find_cast
from yarrow.db import Database
from yarrow.errors import NotFound
from yarrow.ids import AccountId, SessionId
from yarrow.liuyao import board_in_hant, build_board, derive, draw_svg
from yarrow.sessions.read import read_own_answers


async def board_svg(database: Database, account_id: AccountId, session_id: SessionId) -> str:
    """An SVG of the cast that the session began with, in the account's script."""
    cast = find_cast(await read_own_answers(database, account_id, session_id))
    preferences = (await show_profile(database, account_id)).settings
    if cast is None:
        raise NotFound("this session has no divination")
    board = build_board(derive(cast))
    return draw_svg(board_in_hant(board) if preferences.get("script") == "hant" else board)
