"""Errors of the database connection."""

from yarrow.errors import Unavailable


class DatabaseUnavailable(Unavailable):
    """PostgreSQL cannot be reached, or asks to repeat the transaction.

    It asks after a deadlock, when a row is locked for too long, and with a full disk.
    """

    def __init__(self, where: str = "") -> None:
        state = f" at {where} cannot be reached" if where else " is away, busy or full"
        super().__init__(f"the database{state}; try again")


class RowLost(DatabaseUnavailable):
    """A crash of the database has taken a row that was committed asynchronously."""


def describe_failure(error: BaseException) -> dict[str, str | None]:
    """The class and the SQLSTATE of an error for the log; no text, which may quote a row."""
    cause = error.__cause__ if isinstance(error, DatabaseUnavailable) else None
    error = cause or error
    return {"error": type(error).__name__, "sqlstate": getattr(error, "sqlstate", None)}
