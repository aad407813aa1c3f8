"""Work for a plain request that ends when its client disconnects."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from fastapi import Request

from yarrow.http.streaming import wait_for_disconnect

Result = TypeVar("Result")


async def run_while_connected(request: Request, work: Coroutine[Any, Any, Result]) -> Result | None:
    """The result of the work, or None when the client disconnected first. The body was read."""
    working = asyncio.create_task(work)
    disconnect = asyncio.create_task(wait_for_disconnect(request.receive))
    try:
        await asyncio.wait({working, disconnect}, return_when=asyncio.FIRST_COMPLETED)
        return await working if working.done() else None
    finally:
        working.cancel()
        disconnect.cancel()
        await asyncio.wait({working, disconnect})
