"""Pictures drawn outside this process.

vl-convert holds Python's lock from the first to the last moment of a drawing, so in a thread it
would still stop every stream of the server. And a spec that a model wrote may never end. A child
process draws instead, one picture after the other; one that takes too long is killed.
"""

import asyncio
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from contextlib import suppress

import msgspec

from yarrow.charting.painting_orders import Order, Painted, Picture
from yarrow.errors import ChartUndrawable
from yarrow.json_values import JsonObject, encode_json

COMMAND = (sys.executable, "-m", "yarrow.charting.painting")
TIMEOUT_S = 20.0


class Painter:
    """Draws specs in a child that starts with the first picture and stays for the next."""

    def __init__(self, *, timeout_s: float = TIMEOUT_S) -> None:
        self._timeout_s = timeout_s
        self._turn = asyncio.Lock()
        self._child: Process | None = None

    async def svg(self, spec: JsonObject) -> str:
        """Raises `ChartUndrawable` if the spec cannot be drawn, or not in time."""
        return (await self._draw(Picture.SVG, spec, scale=1.0)).decode()

    async def png(self, spec: JsonObject, scale: float = 1.0) -> bytes:
        """Raises `ChartUndrawable` if the spec cannot be drawn, or not in time."""
        return await self._draw(Picture.PNG, spec, scale=scale)

    async def close(self) -> None:
        """End the child, whatever it does."""
        child, self._child = self._child, None
        if child is not None:
            with suppress(ProcessLookupError):
                child.kill()
            await child.wait()

    async def _draw(self, picture: Picture, spec: JsonObject, *, scale: float) -> bytes:
        body = encode_json(spec)
        async with self._turn:
            child = await self._running()
            try:
                async with asyncio.timeout(self._timeout_s):
                    return await _ask(child, Order(picture, scale, len(body)), body)
            except ChartUndrawable:
                raise
            except (TimeoutError, ConnectionError, asyncio.IncompleteReadError, ValueError):
                await self.close()
                raise ChartUndrawable from None
            except asyncio.CancelledError:
                # Half an order or half a picture is in the pipes: the next would be misread.
                await self.close()
                raise

    async def _running(self) -> Process:
        if self._child is None or self._child.returncode is not None:
            self._child = await asyncio.create_subprocess_exec(
                *COMMAND, stdin=PIPE, stdout=PIPE, stderr=DEVNULL
            )
        return self._child


async def _ask(child: Process, order: Order, body: bytes) -> bytes:
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdin.write(msgspec.json.encode(order) + b"\n")
    child.stdin.write(body)
    await child.stdin.drain()
    line = await child.stdout.readline()
    if not line:
        raise ConnectionResetError
    painted = msgspec.json.decode(line, type=Painted)
    picture = await child.stdout.readexactly(painted.size)
    if not painted.drawn:
        raise ChartUndrawable
    return picture
