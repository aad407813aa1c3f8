"""The turns that a run can answer: a new one, one that is there, or one in its place."""

from msgspec import Struct

from yarrow.ids import TurnId
from yarrow.sessions.model import MAIN_BRANCH


class NewTurn(Struct, frozen=True):
    """Open a turn at the end of a branch, which must exist unless it is the main one."""

    branch: str = MAIN_BRANCH
    after: TurnId | None = None
    """The turn of the branch that must still be its last one."""


class RetryTurn(Struct, frozen=True):
    """Answer a turn again. Its reply stays active until the run commits, and as an inactive
    version of the new one afterwards."""

    turn_id: TurnId


class ReplaceTurn(Struct, frozen=True):
    """Open a turn in the place of the last one of a branch, which stays live until the run
    commits."""

    turn_id: TurnId
    and_later: bool = False
    """Supersede the turns behind it too: a linear conversation was taken back to this turn."""


class ContinueTurn(Struct, frozen=True):
    """Continue an answered turn: its reply called tools of the client; the input has results."""

    turn_id: TurnId


RunTarget = NewTurn | RetryTurn | ReplaceTurn | ContinueTurn
"""Where the answer of a run goes."""

END_OF_MAIN_BRANCH = NewTurn()
