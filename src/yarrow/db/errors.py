"""Errors of the database connection."""

from yarrow.errors import Unavailable


class DatabaseUnavailable(Unavailable):
    """PostgreSQL cannot be reached, or asks to repeat the transaction."""

    def __init__(self, where: str = "") -> None:
        at = f" at {where}" if where else ""
        super().__init__(f"the database{at} cannot be reached; try again")
