"""Loops that run beside a block of code and end with it."""

import asyncio
import logging
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager

log = logging.getLogger("yarrow.background")


@asynccontextmanager
async def in_background(*loops: Coroutine[None, None, None]) -> AsyncIterator[None]:
    """Run the loops for as long as the block lasts; one that dies before is logged."""
    tasks = [asyncio.create_task(loop) for loop in loops]
    for task in tasks:
        task.add_done_callback(_tell_death)
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _tell_death(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        log.critical("background.loop_died", exc_info=error)
