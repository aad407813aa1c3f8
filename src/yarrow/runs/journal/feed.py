"""Waiting for events: who follows which run, and waking them."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from yarrow.ids import RunId


class Feed:
    """The followers in this process, woken when a run has something new."""

    def __init__(self) -> None:
        self._followers: Counter[RunId] = Counter()
        self._waiters: dict[RunId, list[asyncio.Future[None]]] = {}
        self.closed = False

    def is_followed(self, run_id: RunId) -> bool:
        return run_id in self._followers

    @contextmanager
    def follower(self, run_id: RunId) -> Iterator[None]:
        """Count a follower of the run while the block lasts."""
        self._followers[run_id] += 1
        try:
            yield
        finally:
            self._followers[run_id] -= 1
            if not self._followers[run_id]:
                del self._followers[run_id]

    def next_wake(self, run_id: RunId) -> asyncio.Future[None]:
        """Return a future for the next wake-up. Take it before reading: no event is missed then."""
        wake: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiters.setdefault(run_id, []).append(wake)
        return wake

    def wake(self, run_id: RunId) -> None:
        for waiter in self._waiters.pop(run_id, ()):
            if not waiter.done():
                waiter.set_result(None)

    def wake_all(self) -> None:
        for run_id in list(self._waiters):
            self.wake(run_id)

    def close(self) -> None:
        """End every stream; clients reconnect with the last sequence number they have."""
        self.closed = True
        self.wake_all()
