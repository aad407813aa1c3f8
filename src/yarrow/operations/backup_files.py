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
from yarrow.tables.files import ROWS_SUFFIX

FORMAT = 3
MANIFEST = "manifest.json"
DUMP = "database.dump"
LOST_FILES = f"files of tables or uploads are not in the backup: see `missing` in its {MANIFEST}"
SECRETS = {SIGNING_FILE: "YARROW_JWT_SECRET", ENCRYPTION_FILE: "YARROW_SECRETS_KEY"}
"""The files of secrets, and the settings that may take their place."""


class BackupManifest(Struct, frozen=True):
    """What a backup holds."""

    format: int
    version: str
    revision: str
    created_at: datetime
    rows: dict[str, int]
    lacks: tuple[str, ...]
    """What has to be kept or configured apart from the backup, in words."""
    missing: tuple[str, ...]
    """Files that rows of the database name and that were not there."""
    files: dict[str, dict[str, int]]
    """The files of each folder, by their path in it, with their sizes."""


class _ManifestHead(Struct, frozen=True):
    """What the manifests of all formats have."""

    format: int
    version: str


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


def describe_lacks(settings: Settings) -> tuple[str, ...]:
    """What a backup of this installation cannot contain."""
    lacks = {
        "the files in the bucket of YARROW_STORAGE_URL": find_folder(settings) is None,
        SECRETS[SIGNING_FILE]: settings.jwt_secret is not None,
        SECRETS[ENCRYPTION_FILE]: settings.secrets_key is not None,
    }
    return tuple(name for name, is_lacking in lacks.items() if is_lacking)


def list_files(source: Path) -> Iterator[str]:
    """The paths of all files in a folder, but of the spool only the rows of accepted runs."""
    for folder, _, files in os.walk(source, onerror=_raise_unless_missing, followlinks=True):
        inside = Path(folder).relative_to(source)
        for name in files:
            if inside != Path(SPOOL) or name.endswith(ROWS_SUFFIX):
                yield str(inside / name)


def copy_files(source: Path, target: Path, names: Iterable[str]) -> dict[str, int]:
    """Copy files of a folder and return their sizes. What is deleted meanwhile is left out."""
    sizes = {}
    target.mkdir(mode=0o700, parents=True, exist_ok=True)
    for name in names:
        copy = target / name
        copy.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if _copy_file(source / name, copy):
            sizes[name] = copy.stat().st_size
    return sizes


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
    """The manifest of a backup; `Misconfigured` if the folder is none, or of another format."""
    try:
        text = (folder / MANIFEST).read_bytes()
        head = msgspec.json.decode(text, type=_ManifestHead)
        if head.format == FORMAT:
            return msgspec.json.decode(text, type=BackupManifest)
    except (OSError, msgspec.DecodeError):
        raise Misconfigured(
            f"{folder} is no backup: it has no valid {MANIFEST}; name the folder that "
            "`yarrow backup` wrote"
        ) from None
    raise Misconfigured(
        f"{folder} was written by Yarrow {head.version} in format {head.format}, and this version "
        f"reads format {FORMAT}: restore it with the version that wrote it"
    )


def require_complete(name: str, copied: Mapping[str, int], *, expected: Mapping[str, int]) -> None:
    """Raise `Misconfigured` if a folder of a backup has not the files that were written to it."""
    for file, size in expected.items():
        if copied.get(file) != size:
            raise Misconfigured(
                f"the backup is not complete: {name}/{file} had {size} bytes when it was written, "
                + (f"and has {copied[file]}" if file in copied else "and is missing")
            )


def _raise_unless_missing(error: OSError) -> None:
    """For `os.walk`, which else skips what cannot be read; folders may go away meanwhile."""
    if not isinstance(error, FileNotFoundError):
        raise error


def _copy_file(source: Path, target: Path) -> bool:
    """Copy a file with its mode; False if it does not exist."""
    try:
        shutil.copy(source, target)  # without its time: sweeps delete what is old in the spool
    except FileNotFoundError:
        if source.exists():
            raise
        target.unlink(missing_ok=True)  # written, until its mode was to be copied
        return False
    return True
