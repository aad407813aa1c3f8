"""CPU-bound work beside the event loop."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

FEW_ITEMS = 500
"""Work on fewer items takes a few milliseconds at most."""

Result = TypeVar("Result")


async def run_in_thread_if_large(items: int, work: Callable[[], Result]) -> Result:
    """Run work on so many items: inline if they are few, else in a thread.

    The thread holds the GIL for five milliseconds at a time: other requests are served meanwhile.
    """
    return work() if items <= FEW_ITEMS else await asyncio.to_thread(work)
