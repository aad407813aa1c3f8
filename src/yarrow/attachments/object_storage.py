"""Storage on obstore: a folder or an S3-compatible store."""

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import obstore
from msgspec import Struct
from obstore.exceptions import BaseError
from obstore.store import LocalStore, ObjectStore, S3Store

from yarrow.attachments.errors import AttachmentNotFound
from yarrow.attachments.storage import StoredFile
from yarrow.errors import StorageUnavailable

if TYPE_CHECKING:
    from obstore.store import S3Config

READ_BYTES = 256 * 1024
PART_BYTES = 256 * 1024
FILE_PART_BYTES = 8 * 1024 * 1024
"""Parts of large files; S3 takes none below 5 MiB."""

log = logging.getLogger("yarrow.attachments")


class ObjectStorage(Struct, frozen=True):
    """Files as objects of one store."""

    store: ObjectStore
    in_parts: bool
    """Multipart upload; not for S3, whose parts have at least 5 MiB, the limit of our files."""

    async def write(self, path: str, chunks: AsyncIterator[bytes]) -> None:
        whole = chunks if self.in_parts else b"".join([chunk async for chunk in chunks])
        with _convert_errors():
            await obstore.put_async(
                self.store, path, whole, use_multipart=self.in_parts, chunk_size=PART_BYTES
            )

    async def open(self, path: str) -> StoredFile:
        with _convert_errors():
            try:
                result = await obstore.get_async(self.store, path)
            except FileNotFoundError:
                raise AttachmentNotFound from None
            return StoredFile(result.meta["size"], _stream_chunks(result))

    async def upload(self, path: str, file: Path) -> None:
        with _convert_errors():
            await obstore.put_async(self.store, path, file, chunk_size=FILE_PART_BYTES)

    async def download(self, path: str, file: Path) -> bool:
        with _convert_errors():
            try:
                result = await obstore.get_async(self.store, path)
            except FileNotFoundError:
                return False
            with file.open("wb") as target:
                async for chunk in result.stream(min_chunk_size=FILE_PART_BYTES):
                    await asyncio.to_thread(target.write, bytes(chunk))
        return True

    async def delete(self, path: str) -> None:
        with _convert_errors():
            try:
                await obstore.delete_async(self.store, path)
            except FileNotFoundError:
                return


async def _stream_chunks(result: "obstore.GetResult") -> AsyncIterator[bytes]:
    with _convert_errors():
        async for chunk in result.stream(min_chunk_size=READ_BYTES):
            yield bytes(chunk)


@contextmanager
def _convert_errors() -> Iterator[None]:
    """Log the store's error and raise `StorageUnavailable`: down, full and locked are the same."""
    try:
        yield
    except (BaseError, OSError) as error:
        message = str(error).partition("\n")[0][:200]
        log.warning("storage.unavailable", extra={"error": type(error).__name__, "said": message})
        raise StorageUnavailable from error


def open_folder(folder: Path) -> ObjectStorage:
    """Files in an existing folder."""
    with _convert_errors():
        return ObjectStorage(LocalStore(folder), in_parts=True)


def open_bucket(bucket: str, *, prefix: str, config: "S3Config") -> ObjectStorage:
    """Files in an S3 bucket; without a key, AWS credentials of the environment are used."""
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
