"""CPU-bound work beside the event loop."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

FEW_CELLS = 500
"""Work on fewer cells takes less than a millisecond, about as long as handing it to a thread."""

Result = TypeVar("Result")


async def in_thread_if_large(
    rows: Sequence[Mapping[str, object]], work: Callable[[], Result]
) -> Result:
    """Run work on these rows: inline if they have few cells, else in a thread."""
    if len(rows) <= FEW_CELLS and sum(map(len, rows)) <= FEW_CELLS:
        return work()
    return await asyncio.to_thread(work)
