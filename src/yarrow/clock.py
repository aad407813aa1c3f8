"""Time as an argument: code that decides is handed a clock, it never looks at one."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

Clock = Callable[[], datetime]


def system_clock() -> datetime:
    """The wall clock, always aware."""
    return datetime.now(UTC)


class FixedClock:
    """A clock that stands still until it is moved; for tests and reproducible examples."""

    def __init__(self, now: datetime) -> None:
        if now.tzinfo is None:
            raise ValueError("a clock needs an aware datetime")
        self._now = now

    def __call__(self) -> datetime:
        return self._now

    def advance(self, by: timedelta) -> None:
        self._now += by
