"""A database that notes who asks it, for tests of who must not ask."""

import asyncio
from collections import Counter
from contextlib import AbstractAsyncContextManager
from typing import Any

from yarrow.db import Database, Tx


class ObservedDatabase(Database):
    """Another database's connections, counted by the task that takes them."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.dsn = database.dsn
        self.taken: Counter[asyncio.Task[Any] | None] = Counter()

    def connection(self) -> AbstractAsyncContextManager[Tx]:
        self.taken[asyncio.current_task()] += 1
        return self._database.connection()
