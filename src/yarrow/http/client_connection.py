"""Work for a request that ends when its client disconnects."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
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


@asynccontextmanager
async def watch_connection(request: Request) -> AsyncIterator[Callable[[], bool]]:
    """Within the block, gives a function that tells whether the client has disconnected."""
    disconnect = asyncio.create_task(wait_for_disconnect(request.receive))
    try:
        yield disconnect.done
    finally:
        disconnect.cancel()
        await asyncio.wait({disconnect})
