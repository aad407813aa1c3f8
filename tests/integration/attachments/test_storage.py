"""The storage port, on a folder and on a real S3 server."""

import asyncio
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from pydantic import SecretStr
from tests.s3 import new_bucket
from tests.waiting import wait_until

from yarrow.attachments.errors import AttachmentNotFound, AttachmentTooLarge
from yarrow.attachments.open_storage import FOLDER, open_storage
from yarrow.attachments.storage import Storage
from yarrow.attachments.upload import MAX_BYTES
from yarrow.errors import Misconfigured, StorageUnavailable
from yarrow.settings import Settings

PATH = "agent-inputs/00000000-0000-0000-0000-000000000001/07-cat.png"
CHUNK = bytes(range(256)) * 256


async def chunks_of(size: int, *, then: Exception | None = None) -> AsyncIterator[bytes]:
    while size > 0:
        yield CHUNK[:size]
        size -= len(CHUNK)
    if then is not None:
        raise then


def files_in(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


async def read(storage: Storage, path: str) -> bytes:
    file = await storage.open(path)
    content = b"".join([chunk async for chunk in file.chunks])
    assert len(content) == file.size
    return content


@pytest.mark.parametrize("size", [1, 65_537, MAX_BYTES])
async def test_what_was_written_is_read_again(storage: Storage, size: int) -> None:
    await storage.write(PATH, chunks_of(size))

    assert await read(storage, PATH) == (CHUNK * (size // len(CHUNK) + 1))[:size]


WRITE_AND_DIE = f"""
import asyncio, os, signal, sys
from pathlib import Path
from yarrow.attachments.object_storage import open_folder

async def chunks():
    yield bytes(1_000_000)
    await asyncio.sleep(0.5)
    os.kill(os.getpid(), signal.SIGKILL)
    yield b""

asyncio.run(open_folder(Path(sys.argv[1])).write({PATH!r}, chunks()))
"""


async def test_what_a_killed_process_has_written_of_a_file_is_deleted_with_it(
    tmp_path: Path,
) -> None:
    storage = open_storage(Settings(data_dir=tmp_path))
    command = (sys.executable, "-c", WRITE_AND_DIE, str(tmp_path / FOLDER))
    for _ in range(2):
        process = await asyncio.create_subprocess_exec(*command)
        assert await process.wait() == -signal.SIGKILL
    assert len(files_in(tmp_path)) == 2

    await storage.delete(PATH)

    assert files_in(tmp_path) == []


@pytest.mark.parametrize("size", [10, 1_000_000, MAX_BYTES])
async def test_stream_that_breaks_off_leaves_nothing(
    storage: Storage, size: int, tmp_path: Path
) -> None:
    with pytest.raises(AttachmentTooLarge):
        await storage.write(PATH, chunks_of(size, then=AttachmentTooLarge(MAX_BYTES)))

    with pytest.raises(AttachmentNotFound):
        await storage.open(PATH)
    assert files_in(tmp_path) == []


async def test_cancelled_write_leaves_nothing(storage: Storage, tmp_path: Path) -> None:
    stuck = asyncio.Event()

    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(10):
            yield CHUNK
        stuck.set()
        await asyncio.sleep(60)

    writing = asyncio.create_task(storage.write(PATH, chunks()))
    await stuck.wait()
    writing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await writing

    await storage.delete(PATH)
    await wait_until(lambda: files_in(tmp_path) == [])


async def test_deleted_file_is_gone_and_deleting_again_is_fine(storage: Storage) -> None:
    await storage.write(PATH, chunks_of(10))

    await storage.delete(PATH)
    await storage.delete(PATH)

    with pytest.raises(AttachmentNotFound):
        await storage.open(PATH)


def settings(tmp_path: Path, url: str) -> Settings:
    return Settings(data_dir=tmp_path, storage_url=SecretStr(url))


async def test_store_that_is_away_is_unavailable(tmp_path: Path) -> None:
    gone = "s3://key:secret@bucket?endpoint=http://127.0.0.1:9"
    storage = open_storage(settings(tmp_path, gone))

    for act in (storage.write(PATH, chunks_of(10)), storage.open(PATH), storage.delete(PATH)):
        with pytest.raises(StorageUnavailable):
            await act


async def test_bucket_that_does_not_exist_is_unavailable(tmp_path: Path, s3_endpoint: str) -> None:
    url = (await new_bucket(s3_endpoint)).replace("@bucket-", "@other-")
    storage = open_storage(settings(tmp_path, url))

    with pytest.raises(StorageUnavailable):
        await storage.write(PATH, chunks_of(10))


def test_folder_is_for_this_user_alone(tmp_path: Path) -> None:
    open_storage(Settings(data_dir=tmp_path))

    assert (tmp_path / "attachments").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    "url",
    [
        "",
        "ftp://host/x",
        "s3://",
        "s3:///prefix",
        "s3://bucket?colour=red",
        "s3://b_x",
        "s3://bucket?region=%00",
        "s3://bucket?endpoint=minio:9000",
        "file://",
        "/folder",
    ],
)
def test_address_that_cannot_be_right_stops_the_start(tmp_path: Path, url: str) -> None:
    with pytest.raises(Misconfigured, match="YARROW_STORAGE_URL"):
        open_storage(settings(tmp_path, url))
