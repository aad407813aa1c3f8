"""Errors of story variables."""

from yarrow.errors import Conflict, NotFound


class VariableNotFound(NotFound):
    """The scope has no variable of this key."""

    def __init__(self, key: str) -> None:
        super().__init__(f"no variable {key} in this scope")
        self.key = key


class VariablesFull(Conflict):
    """The scope has the maximum number of variables."""

    def __init__(self, scope: str, *, limit: int) -> None:
        super().__init__(f"the scope {scope} holds at most {limit} variables; delete some first")
        self.scope, self.limit = scope, limit
