"""Wait until rows that were committed asynchronously are on disk."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol
from uuid import UUID

from yarrow.db.errors import DatabaseUnavailable, RowLost


class _RowFinder(Protocol):
    async def fetchval(self, query: str, row_ids: Sequence[UUID], /) -> list[UUID]: ...


Connect = Callable[[], AbstractAsyncContextManager[_RowFinder]]


class _Batch:
    """Rows that one statement is to find; `found` is None until it has."""

    def __init__(self) -> None:
        self.ids: set[UUID] = set()
        self.found: frozenset[UUID] | None = None
        self.has_failed = False


class DiskWait:
    """Finds rows of a table by statements that commit synchronously.

    The log is written in order, so what such a statement finds is on disk when it returns. It looks
    for the rows because a crash may have taken them: the database can be back before anybody waits.
    One statement serves all that have begun to wait before it, also when it fails: they would
    otherwise wait for the same failure one after the other.
    """

    def __init__(self, connect: Connect, table: str) -> None:
        # A transaction that writes nothing, or only takes an id, would not wait for the disk. One
        # look-up for each row: for a small table `= ANY` is planned to read it all, and the plan is
        # kept while it grows.
        self._find = (
            "SELECT ARRAY(SELECT stored.id FROM unnest($1::uuid[]) AS wanted (id), "  # noqa: S608
            f"LATERAL (SELECT id FROM {table} WHERE id = wanted.id LIMIT 1) AS stored) "
            "FROM pg_logical_emit_message(true, 'yarrow', '')"
        )
        self._connect = connect
        self._lock = asyncio.Lock()
        self._next = _Batch()
        self._served = _Batch()

    async def join(self, row_id: UUID) -> None:
        """Wait as well if somebody waits for this row; else it is on disk, or not of this process.

        Raises `DatabaseUnavailable` as `wait` does.
        """
        if row_id in self._next.ids or (row_id in self._served.ids and self._served.found is None):
            await self.wait(row_id)

    async def wait(self, row_id: UUID) -> None:
        """Return once the row is on disk; `RowLost` if it is not there.

        `DatabaseUnavailable` if the statement failed: the row may be there.
        """
        batch = self._next
        batch.ids.add(row_id)
        async with self._lock:
            if batch.found is None:
                await self._serve_batch(batch)
        if batch.has_failed:
            raise DatabaseUnavailable
        if row_id not in (batch.found or ()):
            raise RowLost

    async def _serve_batch(self, batch: _Batch) -> None:
        self._served = batch
        if self._next is batch:  # else a caller left before it was served, and others came since
            self._next = _Batch()
        try:
            async with self._connect() as tx:
                batch.found = frozenset(await tx.fetchval(self._find, list(batch.ids)))
        except DatabaseUnavailable:
            batch.found, batch.has_failed = frozenset(), True
            raise
