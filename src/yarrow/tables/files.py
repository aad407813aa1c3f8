"""The files of tables: in the shared store if there is one, with a bounded cache in the folder.

Without a shared store the folder is the only place. With one, every server that uses it has every
table: a file that is not in the folder is downloaded when it is read, and the cache may be lost.
"""

import asyncio
import os
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from yarrow.errors import StorageUnavailable
from yarrow.ids import TableId, new_uuid
from yarrow.sandbox.job_spec import remove_file

REMOTE = "tables"
SPOOLED = "rows"
EVICTION_AGE_S = 600.0
"""A file that was used more recently may be open in a job."""


class TableFile(Protocol):
    """A table whose file is wanted."""

    @property
    def id(self) -> TableId: ...

    @property
    def path(self) -> Path: ...


FileT = TypeVar("FileT", bound=TableFile)


def table_file(folder: Path, table_id: TableId) -> Path:
    """The Parquet file of a table; the user's name is not part of it."""
    return folder / f"{table_id}.parquet"


class FileStore(Protocol):
    """A store that several servers share; methods raise `StorageUnavailable` when it is down."""

    async def upload(self, path: str, file: Path) -> None: ...

    async def download(self, path: str, file: Path) -> bool:
        """Write the stored file; False if there is none."""
        ...

    async def delete(self, path: str) -> None: ...


@dataclass(frozen=True, slots=True)
class TableFiles:
    """Files by table id."""

    folder: Path
    store: FileStore | None = None
    cache_bytes: int = 0

    async def publish(self, table_id: TableId) -> None:
        """Store a complete file where other servers find it; called before its row is live."""
        if self.store is not None:
            await self.store.upload(_remote(table_id), table_file(self.folder, table_id))

    async def fetch(self, selected: Sequence[FileT]) -> list[FileT]:
        """Bring the files of these tables to the folder; return the tables whose file is gone."""
        async with asyncio.TaskGroup() as group:
            fetching = [(table, group.create_task(self._fetch(table))) for table in selected]
        return [table for table, task in fetching if not task.result()]

    async def _fetch(self, table: TableFile) -> bool:
        if table.path.is_file():
            if self.store is not None:
                with suppress(OSError):
                    os.utime(table.path)
            return True
        return await self._download(_remote(table.id), table.path)

    async def _download(self, remote: str, target: Path) -> bool:
        if self.store is None:
            return False
        part = target.with_name(f".{new_uuid()}.part")
        try:
            if not await self.store.download(remote, part):
                return False
            part.chmod(0o444)
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)
        await asyncio.to_thread(self.evict)
        return True

    async def delete(self, table_ids: Sequence[TableId]) -> None:
        """Delete the files here and in the store; other servers drop their copies in a sweep."""
        self.unlink(table_ids)
        if self.store is not None:
            for table_id in table_ids:
                await self.store.delete(_remote(table_id))

    def unlink(self, table_ids: Sequence[TableId]) -> None:
        for table_id in table_ids:
            table_file(self.folder, table_id).unlink(missing_ok=True)

    def evict(self, *, older_than_s: float = EVICTION_AGE_S) -> int:
        """Remove the files that were used least recently until the cache is within its size."""
        if self.store is None:
            return 0
        files = [(file, file.stat()) for file in self.folder.glob("*.parquet")]
        files.sort(key=lambda item: item[1].st_mtime)
        excess = sum(stat.st_size for _, stat in files) - self.cache_bytes
        youngest = time.time() - older_than_s
        removed = 0
        for file, stat in files:
            if excess <= 0 or stat.st_mtime > youngest:
                break
            file.unlink(missing_ok=True)
            excess -= stat.st_size
            removed += 1
        return removed

    async def publish_rows(self, file: Path) -> None:
        """Store rows that a run on another server may read."""
        if self.store is not None:
            await self.store.upload(f"{SPOOLED}/{file.name}", file)

    async def fetch_rows(self, file: Path) -> bool:
        """Whether the rows are in the spool folder, downloaded if need be."""
        return _exists(file) or await self._download(f"{SPOOLED}/{file.name}", file)

    async def delete_rows(self, file: Path) -> None:
        remove_file(file)
        if self.store is not None:
            with suppress(StorageUnavailable):
                await self.store.delete(f"{SPOOLED}/{file.name}")


def _exists(file: Path) -> bool:
    return file.is_file()


def _remote(table_id: TableId) -> str:
    return f"{REMOTE}/{table_id}.parquet"
