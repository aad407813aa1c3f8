"""Spool uploaded bytes to temporary files."""

import errno
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from msgspec import Struct

from yarrow.kit.json import JsonMapping, encode_json
from yarrow.sandbox.job_spec import remove_file
from yarrow.sandbox.model import FileToRead
from yarrow.tables.errors import DiskFull, TableTooLarge
from yarrow.tables.model import Tables


class SpoolFile:
    """A file of at most `max_bytes`."""

    def __init__(self, path: Path, *, max_bytes: int) -> None:
        self.path = path
        self._remaining = max_bytes
        self._max_bytes = max_bytes
        self._file = path.open("wb")

    def write(self, chunk: bytes) -> None:
        self._remaining -= len(chunk)
        if self._remaining < 0:
            raise TableTooLarge(self._max_bytes)
        try:
            self._file.write(chunk)
        except OSError as error:
            if error.errno == errno.ENOSPC:
                raise DiskFull from error
            raise

    def close(self) -> None:
        self._file.close()

    def discard(self) -> None:
        self.close()
        self.path.unlink(missing_ok=True)


@asynccontextmanager
async def spool_file(tables: Tables, chunks: AsyncIterator[bytes]) -> AsyncIterator[Path]:
    """Write the bytes to a file that is removed after the block; raises `TableTooLarge`."""
    file = SpoolFile(tables.sandbox.spool_path(".upload"), max_bytes=tables.max_bytes)
    try:
        async for chunk in chunks:
            file.write(chunk)
        file.close()
        yield file.path
    finally:
        file.discard()


async def stream_once(data: bytes) -> AsyncIterator[bytes]:
    """A stream of one chunk."""
    yield data


class WrittenRows(Struct, frozen=True):
    """Rows as a Parquet file."""

    path: Path
    row_count: int


@asynccontextmanager
async def write_rows(
    tables: Tables, name: str, rows: Sequence[JsonMapping]
) -> AsyncIterator[WrittenRows]:
    """Rows of a request as a file, removed after the block."""
    target = tables.sandbox.spool_path(".parquet")
    try:
        async with spool_file(tables, stream_once(encode_json(rows))) as source:
            written = await tables.sandbox.read_file(FileToRead(source, "rows.json", name), target)
        yield WrittenRows(target, written.row_count)
    finally:
        remove_file(target)
