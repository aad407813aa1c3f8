"""The sweep removes uploads that no message shows, row and file, and nothing else."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from tests.protocols.agui.attachments.uploads import (
    fetch,
    list_stored_files,
    make_image_run,
    read_stored_paths,
    start_thread,
    upload,
)
from tests.serving import RUNS, Caller, Served, serving
from tests.waiting import PATIENCE_S

from yarrow.attachments.storage import StoredFile
from yarrow.attachments.sweep import sweep_attachments
from yarrow.errors import StorageUnavailable


@pytest.fixture
async def caller(served: Served) -> AsyncIterator[Caller]:
    yield await served.account(points=1_000)
    async with served.product.database.transaction() as tx:
        await tx.execute("DELETE FROM attachments WHERE message_id IS NULL")


async def age(served: Served, caller: Caller, hours: int) -> None:
    """Let the account's uploads be that old."""
    async with served.product.database.transaction() as tx:
        await tx.execute(
            "UPDATE attachments SET created_at = now() - make_interval(hours => $2) "
            "WHERE account_id = $1::text::uuid",
            caller.id,
            hours,
        )


async def swept(served: Served) -> int:
    engine = served.product.engine
    return await sweep_attachments(engine.database, engine.storage, older_than=timedelta(hours=24))


async def test_unused_upload_goes_when_its_time_is_over(served: Served, caller: Caller) -> None:
    await upload(caller, await start_thread(caller))
    await age(served, caller, 23)
    assert await swept(served) == 0
    assert len(list_stored_files(served, caller)) == 1

    await age(served, caller, 25)

    assert await swept(served) == 1
    assert await read_stored_paths(served, caller) == []
    assert list_stored_files(served, caller) == []


async def test_shown_picture_stays(served: Served, caller: Caller) -> None:
    thread = await start_thread(caller)
    attachment = await upload(caller, thread)
    body = make_image_run(thread, attachment["url"])
    await caller.submit(body)
    await caller.events(thread, body["runId"])
    await age(served, caller, 1000)

    assert await swept(served) == 0
    assert (await fetch(caller, attachment["url"]))[0] == 200


async def test_upload_that_died_half_way_goes_too(served: Served, caller: Caller) -> None:
    async with served.product.database.transaction() as tx:
        await tx.execute(
            "INSERT INTO attachments (id, account_id, path, mime_type) "
            "VALUES ($1, $2::text::uuid, 'agent-inputs/' || $2 || '/a.png', 'image/png')",
            uuid4(),
            caller.id,
        )
    await age(served, caller, 25)

    assert await swept(served) == 1


class Away:
    """A store that cannot be reached."""

    async def write(self, path: str, chunks: AsyncIterator[bytes]) -> None:
        raise StorageUnavailable

    async def open(self, path: str) -> StoredFile:
        raise StorageUnavailable

    async def delete(self, path: str) -> None:
        raise StorageUnavailable


class Refusing(Away):
    """A store that deletes every file but one."""

    def __init__(self, path: str) -> None:
        self._path = path

    async def delete(self, path: str) -> None:
        if path == self._path:
            raise StorageUnavailable


async def test_a_file_that_cannot_be_deleted_delays_no_other(
    served: Served, caller: Caller
) -> None:
    for _ in range(3):
        await upload(caller, await start_thread(caller))
    await age(served, caller, 25)
    refused = (await read_stored_paths(served, caller))[0]

    database, storage = served.product.database, Refusing(refused)
    assert await sweep_attachments(database, storage, older_than=timedelta(hours=24)) == 2

    assert await read_stored_paths(served, caller) == [refused]


async def test_row_stays_until_its_file_is_gone(served: Served, caller: Caller) -> None:
    await upload(caller, await start_thread(caller))
    await age(served, caller, 25)

    with pytest.raises(StorageUnavailable):
        await sweep_attachments(served.product.database, Away(), older_than=timedelta(hours=24))

    assert len(await read_stored_paths(served, caller)) == 1
    assert await swept(served) == 1


async def test_sweep_and_use_race_for_a_picture_and_one_wins(
    served: Served, caller: Caller
) -> None:
    threads = [await start_thread(caller) for _ in range(6)]
    urls = [(await upload(caller, thread))["url"] for thread in threads]
    await age(served, caller, 25)

    bodies = [make_image_run(thread, url) for thread, url in zip(threads, urls, strict=True)]
    sweeping = asyncio.create_task(swept(served))
    answers = await asyncio.gather(*(caller.post(RUNS, body) for body in bodies))
    await sweeping

    for (status, _), url in zip(answers, urls, strict=True):
        readable = (await fetch(caller, url))[0]
        assert (status, readable) in {(202, 200), (422, 404)}


async def test_worker_sweeps_by_itself(
    served: Served, caller: Caller, dsn: str, tmp_path: Path
) -> None:
    await upload(caller, await start_thread(caller))
    await age(served, caller, 25)

    async with (
        serving(dsn, model=served.model, data_dir=tmp_path, attachment_keep_h=24),
        asyncio.timeout(PATIENCE_S),
    ):
        while await read_stored_paths(served, caller):
            await asyncio.sleep(0.02)

    assert list_stored_files(served, caller) == []
