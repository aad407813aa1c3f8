"""Repeat a read whose result a request waits for, while the database is away."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import TypeVar

from yarrow.db.errors import DatabaseUnavailable, RowLost

RETRY_S = 0.25

_Result = TypeVar("_Result")


async def retry_while_away(
    read: Callable[[], Awaitable[_Result]], patience: timedelta | None
) -> _Result:
    """Call `read` until it reaches the database, and return its result.

    Raises `DatabaseUnavailable` when the database is away for longer than `patience`, counted from
    the first failure; None: at once. A lost row raises `RowLost` at once.
    """
    patience_s = 0.0 if patience is None else patience.total_seconds()
    now = asyncio.get_running_loop().time
    lost_at: float | None = None
    while True:
        try:
            return await read()
        except RowLost:
            raise
        except DatabaseUnavailable:
            lost_at = now() if lost_at is None else lost_at
            if now() - lost_at >= patience_s:
                raise
        await asyncio.sleep(RETRY_S)
