"""What is wrong with a story, its assets or its prompt."""

from yarrow.errors.asked import Conflict, InvalidInput, NotFound


class PromptTooLarge(InvalidInput):
    """The parts of a prompt that may not be cut need more tokens than it may have."""

    def __init__(self, *, needed: int, available: int) -> None:
        super().__init__(f"the prompt needs {needed} tokens, {available} are available")
        self.needed, self.available = needed, available


class ChatUnreadable(InvalidInput):
    """A chat file cannot be read; `line` is where."""

    def __init__(self, rule: str, *, line: int) -> None:
        super().__init__(f"line {line}: {rule}", field="data")
        self.line = line


class BranchNotFound(NotFound):
    """The session has no branch of this name."""

    def __init__(self, branch: str) -> None:
        super().__init__(f"the session has no branch {branch}")
        self.branch = branch


class SourceFloorNotFound(NotFound):
    """The branch has no committed turn of this id to start from."""

    def __init__(self, turn: str) -> None:
        super().__init__(f"the branch has no committed floor {turn}")
        self.turn = turn


class TurnNotFound(NotFound):
    """There is no such turn, or its branch was deleted."""

    def __init__(self, turn: str) -> None:
        super().__init__(f"no floor {turn}")
        self.turn = turn


class MessageNotFound(NotFound):
    """There is no such message, or it was deleted."""

    def __init__(self, message: str) -> None:
        super().__init__(f"no message {message}")
        self.message = message


class VariableNotFound(NotFound):
    """No variable has this key in this scope."""

    def __init__(self, key: str) -> None:
        super().__init__(f"no variable {key} in this scope")
        self.key = key


class AssetNotFound(NotFound):
    """The account has no such asset, or the asset no such version."""

    def __init__(self, what: str) -> None:
        super().__init__(f"no {what}")
        self.what = what


class EntryNotFound(NotFound):
    """The preset or worldbook has no such entry."""

    def __init__(self, entry: str) -> None:
        super().__init__(f"no entry {entry}")
        self.entry = entry


class SessionArchived(Conflict):
    """The session is kept for reading only."""

    def __init__(self, session: str) -> None:
        super().__init__(f"session {session} is archived; set its status to active to change it")
        self.session = session


class BranchExists(Conflict):
    """The session has a branch of this name."""

    def __init__(self, branch: str) -> None:
        super().__init__(f"the session has a branch {branch}; choose another name")
        self.branch = branch


class WrongState(Conflict):
    """What is asked for is right, but not of this thing as it is now; `reason` says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class VariablesFull(Conflict):
    """The scope holds as many variables as it may."""

    def __init__(self, scope: str, *, limit: int) -> None:
        super().__init__(f"the scope {scope} holds at most {limit} variables; delete some first")
        self.scope, self.limit = scope, limit


class VersionConflict(Conflict):
    """The asset has moved on since the caller read it."""

    def __init__(self, *, expected: int, actual: int) -> None:
        super().__init__(f"version {expected} was expected, and {actual} is the newest; read it")
        self.expected, self.actual = expected, actual


class EntryTaken(Conflict):
    """The preset or worldbook has an entry of this name already."""

    def __init__(self, entry: str) -> None:
        super().__init__(f"there is an entry {entry} already; change that one")
        self.entry = entry
