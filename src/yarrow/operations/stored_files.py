"""Compare the files of a backup with those that rows of the database name."""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from pathlib import Path

from msgspec import Struct

from yarrow.attachments.model import BUCKET
from yarrow.attachments.open_storage import FOLDER as ATTACHMENTS
from yarrow.errors import Misconfigured
from yarrow.ids import TableId
from yarrow.sandbox.job_spec import DATASETS
from yarrow.settings import Settings
from yarrow.tables.files import REMOTE, locate_table_file, name_remote_path

FilesByFolder = Mapping[str, AbstractSet[str]]
"""Paths of files by the folder of the backup that they are in."""


class StoredRows(Struct, frozen=True):
    """The rows that have a file: complete uploads and live tables."""

    uploads: frozenset[str]
    """The paths of their files."""
    tables: frozenset[TableId]


def name_files(settings: Settings, rows: StoredRows) -> FilesByFolder:
    """The files of these rows. With a shared store, tables are there and `datasets` is a cache."""
    if settings.storage_url is None:
        tables = {locate_table_file(Path(), table_id).name for table_id in rows.tables}
        return {ATTACHMENTS: rows.uploads, DATASETS: tables}
    return {ATTACHMENTS: rows.uploads | {name_remote_path(table_id) for table_id in rows.tables}}


def has_row(folder: str, path: str, named: FilesByFolder) -> bool:
    """False for files of a store that came after the rows were read, or that are not complete.

    After a restore no sweep would find them: it goes by rows. Local files without a row are swept.
    """
    is_stored = folder == ATTACHMENTS and path.startswith((f"{BUCKET}/", f"{REMOTE}/"))
    return not is_stored or path in named[folder]


def find_missing(named: FilesByFolder, copied: FilesByFolder) -> FilesByFolder:
    """The named files that were not copied, of the folders that are copied."""
    return {folder: named.get(folder, set()) - files for folder, files in copied.items()}


def require_some_found(
    named: FilesByFolder, missing: FilesByFolder, folders: Mapping[str, Path]
) -> None:
    """Refuse a folder that has none of the files that it should have: it is another server's."""
    for name, files in missing.items():
        if files and files == named[name]:
            raise Misconfigured(
                f"{folders[name]} has none of the {len(files)} files of {name} that the database "
                "names: use the data dir and YARROW_STORAGE_URL of the server; --allow-missing "
                "backs up without them if they are lost"
            )
