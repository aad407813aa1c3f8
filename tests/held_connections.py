"""Statements of a product that wait for a connection until a test lets them run."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress

from yarrow.db import Database
from yarrow.db.errors import DatabaseUnavailable
from yarrow.db.pool import RESERVED


@asynccontextmanager
async def hold_reserved_connections(database: Database) -> AsyncIterator[None]:
    """Let every statement that needs one wait until the end of the block."""
    async with AsyncExitStack() as held:
        held.enter_context(suppress(DatabaseUnavailable))
        for _ in range(RESERVED):
            await held.enter_async_context(database.reserved_connection())
        yield
