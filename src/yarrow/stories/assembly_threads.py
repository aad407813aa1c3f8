"""Threads for assemblies: apart from all other work, and fair between accounts."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeVar

from yarrow.ids import AccountId

THREADS = 8
OF_ONE_ACCOUNT = 2
"""So that scripts that take their whole second leave threads for everybody else."""

Made = TypeVar("Made")


@dataclass(slots=True)
class _Turns:
    """The free turns of an account, and how many calls have or want one."""

    free: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(OF_ONE_ACCOUNT))
    calls: int = 0


class AssemblyThreads:
    """Runs assemblies. An account that wants many at once waits for its own, not others for it."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="assembly")
        self._turns: dict[AccountId, _Turns] = {}

    async def run(self, account_id: AccountId, work: Callable[[], Made]) -> Made:
        """What the work gives, or raises.

        A turn ends with the work: a thread does not stop when its caller has gone.
        """
        turns = self._turns.setdefault(account_id, _Turns())
        turns.calls += 1
        try:
            await turns.free.acquire()
        except asyncio.CancelledError:
            self._leave(account_id, turns)
            raise
        loop = asyncio.get_running_loop()

        def end(_: Future[Made]) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(self._end, account_id, turns)

        future = self._pool.submit(work)
        future.add_done_callback(end)
        return await asyncio.wrap_future(future)

    def _end(self, account_id: AccountId, turns: _Turns) -> None:
        turns.free.release()
        self._leave(account_id, turns)

    def _leave(self, account_id: AccountId, turns: _Turns) -> None:
        turns.calls -= 1
        if not turns.calls:
            del self._turns[account_id]
