"""Turns: so many at a time, and nobody waits for ever."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from yarrow.errors import SandboxBusy


class Turns:
    """A limit on what happens at once; who waits too long gets `SandboxBusy`."""

    def __init__(self, most: int, *, patience_s: float) -> None:
        self._free = asyncio.Semaphore(most)
        self._patience_s = patience_s

    @asynccontextmanager
    async def one(self) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(self._patience_s):
                await self._free.acquire()
        except TimeoutError:
            raise SandboxBusy from None
        try:
            yield
        finally:
            self._free.release()
