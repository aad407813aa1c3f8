"""The root of all errors, and the bases that callers catch.

Each feature defines its own errors in its `errors.py`. An error carries facts as attributes;
statuses and codes belong to the protocols, whose `errors.py` maps every class. The whole tree
is drawn in `docs/protocols/error-codes.md`.
"""

from math import ceil


class YarrowError(Exception):
    """The root of all errors that the product raises on purpose."""


class InvalidInput(YarrowError):
    """The request breaks a rule, and nothing was changed. A client may show `rule`."""

    def __init__(self, rule: str, *, field: str | None = None) -> None:
        super().__init__(rule)
        self.rule, self.field = rule, field


class TooLarge(InvalidInput):
    """A body or file exceeds its limit in bytes; reading stopped at the limit."""

    def __init__(self, rule: str, *, limit: int) -> None:
        super().__init__(rule)
        self.limit = limit


class Unauthenticated(YarrowError):
    """The request has no token, or one that does not verify."""

    def __init__(self, reason: str = "a bearer token is required") -> None:
        super().__init__(reason)
        self.reason = reason


class Forbidden(YarrowError):
    """The resource belongs to another account."""

    def __init__(self, reason: str = "this belongs to another account") -> None:
        super().__init__(reason)


class NotFound(YarrowError):
    """The resource does not exist or was deleted."""


class Conflict(YarrowError):
    """The request is valid but not possible in the present state."""


class Unavailable(YarrowError):
    """Something the request needs is down or busy; the same request may succeed later."""


class TooManyRequests(Unavailable):
    """An account or an address exceeds a limit of requests; it may try again after a while."""

    def __init__(self, rule: str, *, retry_after_s: float) -> None:
        super().__init__(rule)
        self.retry_after_s = max(1, ceil(retry_after_s))


class StorageUnavailable(Unavailable):
    """The file store cannot be reached."""

    def __init__(self, reason: str = "the file storage cannot be reached; try again") -> None:
        super().__init__(reason)


class Misconfigured(YarrowError):
    """The operator has to change a setting or the machine; the message says what."""


class RunFenced(YarrowError):
    """Another worker has claimed the run; this attempt must not write."""

    def __init__(self) -> None:
        super().__init__("another worker owns this run now")
