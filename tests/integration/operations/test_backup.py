"""A backup is taken while the product serves, and what is restored from it goes on."""

import asyncio
import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Thread

import asyncpg
import msgspec
import pytest
from pydantic import SecretStr
from tests.own_database import create_database
from tests.protocols.agui.attachments.uploads import PNG, fetch, start_thread, upload
from tests.protocols.ndjson.analyst_client import DATA_AGENT, AnalystClient
from tests.protocols.ndjson.table_calls import call_tables
from tests.protocols.ndjson.table_calls import upload as upload_table
from tests.serving import Caller, Served, broken_rules_of, run_body, serving
from tests.waiting import PATIENCE_S

from yarrow.accounts.server_secrets import read_encryption_secret
from yarrow.clock import system_clock
from yarrow.db.embedded.server import EmbeddedPostgres
from yarrow.errors import Misconfigured
from yarrow.llm.scripted import Hold, Say, ScriptedModel
from yarrow.operations.backup import write_backup
from yarrow.operations.backup_files import (
    MANIFEST,
    BackupManifest,
    copy_files,
    list_files,
    read_manifest,
)
from yarrow.operations.restore import restore_backup
from yarrow.settings import Settings


@asynccontextmanager
async def serve_restored(data_dir: Path) -> AsyncIterator[Served]:
    with EmbeddedPostgres(data_dir) as postgres:
        async with serving(postgres.start(), model=ScriptedModel(), data_dir=data_dir) as served:
            yield served


async def back_up(
    served: Served, folder: Path, *, settings: Settings | None = None, allow_missing: bool = False
) -> BackupManifest:
    return await write_backup(
        settings or served.product.settings,
        served.product.database.dsn,
        folder,
        clock=system_clock,
        report=lambda _: None,
        allow_missing=allow_missing,
    )


async def restore(folder: Path, data_dir: Path, **settings: object) -> None:
    target = Settings(data_dir=data_dir, **settings)  # type: ignore[arg-type]
    await restore_backup(target, folder, report=lambda _: None)


def list_names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def find_tables(folder: Path) -> set[Path]:
    return set(folder.rglob("*.parquet"))


@pytest.fixture
async def source(postgres: str, model: ScriptedModel, tmp_path: Path) -> AsyncIterator[Served]:
    """A product with a database of its own: the backup has nothing of other tests."""
    dsn = await create_database(postgres)
    async with serving(dsn, model=model, data_dir=tmp_path / "source") as served:
        yield served


async def test_everything_is_there_after_a_restore(source: Served, tmp_path: Path) -> None:
    caller, finished = await source.account(), run_body("remember me")
    await caller.submit(finished)
    frames = await caller.events(finished["threadId"], finished["runId"])
    await upload_table(caller)
    picture = await upload(caller, finished["threadId"])

    await back_up(source, tmp_path / "backup")
    await restore(tmp_path / "backup", tmp_path / "restored")

    async with serve_restored(tmp_path / "restored") as served:
        again = Caller(served.url, served.http, caller.id, caller.email, caller.headers)
        assert await again.points() == await caller.points()
        replayed = await again.events(finished["threadId"], finished["runId"])
        assert [frame.data for frame in replayed] == [frame.data for frame in frames]
        rows = await call_tables(again, "sample-table", {"table": "sales", "size": 10})
        assert [row["amount"] for row in rows["rows"]] == [3, 5, 7]
        status, image, _ = await fetch(again, picture["url"].replace(caller.url, served.url))
        assert (status, image) == (200, PNG)
        assert await broken_rules_of(served.product.database) == []


async def test_a_run_in_progress_is_finished_after_a_restore(
    source: Served, tmp_path: Path
) -> None:
    caller, body, hold = await source.account(), run_body("go on"), Hold()
    source.model.play([Say("half "), hold])
    await caller.submit(body)
    await hold.reached.wait()

    await back_up(source, tmp_path / "backup")
    await restore(tmp_path / "backup", tmp_path / "restored")

    async with serve_restored(tmp_path / "restored") as served:
        again = Caller(served.url, served.http, caller.id, caller.email, caller.headers)
        frames = await again.events(body["threadId"], body["runId"])
        assert frames[-1].type == "RUN_FINISHED"
        assert (await again.points())["balance"] == 80


async def test_nothing_is_overwritten(source: Served, tmp_path: Path) -> None:
    await back_up(source, tmp_path / "backup")
    (tmp_path / "used").mkdir()
    (tmp_path / "used" / "file").write_text("mine")

    with pytest.raises(Misconfigured, match="exists already"):
        await back_up(source, tmp_path / "used")
    with pytest.raises(Misconfigured, match="exists already"):
        await restore(tmp_path / "backup", tmp_path / "used")
    with pytest.raises(Misconfigured, match="has tables"):
        await restore(
            tmp_path / "backup", tmp_path / "new", database_url=source.product.database.dsn
        )

    assert (tmp_path / "used" / "file").read_text() == "mine"
    assert not (tmp_path / "new").exists()


async def test_a_backup_fills_an_empty_external_database(
    source: Served, postgres: str, tmp_path: Path
) -> None:
    caller = await source.account()
    await back_up(source, tmp_path / "backup")
    connection = await asyncpg.connect(postgres)
    await connection.execute("CREATE DATABASE restored TEMPLATE template0")
    await connection.close()
    dsn = postgres.replace("@/yarrow?", "@/restored?")

    await restore(tmp_path / "backup", tmp_path / "new", database_url=dsn)

    connection = await asyncpg.connect(dsn)
    assert await connection.fetchval("SELECT email FROM auth.users") == caller.email
    await connection.close()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"format": 99}, "in format 99"),
        ({"format": 2, "files": {"datasets": 0}}, "in format 2"),
        ({"revision": "9999"}, "newer"),
    ],
)
async def test_a_backup_of_another_version_is_refused(
    source: Served, tmp_path: Path, change: dict[str, object], reason: str
) -> None:
    await back_up(source, tmp_path / "backup")
    file = tmp_path / "backup" / MANIFEST
    file.write_bytes(msgspec.json.encode(msgspec.json.decode(file.read_bytes()) | change))

    with pytest.raises(Misconfigured, match=reason):
        await restore(tmp_path / "backup", tmp_path / "new")


async def test_a_restore_that_fails_leaves_nothing_behind(source: Served, tmp_path: Path) -> None:
    await back_up(source, tmp_path / "backup")
    dump = tmp_path / "backup" / "database.dump"
    dump.write_bytes(dump.read_bytes()[:-20_000])

    with pytest.raises(Misconfigured, match="pg_restore"):
        await restore(tmp_path / "backup", tmp_path / "new")

    assert list_names(tmp_path) == ["backup", "source"]


async def test_what_a_backup_lacks_is_told(postgres: str, tmp_path: Path) -> None:
    dsn, secret = await create_database(postgres), "s" * 32
    settings = Settings(
        data_dir=tmp_path / "data",
        jwt_secret=secret,
        storage_url="s3://key:secret@bucket",
    )
    read_encryption_secret(settings)

    await write_backup(
        settings, dsn, tmp_path / "backup", clock=system_clock, report=lambda _: None
    )

    lacks = read_manifest(tmp_path / "backup").lacks
    assert lacks == ("the files in the bucket of YARROW_STORAGE_URL", "YARROW_JWT_SECRET")


@pytest.mark.parametrize("removed", ["datasets", "datasets/*.parquet", "secrets_key", "jwt_secret"])
async def test_half_a_backup_is_not_restored(source: Served, tmp_path: Path, removed: str) -> None:
    await upload_table(await source.account())
    await back_up(source, tmp_path / "backup")
    for path in (tmp_path / "backup").glob(removed):
        shutil.rmtree(path) if path.is_dir() else path.unlink()

    with pytest.raises(Misconfigured, match=r"not complete|whole folder"):
        await restore(tmp_path / "backup", tmp_path / "new")

    assert not (tmp_path / "new").exists()


async def test_a_backup_with_a_truncated_file_is_not_restored(
    source: Served, tmp_path: Path
) -> None:
    await upload_table(await source.account())
    await back_up(source, tmp_path / "backup")
    [file] = (tmp_path / "backup" / "datasets").glob("*.parquet")
    content = file.read_bytes()
    file.chmod(0o600)
    file.write_bytes(content[:-1])

    with pytest.raises(Misconfigured, match=f"{len(content)} bytes .* has {len(content) - 1}"):
        await restore(tmp_path / "backup", tmp_path / "new")


async def test_a_file_that_was_put_into_a_backup_is_not_restored(
    source: Served, tmp_path: Path
) -> None:
    await back_up(source, tmp_path / "backup")
    (tmp_path / "backup" / "datasets" / "notes.txt").write_text("mine")

    await restore(tmp_path / "backup", tmp_path / "new")

    assert list_names(tmp_path / "new" / "datasets") == []


async def test_the_data_dir_of_another_server_is_not_backed_up(
    source: Served, tmp_path: Path
) -> None:
    settings = Settings(data_dir=tmp_path / "other")

    with pytest.raises(Misconfigured, match="name the data dir that the server uses"):
        await write_backup(
            settings,
            source.product.database.dsn,
            tmp_path / "backup",
            clock=system_clock,
            report=lambda _: None,
        )

    assert list_names(tmp_path) == ["source"]


@pytest.fixture
async def lone(postgres: str, model: ScriptedModel, tmp_path: Path) -> AsyncIterator[Served]:
    """A product whose secrets are in its settings, and so in no data dir."""
    dsn, folder = await create_database(postgres), tmp_path / "source"
    async with serving(
        dsn, model=model, data_dir=folder, jwt_secret="s" * 32, secrets_key="k" * 64
    ) as served:
        yield served


@pytest.mark.parametrize("storage", [None, "other/pictures"])
@pytest.mark.parametrize("exists", [False, True], ids=["no folder", "empty folder"])
async def test_a_backup_that_finds_no_file_of_the_database_is_refused(
    lone: Served, tmp_path: Path, *, storage: str | None, exists: bool
) -> None:
    caller = await lone.account()
    await upload_table(caller)
    await upload(caller, await start_thread(caller))
    change: dict[str, object] = {"data_dir": tmp_path / "other"}
    if storage is not None:
        change["storage_url"] = SecretStr(f"file://{tmp_path / storage}")
    wrong = lone.product.settings.model_copy(update=change)
    for name in ("datasets", "attachments", "pictures") if exists else ():
        (tmp_path / "other" / name).mkdir(parents=True)

    with pytest.raises(Misconfigured, match="none of the"):
        await back_up(lone, tmp_path / "backup", settings=wrong)
    assert not (tmp_path / "backup").exists()

    manifest = await back_up(lone, tmp_path / "backup", settings=wrong, allow_missing=True)
    assert len(manifest.missing) == 2


@pytest.mark.parametrize("storage", [None, "shared"], ids=["data dir", "file store"])
async def test_a_file_that_is_lost_is_named_in_the_manifest(
    postgres: str, model: ScriptedModel, tmp_path: Path, storage: str | None
) -> None:
    url = None if storage is None else SecretStr(f"file://{tmp_path / storage}")
    dsn = await create_database(postgres)
    async with serving(dsn, model=model, data_dir=tmp_path / "own", storage_url=url) as served:
        caller = await served.account()
        await upload_table(caller)
        await upload_table(caller, filename="deleted.csv")
        await call_tables(caller, "delete-table", {"table_name": "deleted"})
        before = find_tables(tmp_path)
        await upload_table(caller, filename="lost.csv")
        for file in find_tables(tmp_path) - before:
            file.unlink()
            lost = file.name

        manifest = await back_up(served, tmp_path / "backup")

    folder = "datasets" if storage is None else "attachments/tables"
    assert manifest.missing == (f"{folder}/{lost}",)


async def test_uploads_without_a_row_are_left_out(source: Served, tmp_path: Path) -> None:
    """As those that come while the backup is written: no sweep would find them after a restore."""
    caller = await source.account()
    await upload(caller, await start_thread(caller))
    pictures = source.product.settings.data_dir / "attachments" / "agent-inputs" / caller.id
    [picture] = list_names(pictures)
    (pictures / "later.png").write_bytes(PNG)
    (pictures / f"{picture}#1").write_bytes(PNG[:9])

    manifest = await back_up(source, tmp_path / "backup")

    path = f"agent-inputs/{caller.id}/{picture}"
    assert manifest.files["attachments"] == {path: len(PNG)}
    assert list_names(tmp_path / "backup" / "attachments" / "agent-inputs" / caller.id) == [picture]


async def test_rows_of_an_accepted_run_are_read_after_a_restore(
    postgres: str, tmp_path: Path
) -> None:
    dsn, data_dir = await create_database(postgres), tmp_path / "source"
    body = {
        "user_question": "bar chart of sold by shop",
        "input_tables": [{"name": "inline", "rows": [{"shop": "a", "sold": 1}]}],
    }
    async with serving(dsn, model=ScriptedModel(), data_dir=data_dir, slots=0) as served:
        caller = await served.account()
        asking = asyncio.create_task(AnalystClient(served, caller).post_lines(DATA_AGENT, body))
        connection = await asyncpg.connect(dsn)
        while not await connection.fetchval("SELECT count(*) FROM runs"):
            await asyncio.sleep(0.01)
        await connection.close()
        [spooled] = (data_dir / "datasets" / "spool").iterdir()
        os.utime(spooled, (0, 0))  # old enough for the sweep

        await back_up(served, tmp_path / "backup")
        asking.cancel()
    await restore(tmp_path / "backup", tmp_path / "restored")

    async with serve_restored(tmp_path / "restored") as served, asyncio.timeout(PATIENCE_S):
        while served.product.executions.active or spooled.name in list_names(
            tmp_path / "restored" / "datasets" / "spool"
        ):
            await asyncio.sleep(0.01)
        assert await AnalystClient(served, caller).list_tables() == ["inline"]


async def test_a_folder_behind_a_symbolic_link_is_copied(source: Served, tmp_path: Path) -> None:
    (tmp_path / "large-disk").mkdir()
    (tmp_path / "large-disk" / "notes.txt").write_text("mine")
    scratch = source.product.settings.data_dir / "datasets" / "scratch"
    scratch.symlink_to(tmp_path / "large-disk")

    manifest = await back_up(source, tmp_path / "backup")

    assert manifest.files["datasets"] == {"scratch/notes.txt": 4}


async def test_an_address_with_a_password_and_spaces_is_backed_up(
    source: Served, tmp_path: Path
) -> None:
    product = source.product
    dsn = f"{product.database.dsn}&password=secret&options=-c%20work_mem%3D8MB"

    await write_backup(
        product.settings, dsn, tmp_path / "backup", clock=system_clock, report=lambda _: None
    )

    assert "backup" in list_names(tmp_path)


async def test_a_key_that_cannot_decrypt_the_backup_is_refused(
    source: Served, tmp_path: Path
) -> None:
    await back_up(source, tmp_path / "backup")

    with pytest.raises(Misconfigured, match="YARROW_SECRETS_KEY is not the key"):
        await restore(tmp_path / "backup", tmp_path / "new", secrets_key="k" * 64)
    own = (tmp_path / "backup" / "secrets_key").read_text()
    await restore(tmp_path / "backup", tmp_path / "new", secrets_key=own)


async def test_a_backup_inside_of_what_it_copies_is_refused(source: Served) -> None:
    datasets = source.product.settings.data_dir / "datasets"

    with pytest.raises(Misconfigured, match="name another place"):
        await back_up(source, datasets / "backups" / "monday")


def test_a_folder_that_cannot_be_read_is_not_left_out(tmp_path: Path) -> None:
    (tmp_path / "source").write_text("a file in its place")

    with pytest.raises(NotADirectoryError):
        list(list_files(tmp_path / "source"))


def test_a_file_that_is_deleted_while_it_is_copied_is_left_out(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    source.mkdir()
    (source / "deleted").write_bytes(bytes(64 * 1024 * 1024))  # takes a while to copy
    (source / "kept").write_bytes(b"kept")
    files = (source / "deleted", target / "deleted")
    deleting = Thread(target=delete_after, args=files, daemon=True)

    deleting.start()
    sizes = copy_files(source, target, list_files(source))
    deleting.join()

    assert {path.name: path.stat().st_size for path in target.iterdir()} == sizes
    assert sizes["kept"] == 4


def delete_after(file: Path, other: Path) -> None:
    """Delete a file once another exists."""
    while not other.exists():
        pass
    file.unlink()


def test_a_folder_that_is_no_backup_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="no backup"):
        read_manifest(tmp_path)
