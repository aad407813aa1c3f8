"""Everything that can go wrong and that a caller could act on.

    YarrowError
    ├─ InvalidInput                 the request breaks a rule; nothing was changed
    │  ├─ BodyTooLarge              it is larger than the route reads
    │  │  └─ AttachmentTooLarge
    │  ├─ AttachmentEmpty
    │  ├─ AttachmentNotImage        its bytes are no picture we know
    │  ├─ BucketInvalid             attachments lie in one bucket
    │  ├─ RuntimeModeInvalid        a divination names no known mode
    │  └─ AgentMismatch             the session belongs to another agent
    ├─ Unauthenticated              no token, or one that does not verify
    │  └─ WrongCredentials          e-mail and password do not match
    ├─ Forbidden                    the resource belongs to somebody else
    │  ├─ PathOutOfScope            the path is not in the caller's folder
    │  └─ SignedUrlInvalid          the address has expired or was changed
    ├─ NotFound
    │  ├─ SessionNotFound
    │  ├─ RunNotFound
    │  ├─ AgentNotFound
    │  ├─ AccountNotFound
    │  ├─ AttachmentNotFound
    │  └─ SignedUrlImpossible       there is no attachment to make an address for
    ├─ Conflict
    │  ├─ EmailTaken
    │  ├─ AuthDisabled              there are no accounts to sign up for here
    │  ├─ PointsHeld                the points to take are held for running runs
    │  ├─ TicketUsed                the ticket moved another number of points
    │  ├─ RunConflict               the run id was used with another body
    │  ├─ SessionBusy               a run of this session is still going
    │  └─ RunLimitReached           the session has had all its runs
    ├─ PointsShort                  the account cannot cover the price
    ├─ ModelError                   a model did not answer as it should
    │  ├─ ModelUnreachable
    │  ├─ ModelTimeout
    │  ├─ ModelRateLimited
    │  ├─ ModelRefused              the endpoint rejected the request
    │  └─ ModelBroken               the answer cannot be read
    ├─ RunFenced                    another worker owns this run now
    ├─ DatabaseUnavailable
    ├─ StorageUnavailable           the store of attachments cannot be reached
    ├─ KeysUnavailable              the outside issuer's keys cannot be fetched
    └─ Misconfigured                the operator has to change a setting

An error carries facts as attributes. Statuses and codes belong to the protocols: each
`protocols/*/errors.py` maps every class it can meet.
"""


class YarrowError(Exception):
    """The root of all errors that the product raises on purpose."""


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


class ModelError(YarrowError):
    """A model did not answer as it should. Never carries the provider's own words."""


class ModelUnreachable(ModelError):
    """No connection, or the endpoint failed (status 5xx)."""

    def __init__(self, status: int | None = None) -> None:
        super().__init__("the model endpoint cannot be reached or failed")
        self.status = status


class ModelTimeout(ModelError):
    """The model sent nothing for longer than the timeout."""

    def __init__(self, timeout_ms: int) -> None:
        super().__init__(f"the model sent nothing for {timeout_ms} ms")
        self.timeout_ms = timeout_ms


class ModelRateLimited(ModelError):
    """The endpoint asks us to slow down (status 429)."""

    def __init__(self, retry_after_s: float | None = None) -> None:
        super().__init__("the model endpoint asks to slow down")
        self.retry_after_s = retry_after_s


class ModelRefused(ModelError):
    """The endpoint rejected the request (other 4xx): key, model name or parameters."""

    def __init__(self, status: int) -> None:
        super().__init__(f"the model endpoint rejected the request with status {status}")
        self.status = status


class ModelBroken(ModelError):
    """The answer is not what the dialect says it should be."""

    def __init__(self) -> None:
        super().__init__("the model's answer cannot be read")


class RunFenced(YarrowError):
    """Another worker owns this run now; what we hold must not be written."""

    def __init__(self) -> None:
        super().__init__("another worker owns this run now")


class DatabaseUnavailable(YarrowError):
    """PostgreSQL cannot be reached; the request may be repeated."""

    def __init__(self) -> None:
        super().__init__("the database cannot be reached; try again")


class StorageUnavailable(YarrowError):
    """The store of attachments cannot be reached; the request may be repeated."""

    def __init__(self) -> None:
        super().__init__("the store of attachments cannot be reached; try again")


class KeysUnavailable(YarrowError):
    """The outside issuer's keys cannot be fetched; the request may be repeated."""

    def __init__(self) -> None:
        super().__init__("the token issuer's keys cannot be fetched; try again")


class Misconfigured(YarrowError):
    """The operator has to change something; the message says what."""
