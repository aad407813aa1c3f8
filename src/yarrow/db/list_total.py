"""How many items a list has, counted only so far that the count does not grow with the list."""

from msgspec import Struct

MAX_COUNT = 1_000


class ListTotal(Struct, frozen=True):
    """The number of items; if there are more than were counted, it is capped."""

    count: int
    is_capped: bool


def limit_count(limit: int, offset: int) -> int:
    """How many rows to count for a page: one more than the total may say."""
    return max(MAX_COUNT, offset + limit) + 1


def build_total(count: int, *, limit: int, offset: int) -> ListTotal:
    """The total for a page, of the rows that were counted."""
    return ListTotal(count, is_capped=count == limit_count(limit, offset))
