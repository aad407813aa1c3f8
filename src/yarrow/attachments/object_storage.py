"""Storage on obstore: a folder, or any S3-compatible store."""

import logging
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

import obstore
from obstore.exceptions import BaseError
from obstore.store import LocalStore, ObjectStore, S3Store

from yarrow.attachments.storage import Storage, StoredFile
from yarrow.errors import AttachmentNotFound, Misconfigured, StorageUnavailable
from yarrow.settings import Settings

if TYPE_CHECKING:
    from obstore.store import S3Config

FOLDER = "attachments"
READ_BYTES = 256 * 1024
PART_BYTES = 256 * 1024

_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]+")
_OPTIONS = {
    "endpoint": re.compile(r"https?://[^/?#\s]+(/[^?#\s]*)?"),
    "region": re.compile(r"[a-z0-9-]+"),
}
_NAMING = "YARROW_STORAGE_URL must be s3://[key:secret@]bucket[/prefix][?endpoint=…&region=…]"


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


def open_storage(settings: Settings) -> Storage:
    """The store that the settings name."""
    if settings.storage_url is None:
        return folder_storage(settings.data_dir / FOLDER)
    try:
        url = urlsplit(settings.storage_url.get_secret_value())
    except ValueError:
        raise Misconfigured(_NAMING) from None
    match url.scheme:
        case "s3":
            return s3_storage(url)
        case "file" if url.path.strip("/") and not url.netloc:
            return folder_storage(Path(unquote(url.path)))
        case _:
            raise Misconfigured(f"{_NAMING}, or file:///folder")


def folder_storage(folder: Path) -> ObjectStorage:
    """Files in a folder that is made if missing, for this user alone."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as refused:
        raise Misconfigured(f"attachments cannot be kept in {folder}: {refused}") from None
    return ObjectStorage(LocalStore(folder), in_parts=True)


def s3_storage(url: SplitResult) -> ObjectStorage:
    """Files in an S3 bucket. Without a key in the address, the usual AWS places are looked in."""
    options = dict(parse_qsl(url.query))
    sound = all(name in _OPTIONS and _OPTIONS[name].fullmatch(options[name]) for name in options)
    if not sound or _BUCKET.fullmatch(url.hostname or "") is None:
        raise Misconfigured(_NAMING)
    endpoint = options.get("endpoint", "")
    config: S3Config = {"region": options.get("region", "us-east-1")}
    if endpoint:
        config["endpoint"] = endpoint
        config["virtual_hosted_style_request"] = False
    if url.username and url.password:
        config["access_key_id"] = unquote(url.username)
        config["secret_access_key"] = unquote(url.password)
    store = S3Store(
        url.hostname,
        prefix=url.path.strip("/") or None,
        config=config,
        client_options={
            "timeout": timedelta(seconds=30),
            "connect_timeout": timedelta(seconds=5),
            "allow_http": endpoint.startswith("http://"),
        },
        retry_config={"max_retries": 2, "retry_timeout": timedelta(seconds=10)},
    )
    return ObjectStorage(store, in_parts=False)
