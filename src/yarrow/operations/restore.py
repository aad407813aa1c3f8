"""Restore a backup into a new data dir, or into an empty external database."""

from contextlib import ExitStack
from pathlib import Path

from yarrow.accounts.server_secrets import ENCRYPTION_FILE, read_encryption_secret
from yarrow.db.dump import load_database
from yarrow.db.embedded.running import start_database
from yarrow.db.migrate import is_behind, list_revisions
from yarrow.db.pool import open_unpooled_connection
from yarrow.errors import Misconfigured
from yarrow.operations import backup_store as store
from yarrow.operations.backup import Report
from yarrow.operations.backup_files import (
    DUMP,
    BackupManifest,
    copy_files,
    copy_secrets,
    list_folders,
    read_manifest,
    require_complete,
    write_draft,
)
from yarrow.settings import Settings

SCRIPT = "database.sql"


async def restore_backup(settings: Settings, backup: Path, *, report: Report) -> BackupManifest:
    """Make the installation that the settings describe from a backup; nothing is overwritten.

    Files and the embedded database are prepared beside their places and moved at the end, an
    external database is filled in one transaction: a restore that fails leaves nothing behind,
    unless the last step does, which names the data dir. An external database and the folder of
    YARROW_STORAGE_URL are complete then.
    """
    manifest = read_manifest(backup)
    is_behind(manifest.revision, list_revisions())  # refuses a backup of newer code
    with ExitStack() as drafts:
        draft = drafts.enter_context(write_draft(settings.data_dir))
        inside = settings.model_copy(update={"data_dir": draft})
        folders = list_folders(inside)
        for name, files in manifest.files.items():
            if (target := folders.get(name)) is None:
                _require_no_folder(backup, name)
                continue
            if not target.is_relative_to(draft):
                target = drafts.enter_context(write_draft(target))
            copied = copy_files(backup / name, target, files)
            require_complete(name, copied, expected=files)
            report(f"{name}: {len(copied)} files")
        copy_secrets(backup, draft, lacks=manifest.lacks)
        _require_same_key(settings, draft)
        report(f"database: {manifest.rows['sessions']} sessions")
        with start_database(inside) as running:
            await _load_dump(running.dsn, backup / DUMP, script=draft / SCRIPT)
    return manifest


def _require_no_folder(backup: Path, name: str) -> None:
    """Refuse files that have no folder in the new installation, unless they were taken away."""
    if (backup / name).exists():
        raise Misconfigured(
            f"the backup has {name} of a folder, and YARROW_STORAGE_URL names a bucket: "
            f"restore without it, or upload {name} yourself"
        )


def _require_same_key(settings: Settings, data_dir: Path) -> None:
    """Refuse a configured key that cannot decrypt what the backup has encrypted."""
    file = data_dir / ENCRYPTION_FILE
    if settings.secrets_key is None or not file.exists():
        return
    if read_encryption_secret(settings) != file.read_bytes().strip():
        raise Misconfigured(
            "YARROW_SECRETS_KEY is not the key of the backup, whose stored credentials it could not"
            f" decrypt: unset it, or set it to the content of {ENCRYPTION_FILE}"
        )


async def _load_dump(dsn: str, dump: Path, *, script: Path) -> None:
    connection = await open_unpooled_connection(dsn)
    try:
        if not await store.is_empty(connection):
            raise Misconfigured("the database of YARROW_DATABASE_URL has tables: name an empty one")
    finally:
        await connection.close()
    await load_database(dsn, dump, script=script)
