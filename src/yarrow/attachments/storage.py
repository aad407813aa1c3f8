"""The storage port: where the bytes of attachments lie."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file that is there: its size, and its bytes as they are read."""

    size: int
    chunks: AsyncIterator[bytes]


class Storage(Protocol):
    """Keeps files by path. Raises `StorageUnavailable` when it cannot be reached."""

    async def write(self, path: str, chunks: AsyncIterator[bytes]) -> None:
        """Keep the whole file, or nothing of it: also when `chunks` raises."""
        ...

    async def open(self, path: str) -> StoredFile:
        """The file; `AttachmentNotFound` when it is not there."""
        ...

    async def delete(self, path: str) -> None:
        """Remove the file; one that is not there is fine."""
        ...
