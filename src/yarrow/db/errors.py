"""Errors of the database connection."""

from yarrow.errors import Unavailable


class DatabaseUnavailable(Unavailable):
    """PostgreSQL cannot be reached, or asks to repeat the transaction."""

    def __init__(self) -> None:
        super().__init__("the database cannot be reached; try again")
