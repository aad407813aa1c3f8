"""Where files lie, as the settings say.

obstore weighs 4 MB in memory, and a server to which nobody brings files has no use for it: a
folder is opened with it by the first file. An S3 store is opened at once, as its address may
be wrong.
"""

import asyncio
import os
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from yarrow.attachments.storage import Storage, StoredFile
from yarrow.errors import Misconfigured
from yarrow.settings import Settings

if TYPE_CHECKING:
    from obstore.store import S3Config

FOLDER = "attachments"

_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]+")
_OPTIONS = {
    "endpoint": re.compile(r"https?://[^/?#\s]+(/[^?#\s]*)?"),
    "region": re.compile(r"[a-z0-9-]+"),
}
_NAMING = "YARROW_STORAGE_URL must be s3://[key:secret@]bucket[/prefix][?endpoint=…&region=…]"


def open_storage(settings: Settings) -> Storage:
    """The store that the settings name."""
    place = _place_of(settings)
    return _folder(place) if isinstance(place, Path) else _s3(place)


def check_storage(settings: Settings) -> None:
    """Raise what `open_storage` would, and make no folder."""
    folder = _place_of(settings)
    if not isinstance(folder, Path):
        _s3(folder)
        return
    there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not there.is_dir():
        raise Misconfigured(f"attachments cannot be kept in {folder}: {there} is a file")
    if not os.access(there, os.W_OK | os.X_OK):
        raise Misconfigured(f"attachments cannot be kept in {folder}: {there} is read-only")


class FolderStorage:
    """Files in a folder; what reads and writes them is loaded with the first one."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._opened: Storage | None = None

    async def write(self, path: str, chunks: AsyncIterator[bytes]) -> None:
        await (await self._open()).write(path, chunks)

    async def open(self, path: str) -> StoredFile:
        return await (await self._open()).open(path)

    async def delete(self, path: str) -> None:
        await (await self._open()).delete(path)

    async def _open(self) -> Storage:
        if self._opened is None:
            self._opened = await asyncio.to_thread(self._load)
        return self._opened

    def _load(self) -> Storage:
        from yarrow.attachments.object_storage import folder_storage  # noqa: PLC0415

        return folder_storage(self._folder)


def _place_of(settings: Settings) -> Path | SplitResult:
    """A folder, or the address of a bucket."""
    if settings.storage_url is None:
        return settings.data_dir / FOLDER
    try:
        url = urlsplit(settings.storage_url.get_secret_value())
    except ValueError:
        raise Misconfigured(_NAMING) from None
    match url.scheme:
        case "s3":
            return url
        case "file" if url.path.strip("/") and not url.netloc:
            return Path(unquote(url.path))
        case _:
            raise Misconfigured(f"{_NAMING}, or file:///folder")


def _folder(folder: Path) -> Storage:
    """A folder that is made if missing, for this user alone."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as refused:
        raise Misconfigured(f"attachments cannot be kept in {folder}: {refused}") from None
    return FolderStorage(folder)


def _s3(url: SplitResult) -> Storage:
    from yarrow.attachments.object_storage import s3_storage  # noqa: PLC0415

    options = dict(parse_qsl(url.query))
    sound = all(name in _OPTIONS and _OPTIONS[name].fullmatch(options[name]) for name in options)
    if not sound or url.hostname is None or _BUCKET.fullmatch(url.hostname) is None:
        raise Misconfigured(_NAMING)
    config: S3Config = {"region": options.get("region", "us-east-1")}
    if "endpoint" in options:
        config["endpoint"] = options["endpoint"]
        config["virtual_hosted_style_request"] = False
    if url.username and url.password:
        config["access_key_id"] = unquote(url.username)
        config["secret_access_key"] = unquote(url.password)
    return s3_storage(url.hostname, prefix=url.path.strip("/"), config=config)
