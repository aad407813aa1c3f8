"""The cache of table files, in front of a store that may be slow or down."""

import asyncio
import os
import time
from contextlib import AbstractContextManager
from pathlib import Path
from uuid import uuid4

import pytest
from msgspec import Struct, field

from yarrow.errors import StorageUnavailable
from yarrow.ids import TableId
from yarrow.tables.files import FileCache, TableFiles, locate_table_file

HOUR_S = 3600


class SlowStore(Struct):
    """Has every file; downloads begin at once and end when they are released."""

    is_down: bool = False
    started: list[str] = field(default_factory=list)
    released: asyncio.Event = field(default_factory=asyncio.Event)

    async def upload(self, path: str, file: Path) -> None:
        raise NotImplementedError

    async def download(self, path: str, file: Path) -> bool:
        self.started.append(path)
        _write(file)
        await self.released.wait()
        if self.is_down:
            raise StorageUnavailable
        return True

    async def delete(self, path: str) -> None:
        raise NotImplementedError


class Wanted(Struct, frozen=True):
    """A table whose file is wanted."""

    id: TableId
    path: Path


@pytest.fixture
def store() -> SlowStore:
    return SlowStore()


@pytest.fixture
def files(store: SlowStore, tmp_path: Path) -> TableFiles:
    return TableFiles(tmp_path, store)


def want(folder: Path) -> Wanted:
    table_id = TableId(uuid4())
    return Wanted(table_id, locate_table_file(folder, table_id))


def _write(file: Path) -> None:
    file.write_bytes(b"rows")


def write_old(table: Wanted) -> None:
    _write(table.path)
    then = time.time() - HOUR_S
    os.utime(table.path, (then, then))


async def test_a_store_that_is_down_is_its_own_error(files: TableFiles, store: SlowStore) -> None:
    store.is_down = True
    store.released.set()

    with pytest.raises(StorageUnavailable):
        await files.fetch([want(files.folder), want(files.folder)])

    assert list(files.folder.iterdir()) == []


async def test_readers_of_one_file_download_it_once(files: TableFiles, store: SlowStore) -> None:
    table = want(files.folder)
    async with asyncio.TaskGroup() as group:
        readers = [group.create_task(files.fetch([table])) for _ in range(5)]
        await asyncio.sleep(0.01)
        store.released.set()

    assert [reader.result() for reader in readers] == [[]] * 5
    assert len(store.started) == 1
    assert files.cache.downloads == {}


async def test_a_reader_that_leaves_does_not_end_the_download_of_others(
    files: TableFiles, store: SlowStore
) -> None:
    table = want(files.folder)
    first, second = (asyncio.create_task(files.fetch([table])) for _ in range(2))
    await asyncio.sleep(0.01)
    first.cancel()
    await asyncio.sleep(0.01)
    store.released.set()

    assert await second == []
    assert table.path.is_file()
    assert len(store.started) == 1


async def test_a_download_ends_with_its_last_reader(files: TableFiles, store: SlowStore) -> None:
    table = want(files.folder)
    reader = asyncio.create_task(files.fetch([table]))
    await asyncio.sleep(0.01)
    reader.cancel()
    await asyncio.sleep(0.01)

    assert files.cache.downloads == {}
    assert list(files.folder.iterdir()) == []

    store.released.set()
    assert await files.fetch([table]) == []


async def test_a_file_that_vanishes_does_not_stop_an_eviction(files: TableFiles) -> None:
    table = want(files.folder)
    write_old(table)
    (files.folder / "vanished.parquet").symlink_to(files.folder / "nowhere")

    assert files.evict() == 1
    assert not table.path.exists()


class UsedMeanwhile(AbstractContextManager[bool]):
    """The lock of an eviction, taken after another reader has touched the file."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def __enter__(self) -> bool:
        os.utime(self._file)
        return True

    def __exit__(self, *_: object) -> None: ...


async def test_a_file_that_was_used_since_it_was_listed_is_not_evicted(
    store: SlowStore, tmp_path: Path
) -> None:
    table = want(tmp_path)
    write_old(table)

    removed = TableFiles(tmp_path, store, cache=FileCache(UsedMeanwhile(table.path))).evict()

    assert removed == 0
    assert table.path.exists()
