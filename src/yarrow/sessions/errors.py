"""Errors of sessions, branches, turns and messages."""

from yarrow.errors import Conflict, NotFound


class SessionNotFound(NotFound):
    """The session does not exist or was deleted."""

    def __init__(self, session: str) -> None:
        super().__init__(f"no session {session}")
        self.session = session


class BranchNotFound(NotFound):
    """The session has no branch of this name."""

    def __init__(self, branch: str) -> None:
        super().__init__(f"the session has no branch {branch}")
        self.branch = branch


class TurnNotFound(NotFound):
    """The turn does not exist, or its branch was deleted."""

    def __init__(self, turn: str) -> None:
        super().__init__(f"no floor {turn}")
        self.turn = turn


class MessageNotFound(NotFound):
    """The message does not exist or was deleted."""

    def __init__(self, message: str) -> None:
        super().__init__(f"no message {message}")
        self.message = message


class SessionArchived(Conflict):
    """The session is read-only until its status is active again."""

    def __init__(self, session: str) -> None:
        super().__init__(f"session {session} is archived; set its status to active to change it")
        self.session = session


class BranchExists(Conflict):
    """The session already has a branch of this name."""

    def __init__(self, branch: str) -> None:
        super().__init__(f"the session has a branch {branch}; choose another name")
        self.branch = branch
