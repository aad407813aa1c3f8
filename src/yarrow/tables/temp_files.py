"""Spooled: bytes from outside lie in a file of ours for as long as they are worked on."""

import errno
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from yarrow.tables.errors import DiskFull, TableTooLarge
from yarrow.tables.model import Shelf


class SpoolFile:
    """A file that grows up to a limit."""

    def __init__(self, path: Path, *, max_bytes: int) -> None:
        self.path = path
        self._left = max_bytes
        self._max_bytes = max_bytes
        self._file = path.open("wb")

    def write(self, chunk: bytes) -> None:
        self._left -= len(chunk)
        if self._left < 0:
            raise TableTooLarge(self._max_bytes)
        try:
            self._file.write(chunk)
        except OSError as failed:
            if failed.errno == errno.ENOSPC:
                raise DiskFull from failed
            raise

    def close(self) -> None:
        self._file.close()

    def discard(self) -> None:
        self.close()
        self.path.unlink(missing_ok=True)


@asynccontextmanager
async def spooled(shelf: Shelf, chunks: AsyncIterator[bytes]) -> AsyncIterator[Path]:
    """The bytes as a file, which is gone after the block; too many raise `TableTooLarge`."""
    file = SpoolFile(shelf.sandbox.spool_path(".upload"), max_bytes=shelf.max_bytes)
    try:
        async for chunk in chunks:
            file.write(chunk)
        file.close()
        yield file.path
    finally:
        file.discard()


async def one_chunk(data: bytes) -> AsyncIterator[bytes]:
    """Bytes that are here already, as a stream."""
    yield data
