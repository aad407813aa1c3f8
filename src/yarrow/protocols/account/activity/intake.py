"""From query parameters of the search to its words and time."""

from collections.abc import Sequence
from datetime import UTC, datetime

from yarrow.errors import InvalidInput

WORDS_MAX = 8


def read_words(query: str) -> Sequence[str]:
    """The words of a query, which a message must all have."""
    words = query.split()
    if not 1 <= len(words) <= WORDS_MAX:
        raise InvalidInput(f"query must have 1 to {WORDS_MAX} words", field="query")
    if "\0" in query:
        raise InvalidInput("query must not contain NUL", field="query")
    return words


def read_moment(value: datetime | None) -> datetime | None:
    """A time in UTC. One without an offset is ambiguous."""
    if value is None:
        return None
    try:
        if value.tzinfo is not None:
            return value.astimezone(UTC)
    except OverflowError:
        pass
    raise InvalidInput("before must be a time with an offset, as in searched_until", field="before")
