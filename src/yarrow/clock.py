"""Clocks. Code takes a clock as an argument and never reads the time itself."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

Clock = Callable[[], datetime]


def system_clock() -> datetime:
    """The wall clock, in UTC."""
    return datetime.now(UTC)


class FixedClock:
    """A clock that only changes by `advance`; for tests and reproducible examples."""

    def __init__(self, now: datetime) -> None:
        if now.tzinfo is None:
            raise ValueError("a clock needs an aware datetime")
        self._now = now

    def __call__(self) -> datetime:
        return self._now

    def advance(self, by: timedelta) -> None:
        self._now += by
