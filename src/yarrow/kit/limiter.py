"""A limit on concurrent work with a bounded wait."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from yarrow.errors import Unavailable


class Turns:
    """At most `most` at a time; who waits longer than `patience_s` gets the error `busy`."""

    def __init__(self, most: int, *, patience_s: float, busy: Callable[[], Unavailable]) -> None:
        self._free = asyncio.Semaphore(most)
        self._patience_s = patience_s
        self._busy = busy

    @asynccontextmanager
    async def one(self) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(self._patience_s):
                await self._free.acquire()
        except TimeoutError:
            raise self._busy() from None
        try:
            yield
        finally:
            self._free.release()
