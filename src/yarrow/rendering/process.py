"""One child that draws: started when it is first needed, and anew after it was killed."""

import asyncio
import logging
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from contextlib import suppress

import msgspec

from yarrow.rendering.errors import ChartUndrawable
from yarrow.rendering.limits import TOO_LARGE
from yarrow.rendering.protocol import READY, Exit, Fate, Lock, Order, Painted

MODULE = "yarrow.rendering.child"
START_TIMEOUT_S = 30.0
PICTURE_BYTES = 64 * 1024 * 1024
SLOW = "the chart takes too long to draw"

log = logging.getLogger("yarrow.charting")


class Easel:
    """Draws one picture at a time; who holds it sees to that."""

    def __init__(self, lock: Lock = Lock.FULL) -> None:
        self._lock = lock
        self._child: Process | None = None

    @property
    def pid(self) -> int | None:
        return self._child.pid if self._child is not None else None

    @property
    def lock(self) -> Lock:
        """As it was asked for, or as the machine has it once a child was started."""
        return self._lock

    async def draw(self, order: Order, body: bytes, *, timeout_s: float) -> bytes:
        """Raises `ChartUndrawable` if the spec cannot be drawn, or not in time."""
        try:
            child = await self._running()
            async with asyncio.timeout(timeout_s):
                return await _ask(child, order, body)
        except TimeoutError:
            await self.close()
            raise ChartUndrawable(SLOW) from None
        except (ConnectionError, asyncio.IncompleteReadError, ValueError):
            await self.close()
            raise ChartUndrawable from None
        except asyncio.CancelledError:
            # Half an order or half a picture is in the pipes: the next would be misread.
            await self.close()
            raise

    async def close(self) -> None:
        """End the child, whatever it does."""
        child, self._child = self._child, None
        if child is not None:
            with suppress(ProcessLookupError):
                child.kill()
            await child.wait()

    async def _running(self) -> Process:
        if self._child is not None and self._child.returncode is None:
            return self._child
        async with asyncio.timeout(START_TIMEOUT_S):
            child = await self._started()
            if child.returncode == Exit.UNLOCKABLE and self._lock is Lock.FULL:
                log.warning("painter.without_namespaces")
                self._lock = Lock.LIMITS
                child = await self._started()
        if child.returncode is not None:
            raise ConnectionResetError
        return child

    async def _started(self) -> Process:
        """A child that is ready, or one that has ended."""
        self._child = child = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", MODULE, self._lock),
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            env=_environment(),
            start_new_session=True,
        )
        assert child.stdout is not None
        if await child.stdout.readline() != READY:
            await child.wait()
        return child


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
    if painted.size > PICTURE_BYTES:
        raise ConnectionResetError
    picture = await child.stdout.readexactly(painted.size)
    match painted.fate:
        case Fate.DRAWN:
            return picture
        case Fate.TOO_LARGE:
            raise ChartUndrawable(TOO_LARGE)
        case Fate.UNDRAWABLE:
            raise ChartUndrawable


def _environment() -> dict[str, str]:
    """Nothing of ours: where the libraries and the user's fonts are, and how text is written."""
    return {
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        "HOME": os.path.expanduser("~"),  # noqa: PTH111  # `Path.home` fails where there is none
    }
