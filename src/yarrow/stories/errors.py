"""Errors of story sessions."""

from yarrow.errors import Conflict, NotFound


class SourceTurnNotFound(NotFound):
    """The branch has no committed turn of this id that a prompt could start from."""

    def __init__(self, turn: str) -> None:
        super().__init__(f"the branch has no committed floor {turn}")
        self.turn = turn


class WrongState(Conflict):
    """The branch, turn or binding is not in a state that allows the change."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
