"""Errors of the database connection."""

from yarrow.errors import Unavailable


class DatabaseUnavailable(Unavailable):
    """PostgreSQL cannot be reached, or asks to repeat the transaction."""

    def __init__(self, where: str = "") -> None:
        at = f" at {where}" if where else ""
        super().__init__(f"the database{at} cannot be reached; try again")


def describe_failure(error: BaseException) -> dict[str, str | None]:
    """The class and the SQLSTATE of an error for the log; no text, which may quote a row."""
    cause = error.__cause__ if isinstance(error, DatabaseUnavailable) else None
    error = cause or error
    return {"error": type(error).__name__, "sqlstate": getattr(error, "sqlstate", None)}
