"""Errors of story sessions."""

from yarrow.errors import Conflict, InvalidInput, NotFound, Unavailable
from yarrow.journal.events import FailureReason
from yarrow.runs.errors import AgentRefused


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


class MessageChanged(Conflict):
    """The message has another text than the request expects."""

    def __init__(self, message: str) -> None:
        super().__init__(f"message {message} has another text now; read it again")
        self.message = message


class SnapshotMissing(Conflict):
    """The state after the turn is not known, so no branch can begin with it."""

    def __init__(self, turn: str) -> None:
        super().__init__(f"floor {turn} has no snapshot of its variables; start at another floor")
        self.turn = turn


class BranchHeadMoved(Conflict):
    """The branch ends with another turn than the request expects."""

    def __init__(self, branch: str, last: str | None) -> None:
        end = "has no floor" if last is None else f"ends with floor {last}"
        super().__init__(f"the branch {branch} {end} now; read it again")
        self.branch, self.last = branch, last


class ResetTargetInvalid(Conflict):
    """The turn is not one that the branch can be reset to."""

    def __init__(self, turn: str, branch: str) -> None:
        super().__init__(
            f"floor {turn} is neither a floor of the branch {branch} nor the one it starts after"
        )
        self.turn, self.branch = turn, branch


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


class InputHidden(Conflict):
    """Every message of the user in the turn is hidden from prompts: nothing can be answered."""

    def __init__(self, turn: str) -> None:
        super().__init__(f"the message of floor {turn} is hidden from prompts; show it first")
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


class StatePayloadTooLarge(Conflict):
    """The value of a slot is larger than a slot may be."""

    def __init__(self, slot: str, *, limit: int) -> None:
        super().__init__(f"the value of {slot} has more than {limit} bytes as JSON")
        self.slot, self.limit = slot, limit


class StateLimitExceeded(Conflict):
    """The account has no room for another namespace of session state."""

    kind = "namespaces an account"

    def __init__(self, *, limit: int) -> None:
        super().__init__(f"session state is limited to {limit} {self.kind}; delete some first")
        self.limit = limit


class NamespaceItemsExceeded(StateLimitExceeded):
    """The namespace has no room for more slots."""

    kind = "slots a namespace"


class NamespaceBytesExceeded(StateLimitExceeded):
    """The write would exceed the bytes of its namespace."""

    kind = "bytes a namespace"


class AccountItemsExceeded(StateLimitExceeded):
    """The account has no room for more slots."""

    kind = "slots an account"


class AccountBytesExceeded(StateLimitExceeded):
    """The write would exceed the bytes of the account."""

    kind = "bytes an account"


class StateTurnedOff(Unavailable):
    """The server was configured without session state."""

    def __init__(self) -> None:
        super().__init__("session state is turned off on this server (YARROW_SESSION_STATE)")


class StateStageFailed(AgentRefused):
    """The database refuses the session state of a turn, which was checked before: a bug."""

    def __init__(self) -> None:
        super().__init__(FailureReason.STATE_NOT_STAGED, "session state could not be staged")
