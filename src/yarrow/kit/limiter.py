"""Limit how much runs at the same time, fairly between owners and with a bounded wait.

The owner of the present task is a context variable: set where a request is authenticated and where
a run begins, inherited by the tasks they start. It decides who waits and nothing else: rights are
checked with explicit ids.
"""

import asyncio
from collections.abc import Callable, Hashable
from contextvars import ContextVar
from weakref import WeakValueDictionary

_ANYONE = object()


class LimiterSlot:
    """The right to run, until `release`."""

    def __init__(self, *held: asyncio.Semaphore) -> None:
        self._held = held

    def release(self) -> None:
        """Let the next waiter run; a second call does nothing."""
        held, self._held = self._held, ()
        for semaphore in held:
            semaphore.release()


class Limiter:
    """At most `slots` run at once, at most `per_owner` of them for one owner.

    An owner waits in a queue of its own first, so one with many requests never has more than
    `per_owner` places in the queue that all owners share. A caller that waits longer than
    `timeout_s`, or would be one more than `max_waiting`, gets the error that `busy` builds.
    """

    def __init__(
        self,
        slots: int,
        *,
        per_owner: int | None = None,
        max_waiting: int | None = None,
        timeout_s: float | None = None,
        busy: Callable[[], Exception] = TimeoutError,
    ) -> None:
        self._slots = asyncio.Semaphore(slots)
        self._per_owner = per_owner or slots
        self._owners: WeakValueDictionary[Hashable, asyncio.Semaphore] = WeakValueDictionary()
        self._max_waiting = max_waiting
        self._waiting = 0
        self._timeout_s = timeout_s
        self._busy = busy

    def slot(self, owner: Hashable = _ANYONE) -> "_SlotBlock":
        """Hold a slot for the length of an `async with` block."""
        return _SlotBlock(self, owner)

    async def acquire(self, owner: Hashable = _ANYONE) -> LimiterSlot:
        """Wait for a slot; the caller releases it."""
        own = self._find_owner_slots(owner)
        if not (own.locked() or self._slots.locked()):
            return await self._take_slot(own)
        if self._max_waiting is not None and self._waiting >= self._max_waiting:
            raise self._busy()
        self._waiting += 1
        try:
            async with asyncio.timeout(self._timeout_s):
                return await self._take_slot(own)
        except TimeoutError:
            raise self._busy() from None
        finally:
            self._waiting -= 1

    async def _take_slot(self, own: asyncio.Semaphore) -> LimiterSlot:
        await own.acquire()
        try:
            await self._slots.acquire()
        except asyncio.CancelledError:
            own.release()
            raise
        return LimiterSlot(self._slots, own)

    def _find_owner_slots(self, owner: Hashable) -> asyncio.Semaphore:
        """Forgotten as soon as the owner neither holds nor awaits a slot."""
        return self._owners.setdefault(owner, asyncio.Semaphore(self._per_owner))


class _SlotBlock:
    """A class: every run enters two, and a generator costs three times as much."""

    __slots__ = ("_limiter", "_owner", "_slot")
    _slot: LimiterSlot

    def __init__(self, limiter: Limiter, owner: Hashable) -> None:
        self._limiter, self._owner = limiter, owner

    async def __aenter__(self) -> None:
        self._slot = await self._limiter.acquire(self._owner)

    async def __aexit__(self, *_: object) -> None:
        self._slot.release()


_owner: ContextVar[Hashable] = ContextVar("owner", default=None)


def set_owner(owner: Hashable) -> None:
    """Count the rest of this task for the owner."""
    _owner.set(owner)


def current_owner() -> Hashable:
    """The owner of the present task; None for work of the server itself."""
    return _owner.get()
