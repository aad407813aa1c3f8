"""What runs beside the rest: loops that end with a block of code, and work on many rows."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import TypeVar

log = logging.getLogger("yarrow.kit.tasks")

FEW_CELLS = 500
"""So many values are worked on within a millisecond, and a thread takes as long to be asked."""

Made = TypeVar("Made")


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


async def worked_on(rows: Sequence[Mapping[str, object]], work: Callable[[], Made]) -> Made:
    """What the work on these rows gives: at once if they are few, else by a thread."""
    if len(rows) <= FEW_CELLS and sum(map(len, rows)) <= FEW_CELLS:
        return work()
    return await asyncio.to_thread(work)
