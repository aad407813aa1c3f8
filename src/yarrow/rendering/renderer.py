"""Pictures drawn outside this process.

vl-convert holds Python's lock from the first to the last moment of a drawing, so in a thread it
would still stop every stream of the server. And a spec that a model wrote may never end. Child
processes draw instead; one that takes too long is killed. Whoever asks for many pictures waits
for their own: nobody holds more than one child at a time, nor more than one place in the queue.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary

from yarrow.kit.json import JsonObject, encode_json
from yarrow.rendering.errors import ChartUndrawable
from yarrow.rendering.limits import require_modest
from yarrow.rendering.process import Easel
from yarrow.rendering.protocol import Lock, Order, Picture

TIMEOUT_S = 10.0
PATIENCE_S = 60.0
EASELS = 2
BUSY = "too many charts are being drawn; try again later"


class Painter:
    """Draws specs in children that start with the first pictures and stay for the next."""

    def __init__(self, *, timeout_s: float = TIMEOUT_S, lock: Lock = Lock.FULL) -> None:
        self._timeout_s = timeout_s
        self._easels = tuple(Easel(lock) for _ in range(EASELS))
        self._idle = list(self._easels)
        self._free = asyncio.Semaphore(EASELS)
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def svg(self, spec: JsonObject, *, owner: str) -> str:
        """Raises `ChartUndrawable` if the spec cannot be drawn, or not in time."""
        return (await self._draw(Picture.SVG, spec, scale=1.0, owner=owner)).decode()

    async def png(self, spec: JsonObject, *, owner: str, scale: float = 1.0) -> bytes:
        """Raises `ChartUndrawable` if the spec cannot be drawn, or not in time."""
        return await self._draw(Picture.PNG, spec, scale=scale, owner=owner)

    async def close(self) -> None:
        """End the children, whatever they do."""
        for easel in self._easels:
            await easel.close()

    async def _draw(self, picture: Picture, spec: JsonObject, *, scale: float, owner: str) -> bytes:
        body = await asyncio.to_thread(_checked, spec, scale)
        async with self._turn(owner) as easel:
            order = Order(picture, scale, len(body))
            return await easel.draw(order, body, timeout_s=self._timeout_s)

    @asynccontextmanager
    async def _turn(self, owner: str) -> AsyncIterator[Easel]:
        """First in the owner's own queue, then in the one of all owners."""
        own = self._turns.setdefault(owner, asyncio.Lock())
        try:
            async with asyncio.timeout(PATIENCE_S) as patience, own, self._free:
                patience.reschedule(None)
                easel = self._idle.pop()
                try:
                    yield easel
                finally:
                    self._idle.append(easel)
        except TimeoutError:
            raise ChartUndrawable(BUSY) from None


def _checked(spec: JsonObject, scale: float) -> bytes:
    body = encode_json(spec)
    require_modest(spec, size=len(body), scale=scale)
    return body
