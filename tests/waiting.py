"""Waiting for a condition instead of for a time: a busy machine makes tests slow, never red."""

import asyncio
from collections.abc import Callable

PATIENCE_S = 120
"""After this long a condition counts as never true; far more than any step needs, even if
ten times as much work as the machine can do runs beside it."""


async def wait_until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not condition():
            await asyncio.sleep(0.005)
