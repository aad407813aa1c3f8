"""The files of a backup: what its folder holds, and where an installation keeps the same.

manifest.json     what is in it: version, schema revision, counts, what it lacks
database.dump     everything in PostgreSQL, for `pg_restore`
attachments/      uploaded images, unless they are in an S3 store
datasets/         tables and scratch files of the analyst
jwt_secret, secrets_key   unless they are set as environment variables
"""

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from secrets import token_hex

import msgspec
from msgspec import Struct

from yarrow.accounts.server_secrets import ENCRYPTION_FILE, SIGNING_FILE
from yarrow.attachments.open_storage import FOLDER as ATTACHMENTS
from yarrow.attachments.open_storage import find_folder
from yarrow.errors import Misconfigured
from yarrow.sandbox.job_spec import DATASETS, SPOOL
from yarrow.settings import Settings

FORMAT = 2
MANIFEST = "manifest.json"
DUMP = "database.dump"
SECRETS = {SIGNING_FILE: "YARROW_JWT_SECRET", ENCRYPTION_FILE: "YARROW_SECRETS_KEY"}
"""The files of secrets, and the settings that may take their place."""


class BackupManifest(Struct, frozen=True):
    """What a backup holds."""

    format: int
    version: str
    revision: str
    created_at: datetime
    rows: dict[str, int]
    files: dict[str, int]
    """How many files each folder has."""
    lacks: tuple[str, ...]
    """What has to be kept or configured apart from the backup, in words."""


@contextmanager
def write_draft(folder: Path) -> Iterator[Path]:
    """A new folder beside `folder` that gets its name at the end of the block.

    If the block fails, it is deleted; `OSError`, such as a full disk, becomes `Misconfigured`.
    """
    folder = folder.absolute()
    require_missing(folder)
    draft = folder.with_name(f"{folder.name}.{token_hex(4)}.unfinished")
    try:
        draft.mkdir(mode=0o700, parents=True)
        yield draft
        os.sync()  # a loss of power must not leave empty files behind a folder's final name
        draft.rename(folder)
    except OSError as error:
        raise Misconfigured(f"{folder} cannot be written: {error}") from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def require_missing(folder: Path) -> None:
    """Refuse a path that has something; an empty folder may be replaced, unless it is mounted."""
    if folder.is_mount():
        raise Misconfigured(f"{folder} is a mount point: name a folder inside it")
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        raise Misconfigured(f"{folder} exists already: nothing is overwritten, name a new folder")


def require_outside(folder: Path, sources: Iterable[Path]) -> None:
    """Refuse a backup inside a folder that is copied: it would be copied into itself."""
    for source in sources:
        if folder.resolve().is_relative_to(source.resolve()):
            raise Misconfigured(f"{folder} is inside {source}, which is copied: name another place")


def list_folders(settings: Settings) -> dict[str, Path]:
    """The folders of files, by their name in a backup."""
    attachments = find_folder(settings)
    folders = {} if attachments is None else {ATTACHMENTS: attachments}
    return folders | {DATASETS: settings.data_dir / DATASETS}


def list_saved_folders(backup: Path) -> list[str]:
    """The names of the folders of files in a backup."""
    return sorted(path.name for path in backup.iterdir() if path.is_dir())


def describe_lacks(settings: Settings) -> tuple[str, ...]:
    """What a backup of this installation cannot contain."""
    lacks = {
        "the files in the bucket of YARROW_STORAGE_URL": find_folder(settings) is None,
        SECRETS[SIGNING_FILE]: settings.jwt_secret is not None,
        SECRETS[ENCRYPTION_FILE]: settings.secrets_key is not None,
    }
    return tuple(name for name, is_lacking in lacks.items() if is_lacking)


def copy_tree(source: Path, target: Path) -> int:
    """Copy the files of a folder and count them. What is deleted meanwhile is left out, and so are
    uploads in progress."""
    count = 0
    target.mkdir(mode=0o700, parents=True, exist_ok=True)
    for folder, names, files in os.walk(source, onerror=_raise_unless_missing):
        if SPOOL in names and Path(folder) == source:
            names.remove(SPOOL)
        inside = target / Path(folder).relative_to(source)
        inside.mkdir(mode=0o700, exist_ok=True)
        for name in files:
            count += _copy_file(Path(folder, name), inside / name)
    return count


def copy_secrets(source: Path, target: Path, *, lacks: Sequence[str]) -> None:
    """Copy the secrets but for those that are set as environment variables."""
    for name, setting in SECRETS.items():
        if setting not in lacks and not _copy_file(source / name, target / name):
            raise Misconfigured(
                f"there is no {name} in {source}: name the data dir that the server uses, or the "
                "whole folder of the backup"
            )


def write_manifest(folder: Path, manifest: BackupManifest) -> None:
    text = msgspec.json.format(msgspec.json.encode(manifest), indent=2)
    (folder / MANIFEST).touch(mode=0o600)
    (folder / MANIFEST).write_bytes(text + b"\n")


def read_manifest(folder: Path) -> BackupManifest:
    """The manifest of a backup; `Misconfigured` if the folder is none, or of a later format."""
    try:
        manifest = msgspec.json.decode((folder / MANIFEST).read_bytes(), type=BackupManifest)
    except (OSError, msgspec.DecodeError):
        raise Misconfigured(
            f"{folder} is no backup: it has no valid {MANIFEST}; name the folder that "
            "`yarrow backup` wrote"
        ) from None
    if manifest.format != FORMAT:
        raise Misconfigured(
            f"{folder} was written by Yarrow {manifest.version} in a format that this version "
            "does not know: install that version or a newer one"
        )
    return manifest


def require_complete(manifest: BackupManifest, copied: Mapping[str, int]) -> None:
    """Raise `Misconfigured` if folders of a backup have not the files that it was written with."""
    for name, count in copied.items():
        expected = manifest.files.get(name, 0)
        if count != expected:
            raise Misconfigured(
                f"the backup is not complete: {name} has {count} files, {expected} were written"
            )


def _raise_unless_missing(error: OSError) -> None:
    """For `os.walk`, which else skips what cannot be read; folders may go away meanwhile."""
    if not isinstance(error, FileNotFoundError):
        raise error


def _copy_file(source: Path, target: Path) -> bool:
    """Copy a file with its mode; False if it does not exist."""
    try:
        shutil.copy2(source, target)
    except FileNotFoundError:
        if source.exists():
            raise
        return False
    return True
