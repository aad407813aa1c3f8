"""Back up an installation while it serves: its database, files and secrets, as one folder."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from yarrow import __version__
from yarrow.clock import Clock
from yarrow.db import Tx
from yarrow.db.dump import dump_database
from yarrow.db.migrate import read_current_revision
from yarrow.db.pool import open_unpooled_connection
from yarrow.errors import Misconfigured
from yarrow.journal.partition_store import keep_partitions
from yarrow.operations import backup_store as store
from yarrow.operations.backup_files import (
    DUMP,
    FORMAT,
    BackupManifest,
    copy_files,
    copy_secrets,
    describe_lacks,
    list_files,
    list_folders,
    require_outside,
    write_draft,
    write_manifest,
)
from yarrow.operations.stored_files import (
    FilesByFolder,
    find_missing,
    has_row,
    name_files,
    require_some_found,
)
from yarrow.settings import Settings

Report = Callable[[str], None]


async def write_backup(
    settings: Settings,
    dsn: str,
    folder: Path,
    *,
    clock: Clock,
    report: Report,
    allow_missing: bool = False,
) -> BackupManifest:
    """Write a new folder; it gets its name when it is complete.

    The database is dumped before files are copied: a file that a stored row names was complete
    then. A row whose file is deleted meanwhile is in the backup without its file. The manifest
    names files that are missing although their rows are still there; if all are, the folder is
    another server's, and the backup is refused unless `allow_missing`.
    """
    revision = await read_current_revision(dsn)
    if revision is None:
        raise Misconfigured("the database is empty: there is nothing to back up")
    folders, lacks = list_folders(settings), describe_lacks(settings)
    require_outside(folder, folders.values())
    with write_draft(folder) as draft:
        copy_secrets(settings.data_dir, draft, lacks=lacks)
        async with _open_snapshot(dsn) as tx:
            rows = await store.count_rows(tx)
            report(f"database: {rows['sessions']} sessions, {rows['messages']} messages")
            named = name_files(settings, await store.read_stored_rows(tx))
            await dump_database(dsn, draft / DUMP, snapshot=await store.export_snapshot(tx))
        files = {}
        for name, source in folders.items():
            paths = (path for path in list_files(source) if has_row(name, path, named))
            files[name] = copy_files(source, draft / name, paths)
            report(f"{name}: {len(files[name])} files")
        missing = await _find_lost(settings, dsn, named, files)
        if not allow_missing:
            require_some_found(named, missing, folders)
        names = tuple(sorted(f"{name}/{path}" for name in missing for path in missing[name]))
        manifest = BackupManifest(FORMAT, __version__, revision, clock(), rows, lacks, names, files)
        write_manifest(draft, manifest)
    return manifest


async def _find_lost(
    settings: Settings, dsn: str, named: FilesByFolder, files: Mapping[str, Mapping[str, int]]
) -> FilesByFolder:
    """The named files that were not copied, without those whose rows were deleted meanwhile."""
    missing = find_missing(named, {name: sizes.keys() for name, sizes in files.items()})
    connection = await open_unpooled_connection(dsn)
    try:
        named_now = name_files(settings, await store.read_stored_rows(connection))
    finally:
        await connection.close()
    return {name: paths & named_now.get(name, set()) for name, paths in missing.items()}


@asynccontextmanager
async def _open_snapshot(dsn: str) -> AsyncIterator[Tx]:
    """A transaction whose snapshot other connections can use while it lasts."""
    connection = await open_unpooled_connection(dsn)
    try:
        # Before the snapshot: a partition that it sees must be there when `pg_dump` locks it.
        await keep_partitions(connection)
        async with connection.transaction(isolation="repeatable_read", readonly=True):
            yield connection
    finally:
        await connection.close()
