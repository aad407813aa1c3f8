"""What the one who asks can act on: the request, the rights, the state of things."""

from yarrow.errors.root import YarrowError


class InvalidInput(YarrowError):
    """The request breaks a rule. `rule` is the sentence a client may show."""

    def __init__(self, rule: str, *, field: str | None = None) -> None:
        super().__init__(rule)
        self.rule, self.field = rule, field


class BodyTooLarge(InvalidInput):
    """The body is larger than the route reads; reading stopped at the limit."""

    def __init__(self, rule: str, *, limit: int) -> None:
        super().__init__(rule)
        self.limit = limit


class AudioTooLarge(BodyTooLarge):
    """The recording has more bytes than are read."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"audio must have at most {limit} bytes", limit=limit)


class AudioEmpty(InvalidInput):
    """The recording has no bytes, or no sound behind its header."""

    def __init__(self) -> None:
        super().__init__("audio is empty", field="audio")


class AudioUnsupported(InvalidInput):
    """The recording is not a WAV that we read; `rule` says what is wrong with it."""

    def __init__(self, rule: str) -> None:
        super().__init__(rule, field="audio")


class AttachmentTooLarge(BodyTooLarge):
    """The file is larger than an attachment may be; reading stopped there."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"an attachment may have at most {limit} bytes", limit=limit)


class AttachmentEmpty(InvalidInput):
    """The file has no bytes."""

    def __init__(self) -> None:
        super().__init__("the file is empty", field="file")


class AttachmentNotImage(InvalidInput):
    """The file's bytes are no picture we know, whatever its name and type say."""

    def __init__(self, known: str) -> None:
        super().__init__(f"the file must be a picture: {known}", field="file")


class BucketInvalid(InvalidInput):
    """Attachments lie in one bucket, and another one was named."""

    def __init__(self, bucket: str) -> None:
        super().__init__(f"bucket must be {bucket}", field="bucket")


class RuntimeModeInvalid(InvalidInput):
    """A divination run needs `runtime_mode`, `chat` or `follow_up`."""

    def __init__(self) -> None:
        super().__init__("forwardedProps.runtime_mode must be chat or follow_up")


class AgentMismatch(InvalidInput):
    """A session stays with the agent it began with."""

    def __init__(self, agent: str) -> None:
        super().__init__(f"this session belongs to the agent {agent}; ask as that agent wants it")
        self.agent = agent


class Unauthenticated(YarrowError):
    """There is no token, or it does not verify."""

    def __init__(self, reason: str = "a bearer token is required") -> None:
        super().__init__(reason)
        self.reason = reason


class WrongCredentials(Unauthenticated):
    """E-mail and password do not match an account."""

    def __init__(self) -> None:
        super().__init__("e-mail or password is wrong")


class Forbidden(YarrowError):
    """The resource exists and belongs to somebody else."""

    def __init__(self, reason: str = "this belongs to another account") -> None:
        super().__init__(reason)


class PathOutOfScope(Forbidden):
    """The path is not one of an attachment in the caller's own folder."""

    def __init__(self, scope: str) -> None:
        super().__init__(f"path must be a file in {scope}")
        self.scope = scope


class SignedUrlInvalid(Forbidden):
    """An address of ours does not open anything: it has expired, or was changed."""


class NotFound(YarrowError):
    """There is no such thing, or it was deleted."""


class SessionNotFound(NotFound):
    """There is no such session, or it was deleted."""

    def __init__(self, session: str) -> None:
        super().__init__(f"no session {session}")
        self.session = session


class RunNotFound(NotFound):
    """The session has no run of this id."""

    def __init__(self, run: str) -> None:
        super().__init__(f"the session has no run {run}")
        self.run = run


class AgentNotFound(NotFound):
    """No agent of this name is installed."""

    def __init__(self, agent: str) -> None:
        super().__init__(f"no agent {agent} is installed here")
        self.agent = agent


class AccountNotFound(NotFound):
    """No account has this id or e-mail."""

    def __init__(self, who: str) -> None:
        super().__init__(f"no account {who}")
        self.who = who


class AttachmentNotFound(NotFound):
    """The attachment was removed: no message pointed to it."""

    def __init__(self) -> None:
        super().__init__("this attachment no longer exists; upload it again")


class SignedUrlImpossible(NotFound):
    """There is no attachment at this path to make an address for."""

    def __init__(self) -> None:
        super().__init__("there is no attachment at this path")


class Conflict(YarrowError):
    """The request is well formed and cannot be done in the present state."""


class EmailTaken(Conflict):
    """Another account has this e-mail."""

    def __init__(self) -> None:
        super().__init__("an account with this e-mail exists; log in instead")


class AuthDisabled(Conflict):
    """This server has one local account; nobody signs up or logs in."""

    def __init__(self) -> None:
        super().__init__("this server runs without accounts; call it without a token")


class PointsHeld(Conflict):
    """The points an operator wants to take are held for runs that are still going."""

    def __init__(self, *, amount: int, available: int, held: int) -> None:
        super().__init__(
            f"cannot take {amount} points: {available} are free, {held} are held for runs"
        )
        self.amount, self.available, self.held = amount, available, held


class TicketUsed(Conflict):
    """The ticket has moved another number of points of this account before."""

    def __init__(self, *, points: int) -> None:
        super().__init__(f"this ticket has moved {points:+d} points before; use a new ticket")
        self.points = points


class RunConflict(Conflict):
    """The run id was used before with another body."""

    def __init__(self, run: str) -> None:
        super().__init__(f"run {run} was accepted before with another body; use a new run id")
        self.run = run


class SessionBusy(Conflict):
    """A run of this session is still going."""

    def __init__(self, run: str) -> None:
        super().__init__(f"run {run} of this session is still going; wait for it or cancel it")
        self.run = run


class RunLimitReached(Conflict):
    """The session has had all the runs its agent allows."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"a session allows {limit} runs; start a new session")
        self.limit = limit


class PointsShort(YarrowError):
    """The account cannot cover this run."""

    def __init__(self, *, needed: int, available: int) -> None:
        super().__init__(f"run costs {needed} points, {available} available")
        self.needed, self.available = needed, available
