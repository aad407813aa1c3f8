"""Back up an installation while it serves: its database, files and secrets, as one folder."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from yarrow import __version__
from yarrow.clock import Clock
from yarrow.db import Tx
from yarrow.db.dump import dump_database
from yarrow.db.migrate import current_revision
from yarrow.db.pool import connect
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
from yarrow.settings import Settings

Report = Callable[[str], None]


async def write_backup(
    settings: Settings, dsn: str, folder: Path, *, clock: Clock, report: Report
) -> BackupManifest:
    """Write a new folder; it gets its name when it is complete.

    The database is dumped before files are copied: a file that a stored row names was complete
    then. A row whose file is deleted meanwhile is in the backup without its file.
    """
    revision = await current_revision(dsn)
    if revision is None:
        raise Misconfigured("the database is empty: there is nothing to back up")
    folders, lacks = list_folders(settings), describe_lacks(settings)
    require_outside(folder, folders.values())
    with write_draft(folder) as draft:
        copy_secrets(settings.data_dir, draft, lacks=lacks)
        async with _open_snapshot(dsn) as tx:
            rows = await store.count_rows(tx)
            report(f"database: {rows['sessions']} sessions, {rows['messages']} messages")
            await dump_database(dsn, draft / DUMP, snapshot=await store.export_snapshot(tx))
        files = {}
        for name, source in folders.items():
            files[name] = copy_files(source, draft / name, list_files(source))
            report(f"{name}: {len(files[name])} files")
        manifest = BackupManifest(FORMAT, __version__, revision, clock(), rows, lacks, files)
        write_manifest(draft, manifest)
    return manifest


@asynccontextmanager
async def _open_snapshot(dsn: str) -> AsyncIterator[Tx]:
    """A transaction whose snapshot other connections can use while it lasts."""
    connection = await connect(dsn)
    try:
        # Before the snapshot: a partition that it sees must be there when `pg_dump` locks it.
        await keep_partitions(connection)
        async with connection.transaction(isolation="repeatable_read", readonly=True):
            yield connection
    finally:
        await connection.close()
