"""Storage on obstore: a folder, or any S3-compatible store."""

import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import obstore
from obstore.exceptions import BaseError
from obstore.store import LocalStore, ObjectStore, S3Store

from yarrow.attachments.errors import AttachmentNotFound
from yarrow.attachments.storage import StoredFile
from yarrow.errors import StorageUnavailable

if TYPE_CHECKING:
    from obstore.store import S3Config

READ_BYTES = 256 * 1024
PART_BYTES = 256 * 1024

log = logging.getLogger("yarrow.attachments")


@dataclass(frozen=True, slots=True)
class ObjectStorage:
    """Files as objects of one store."""

    store: ObjectStore
    in_parts: bool
    """S3 takes no part below 5 MiB, which is all we take at all: there, one request is best."""

    async def write(self, path: str, chunks: AsyncIterator[bytes]) -> None:
        whole = chunks if self.in_parts else b"".join([chunk async for chunk in chunks])
        with _reachable():
            await obstore.put_async(
                self.store, path, whole, use_multipart=self.in_parts, chunk_size=PART_BYTES
            )

    async def open(self, path: str) -> StoredFile:
        with _reachable():
            try:
                found = await obstore.get_async(self.store, path)
            except FileNotFoundError:
                raise AttachmentNotFound from None
            return StoredFile(found.meta["size"], _read(found))

    async def delete(self, path: str) -> None:
        with _reachable():
            try:
                await obstore.delete_async(self.store, path)
            except FileNotFoundError:
                return


async def _read(found: "obstore.GetResult") -> AsyncIterator[bytes]:
    with _reachable():
        async for chunk in found.stream(min_chunk_size=READ_BYTES):
            yield bytes(chunk)


@contextmanager
def _reachable() -> Iterator[None]:
    """What a store says when it is away, full or locked is the same to a client: not now."""
    try:
        yield
    except (BaseError, OSError) as away:
        said = str(away).partition("\n")[0][:200]
        log.warning("storage.unavailable", extra={"error": type(away).__name__, "said": said})
        raise StorageUnavailable from away


def folder_storage(folder: Path) -> ObjectStorage:
    """Files in a folder that was made; it may be away by now."""
    with _reachable():
        return ObjectStorage(LocalStore(folder), in_parts=True)


def s3_storage(bucket: str, *, prefix: str, config: "S3Config") -> ObjectStorage:
    """Files in an S3 bucket. Without a key, the usual AWS places are looked in."""
    store = S3Store(
        bucket,
        prefix=prefix or None,
        config=config,
        client_options={
            "timeout": timedelta(seconds=30),
            "connect_timeout": timedelta(seconds=5),
            "allow_http": config.get("endpoint", "").startswith("http://"),
        },
        retry_config={"max_retries": 2, "retry_timeout": timedelta(seconds=10)},
    )
    return ObjectStorage(store, in_parts=False)
