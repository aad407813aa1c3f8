"""The port to the file store of attachments."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Protocol

from msgspec import Struct


class StoredFile(Struct, frozen=True):
    """An open file: its size, and its bytes as they are read."""

    size: int
    chunks: AsyncIterator[bytes]


class Storage(Protocol):
    """Files by path; every method raises `StorageUnavailable` when the store is down."""

    async def write(self, path: str, chunks: AsyncIterator[bytes]) -> None:
        """Store the file atomically: nothing is stored if `chunks` raises."""
        ...

    async def open(self, path: str) -> StoredFile:
        """Open the file; `AttachmentNotFound` if it does not exist."""
        ...

    async def delete(self, path: str) -> None:
        """Delete the file, if it exists."""
        ...


class FileStorage(Storage, Protocol):
    """A store that also takes and gives whole files of any size."""

    async def upload(self, path: str, file: Path) -> None:
        """Store a local file."""
        ...

    async def download(self, path: str, file: Path) -> bool:
        """Write the stored file to a local one; False if it does not exist."""
        ...
