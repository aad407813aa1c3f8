"""Open the configured file store: a folder or an S3 bucket.

obstore takes 4 MB of memory, so a folder imports it with the first file. An S3 store is opened at
start, because its address may be invalid.
"""

import asyncio
import os
import re
from collections.abc import AsyncIterator
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from yarrow.attachments.storage import FileStorage, StoredFile
from yarrow.errors import Misconfigured, StorageUnavailable
from yarrow.settings import Settings

if TYPE_CHECKING:
    from obstore.store import S3Config

FOLDER = "attachments"

_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]+")
_OPTIONS = {
    "endpoint": re.compile(r"https?://[^/?#\s]+(/[^?#\s]*)?"),
    "region": re.compile(r"[a-z0-9-]+"),
}
_URL_RULE = "YARROW_STORAGE_URL must be s3://[key:secret@]bucket[/prefix][?endpoint=…&region=…]"


def open_storage(settings: Settings) -> FileStorage:
    """The store of these settings; `Misconfigured` if they are invalid."""
    location = _read_location(settings)
    return _open_folder(location) if isinstance(location, Path) else _open_s3(location)


def find_folder(settings: Settings) -> Path | None:
    """The folder of the store; None if it is a bucket."""
    location = _read_location(settings)
    return location if isinstance(location, Path) else None


def check_storage(settings: Settings) -> None:
    """Raise what `open_storage` would, without creating a folder."""
    folder = _read_location(settings)
    if not isinstance(folder, Path):
        _open_s3(folder)
        return
    existing = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not existing.is_dir():
        raise Misconfigured(f"attachments cannot be kept in {folder}: {existing} is a file")
    if not os.access(existing, os.W_OK | os.X_OK):
        raise Misconfigured(f"attachments cannot be kept in {folder}: {existing} is read-only")


class FolderStorage:
    """Files in a folder; obstore is imported with the first one."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._opened: FileStorage | None = None

    async def write(self, path: str, chunks: AsyncIterator[bytes]) -> None:
        await (await self._open_storage()).write(path, chunks)

    async def open(self, path: str) -> StoredFile:
        return await (await self._open_storage()).open(path)

    async def upload(self, path: str, file: Path) -> None:
        await (await self._open_storage()).upload(path, file)

    async def download(self, path: str, file: Path) -> bool:
        return await (await self._open_storage()).download(path, file)

    async def delete(self, path: str) -> None:
        await (await self._open_storage()).delete(path)
        try:
            self._delete_drafts(path)
        except OSError as error:
            raise StorageUnavailable from error

    def _delete_drafts(self, path: str) -> None:
        """Delete what a process that was killed during `write` has left: obstore writes a file as
        `name#1`, or a higher number, and neither lists nor deletes such names."""
        for number in count(1):
            try:
                (self._folder / f"{path}#{number}").unlink()
            except FileNotFoundError:
                return

    async def _open_storage(self) -> FileStorage:
        if self._opened is None:
            self._opened = await asyncio.to_thread(self._import_and_open)
        return self._opened

    def _import_and_open(self) -> FileStorage:
        from yarrow.attachments.object_storage import open_folder  # noqa: PLC0415

        return open_folder(self._folder)


def _read_location(settings: Settings) -> Path | SplitResult:
    """A folder, or the URL of a bucket."""
    if settings.storage_url is None:
        return settings.data_dir / FOLDER
    try:
        url = urlsplit(settings.storage_url.get_secret_value())
    except ValueError:
        raise Misconfigured(_URL_RULE) from None
    match url.scheme:
        case "s3":
            return url
        case "file" if url.path.strip("/") and not url.netloc:
            return Path(unquote(url.path))
        case _:
            raise Misconfigured(f"{_URL_RULE}, or file:///folder")


def _open_folder(folder: Path) -> FileStorage:
    """Create the folder if it is missing, private to this user."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise Misconfigured(f"attachments cannot be kept in {folder}: {error}") from None
    return FolderStorage(folder)


def _open_s3(url: SplitResult) -> FileStorage:
    from yarrow.attachments.object_storage import open_bucket  # noqa: PLC0415

    options = dict(parse_qsl(url.query))
    valid = all(name in _OPTIONS and _OPTIONS[name].fullmatch(options[name]) for name in options)
    if not valid or url.hostname is None or _BUCKET.fullmatch(url.hostname) is None:
        raise Misconfigured(_URL_RULE)
    config: S3Config = {"region": options.get("region", "us-east-1")}
    if "endpoint" in options:
        config["endpoint"] = options["endpoint"]
        config["virtual_hosted_style_request"] = False
    if url.username and url.password:
        config["access_key_id"] = unquote(url.username)
        config["secret_access_key"] = unquote(url.password)
    return open_bucket(url.hostname, prefix=url.path.strip("/"), config=config)
