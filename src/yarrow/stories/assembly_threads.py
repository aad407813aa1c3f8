"""Threads for prompt assembly: a pool of their own, shared fairly between accounts."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from yarrow.ids import AccountId
from yarrow.kit.limiter import Limiter

THREADS = 8
THREADS_PER_ACCOUNT = 2
"""Scripts that use their whole second must leave threads for other accounts."""

Result = TypeVar("Result")


class AssemblyThreads:
    """Runs assemblies; an account with many requests waits in a queue of its own."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="assembly")
        self._limiter = Limiter(THREADS, per_owner=THREADS_PER_ACCOUNT)

    async def run(self, account_id: AccountId, work: Callable[[], Result]) -> Result:
        """Run `work` in a thread and return its result.

        The slot is released when the thread ends: it does not stop when its caller is cancelled.
        """
        slot = await self._limiter.acquire(account_id)
        loop = asyncio.get_running_loop()

        def release_slot(_: Future[Result]) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(slot.release)

        future = self._pool.submit(work)
        future.add_done_callback(release_slot)
        return await asyncio.wrap_future(future)
