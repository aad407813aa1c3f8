"""A thread pool for prompt assemblies, limited per account."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeVar

from yarrow.ids import AccountId

THREADS = 8
THREADS_PER_ACCOUNT = 2
"""So that an account whose regexes run into their time limit leaves threads for the others."""

Result = TypeVar("Result")


@dataclass(slots=True)
class _AccountLimit:
    """The free threads of an account, and its calls that run or wait."""

    free: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(THREADS_PER_ACCOUNT))
    calls: int = 0


class AssemblyThreads:
    """Runs assemblies in threads; an account waits for its own threads only."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="assembly")
        self._limits: dict[AccountId, _AccountLimit] = {}

    async def run(self, account_id: AccountId, work: Callable[[], Result]) -> Result:
        """Return what `work` returns, or raise what it raises.

        The account's slot is freed when the work ends, not when the caller is cancelled: a thread
        cannot be stopped.
        """
        limit = self._limits.setdefault(account_id, _AccountLimit())
        limit.calls += 1
        try:
            await limit.free.acquire()
        except asyncio.CancelledError:
            self._forget(account_id, limit)
            raise
        loop = asyncio.get_running_loop()

        def on_done(_: Future[Result]) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(self._release, account_id, limit)

        future = self._pool.submit(work)
        future.add_done_callback(on_done)
        return await asyncio.wrap_future(future)

    def _release(self, account_id: AccountId, limit: _AccountLimit) -> None:
        limit.free.release()
        self._forget(account_id, limit)

    def _forget(self, account_id: AccountId, limit: _AccountLimit) -> None:
        limit.calls -= 1
        if not limit.calls:
            del self._limits[account_id]
