"""The files of tables: in the shared store if there is one, with a bounded cache in the folder.

Without a shared store the folder is the only place. With one, every server that uses it has every
table: a file that is not in the folder is downloaded when it is read, and the cache may be lost.
"""

import asyncio
import os
import time
from collections.abc import Callable, Coroutine, Sequence
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from stat import S_ISREG
from threading import Lock
from typing import Protocol, TypeVar

from msgspec import Struct, field

from yarrow.errors import StorageUnavailable
from yarrow.ids import TableId, new_uuid
from yarrow.sandbox.job_spec import remove_file

REMOTE = "tables"
SPOOLED = "rows"
ROWS_SUFFIX = ".rows"
"""Of rows in the spool folder that an accepted run is to read."""
PART_SUFFIX = ".part"
"""Of a download in progress; the sweep removes those of crashed processes."""
EVICTION_AGE_S = 600.0
"""A file that was used more recently may be open in a job."""


class TableFile(Protocol):
    """A table whose file is wanted."""

    @property
    def id(self) -> TableId: ...

    @property
    def path(self) -> Path: ...


FileT = TypeVar("FileT", bound=TableFile)


def locate_table_file(folder: Path, table_id: TableId) -> Path:
    """The Parquet file of a table; the user's name is not part of it."""
    return folder / f"{table_id}.parquet"


def name_remote_path(table_id: TableId) -> str:
    """Where the file of a table is in a shared store."""
    return f"{REMOTE}/{table_id}.parquet"


class FileStore(Protocol):
    """A store that several servers share; methods raise `StorageUnavailable` when it is down."""

    async def upload(self, path: str, file: Path) -> None: ...

    async def download(self, path: str, file: Path) -> bool:
        """Write the stored file; False if there is none."""
        ...

    async def delete(self, path: str) -> None: ...


class _Download(Struct):
    """A download in progress, and the number of readers that await it."""

    task: asyncio.Task[bool]
    readers: int = 0


class FileCache(Struct, frozen=True):
    """The state that all users of a folder share: its downloads, and the lock of its evictions."""

    eviction: AbstractContextManager[bool] = field(default_factory=Lock)
    """Held for one file at a time: a file is not removed between its touch and its use."""
    downloads: dict[Path, _Download] = field(default_factory=dict)

    async def share(
        self, target: Path, download: Callable[[], Coroutine[None, None, bool]]
    ) -> bool:
        """Await the download of a file; readers at the same time await the same one.

        The download is cancelled when its last reader is.
        """
        shared = self.downloads.get(target)
        if shared is None:
            shared = self.downloads[target] = _Download(asyncio.create_task(download()))
        shared.readers += 1
        try:
            return await asyncio.shield(shared.task)
        finally:
            shared.readers -= 1
            if not shared.readers:
                shared.task.cancel()
            if (shared.task.done() or not shared.readers) and self.downloads.get(target) is shared:
                del self.downloads[target]


class TableFiles(Struct, frozen=True):
    """Files by table id."""

    folder: Path
    store: FileStore | None = None
    cache_bytes: int = 0
    cache: FileCache = field(default_factory=FileCache)

    async def publish(self, table_id: TableId) -> None:
        """Store a complete file where other servers find it; called before its row is live."""
        if self.store is not None:
            await self.store.upload(
                name_remote_path(table_id), locate_table_file(self.folder, table_id)
            )

    async def fetch(self, selected: Sequence[FileT]) -> list[FileT]:
        """Bring the files of these tables to the folder; return the tables whose file is gone.

        Raises the first failure itself, not a group: callers handle `StorageUnavailable`.
        """
        try:
            async with asyncio.TaskGroup() as group:
                fetching = [
                    (table, group.create_task(self._fetch_file(table))) for table in selected
                ]
        except ExceptionGroup as failures:
            raise failures.exceptions[0] from None
        return [table for table, task in fetching if not task.result()]

    async def _fetch_file(self, table: TableFile) -> bool:
        return self._touch_file(table.path) or await self._download_file(
            name_remote_path(table.id), table.path
        )

    def _touch_file(self, file: Path) -> bool:
        """Whether the file is in the folder; an eviction does not remove it soon after."""
        if self.store is None:
            return file.is_file()
        with self.cache.eviction:
            try:
                os.utime(file)
            except OSError:
                return file.is_file()
        return True

    async def _download_file(self, remote: str, target: Path) -> bool:
        store = self.store
        if store is None:
            return False
        return await self.cache.share(target, lambda: self._write_download(store, remote, target))

    async def _write_download(self, store: FileStore, remote: str, target: Path) -> bool:
        part = target.with_name(f".{new_uuid()}{PART_SUFFIX}")
        try:
            if not await store.download(remote, part):
                return False
            part.chmod(0o444)
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)
        with suppress(OSError):  # the file is here, however large the cache is
            await asyncio.to_thread(self.evict)
        return True

    async def delete(self, table_ids: Sequence[TableId]) -> None:
        """Delete the files here and in the store; other servers drop their copies in a sweep."""
        self.unlink(table_ids)
        if self.store is not None:
            for table_id in table_ids:
                await self.store.delete(name_remote_path(table_id))

    def unlink(self, table_ids: Sequence[TableId]) -> None:
        for table_id in table_ids:
            locate_table_file(self.folder, table_id).unlink(missing_ok=True)

    def evict(self, *, older_than_s: float = EVICTION_AGE_S) -> int:
        """Remove the files that were used least recently until the cache is within its size."""
        if self.store is None:
            return 0
        listed = [(file, stat_file(file)) for file in self.folder.glob("*.parquet")]
        files = [(file, stat) for file, stat in listed if stat is not None]
        files.sort(key=lambda item: item[1].st_mtime)
        excess = sum(stat.st_size for _, stat in files) - self.cache_bytes
        youngest = time.time() - older_than_s
        removed = 0
        for file, stat in files:
            if excess <= 0 or stat.st_mtime > youngest:
                break
            if self._evict_file(file, youngest):
                excess -= stat.st_size
                removed += 1
        return removed

    def _evict_file(self, file: Path, youngest: float) -> bool:
        """Remove a file unless it was used since it was listed."""
        with self.cache.eviction:
            stat = stat_file(file)
            if stat is not None and stat.st_mtime > youngest:
                return False
            file.unlink(missing_ok=True)
        return True

    async def publish_rows(self, file: Path) -> None:
        """Store rows that a run on another server may read."""
        if self.store is not None:
            await self.store.upload(f"{SPOOLED}/{file.name}", file)

    async def fetch_rows(self, file: Path) -> bool:
        """Whether the rows are in the spool folder, downloaded if need be."""
        return _is_file(file) or await self._download_file(f"{SPOOLED}/{file.name}", file)

    async def delete_rows(self, file: Path) -> None:
        remove_file(file)
        if self.store is not None:
            with suppress(StorageUnavailable):
                await self.store.delete(f"{SPOOLED}/{file.name}")


def stat_file(file: Path) -> os.stat_result | None:
    """The state of a regular file; None if another process or thread has removed it."""
    try:
        stat = file.stat()
    except FileNotFoundError:
        return None
    return stat if S_ISREG(stat.st_mode) else None


def _is_file(file: Path) -> bool:
    return file.is_file()
