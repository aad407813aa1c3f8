"""Errors of story sessions."""

from yarrow.errors import Conflict, InvalidInput, NotFound


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


class SnapshotMissing(Conflict):
    """The state after the turn is not known, so no branch can begin with it."""

    def __init__(self, turn: str) -> None:
        super().__init__(f"floor {turn} has no snapshot of its variables; start at another floor")
        self.turn = turn


class NamespaceNotRegistered(NotFound):
    """The session has no state namespace of this name."""

    def __init__(self, namespace: str) -> None:
        super().__init__(f"the session has no state namespace {namespace}; register it first")
        self.namespace = namespace


class StateWriteForbidden(Conflict):
    """Clients may not write to this state namespace."""

    def __init__(self, namespace: str) -> None:
        super().__init__(f"the state namespace {namespace} cannot be written by clients")
        self.namespace = namespace


class NoTurnToRegenerate(NotFound):
    """The branch has no committed turn of its own."""

    def __init__(self, branch: str) -> None:
        super().__init__(f"the branch {branch} has no committed floor; send a message first")
        self.branch = branch


class InputMissing(NotFound):
    """The turn has no message of the user that could be answered again."""

    def __init__(self, turn: str) -> None:
        super().__init__(f"floor {turn} has no user message to answer; choose another of its pages")
        self.turn = turn


class MessageRoleInvalid(InvalidInput):
    """Only messages of the user can be edited and answered again."""

    def __init__(self, role: str) -> None:
        super().__init__(f"a message of the role {role} cannot be edited; only user messages can")
        self.role = role


class MessageScopeInvalid(InvalidInput):
    """The message is not the active input of its turn."""

    def __init__(self, message: str) -> None:
        super().__init__(f"message {message} is not the active input of its floor")
        self.message = message


class ToolModeUnsupported(InvalidInput):
    """Tools are only called inline, while the reply is generated."""

    def __init__(self, mode: str) -> None:
        super().__init__(f"tool mode {mode} is not supported; use inline", field="config.toolMode")
        self.mode = mode


class TurnRunNotFound(NotFound):
    """No run made the turn: it is a greeting or was imported."""

    def __init__(self, turn: str) -> None:
        super().__init__(f"floor {turn} was not generated, so it has no run")
        self.turn = turn
