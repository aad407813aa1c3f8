"""Errors of data sources. Their texts hold no credentials."""

from yarrow.errors import Conflict, Forbidden, InvalidInput, NotFound, Unavailable


class SourceNotFound(NotFound):
    """The account has no source of this name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"no source {name}")
        self.name = name


class SourceTableNotFound(NotFound):
    """The catalogue of the source has no such table."""

    def __init__(self, source: str, key: str) -> None:
        super().__init__(f"source {source} has no table {key}; refresh its catalogue if it is new")


class SourceExists(Conflict):
    """The account has a source of this name already."""

    def __init__(self, name: str) -> None:
        super().__init__(f"there is a source {name} already; delete it first or use another name")


class TooManySources(Conflict):
    """The account has as many sources as one may have."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"an account may have {limit} sources; delete one first")


class SourceAddressDenied(Forbidden):
    """Accounts may not reach this address from the server."""


class SourceDenied(InvalidInput):
    """The source refused the user name or the password."""

    def __init__(self) -> None:
        super().__init__("the source refused the user name or the password")


class SourceQueryRefused(InvalidInput):
    """The query is not one read-only SELECT; it was not sent to the source."""


class SourceQueryFailed(InvalidInput):
    """The source could not execute the query."""


class SourceDriverMissing(Unavailable):
    """The server has no driver for this kind of source."""

    def __init__(self, kind: str, extra: str) -> None:
        super().__init__(
            f"this server has no driver for {kind}; its operator installs it with "
            f"pip install 'yarrow[{extra}]'"
        )


class SourceUnavailable(Unavailable):
    """The source cannot be reached, or ended the connection."""


class SourceTimedOut(Unavailable):
    """The source did not finish in time; the query was cancelled there."""

    def __init__(self, seconds: float) -> None:
        super().__init__(
            f"the source did not finish within {seconds:g} s; the query was cancelled there. "
            "Filter or group more, or ask the operator for a longer YARROW_SOURCE_TIMEOUT_S"
        )


class SourceBusy(Unavailable):
    """Too many queries of the account, or of all accounts, are running."""

    def __init__(self) -> None:
        super().__init__("too many queries at sources are running; try again later")
