"""Scratch files: files of a workspace that are not tables, or not yet.

Each workspace has one flat folder; file names are derived from the uploaded ones.
"""

import asyncio
import hashlib
import re
import shutil
from collections.abc import Sequence
from pathlib import Path, PurePosixPath, PureWindowsPath

from msgspec import Struct

from yarrow.tables.errors import ScratchFull, ScratchNotFound, ScratchPathDenied
from yarrow.tables.model import Tables, Workspace

FOLDER = "scratch"
NAMELESS = "file"
NAME_BYTES = 180
MAX_FILE_BYTES = 255
"""The longest file name that Linux allows; a longer one is an error, not a missing file."""
DIGEST_CHARS = 8

_NOT_IN_NAME = re.compile(r"[^\w.\- ]+")


class ScratchFile(Struct, frozen=True):
    """A file in the scratch folder of a workspace."""

    name: str
    size: int
    path: Path

    @property
    def display_path(self) -> str:
        """The path that programs and clients use."""
        return f"{FOLDER}/{self.name}"


async def save_upload(
    tables: Tables, workspace: Workspace, filename: str, *, source: Path
) -> ScratchFile:
    """Move a spooled file to the folder, under its own name and the start of its SHA-256."""
    digest = await asyncio.to_thread(_digest_file, source)
    safe = PurePosixPath(make_safe_name(filename))
    name = f"{safe.stem}_{digest[:DIGEST_CHARS]}{safe.suffix}"
    return save_file(tables, workspace, name, source=source)


def save_file(tables: Tables, workspace: Workspace, name: str, *, source: Path) -> ScratchFile:
    """Move a spooled file to the folder, replacing one of the same name."""
    target = _locate_folder(tables, workspace) / make_safe_name(name)
    size = source.stat().st_size
    others = sum(file.size for file in list_scratch(tables, workspace) if file.path != target)
    if others + size > tables.scratch_bytes:
        raise ScratchFull(tables.scratch_bytes)
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    source.chmod(0o644)
    source.replace(target)
    return ScratchFile(target.name, size, target)


def write_scratch(tables: Tables, workspace: Workspace, name: str, *, data: bytes) -> ScratchFile:
    """Write bytes to a file in the folder."""
    source = tables.sandbox.spool_path(".scratch")
    source.write_bytes(data)
    try:
        return save_file(tables, workspace, name, source=source)
    finally:
        source.unlink(missing_ok=True)


def list_scratch(tables: Tables, workspace: Workspace) -> Sequence[ScratchFile]:
    """The files of a workspace, by name."""
    folder = _locate_folder(tables, workspace)
    paths = sorted(folder.iterdir()) if folder.is_dir() else []
    return [ScratchFile(path.name, path.stat().st_size, path) for path in paths]


def find_scratch(tables: Tables, workspace: Workspace, path: str) -> ScratchFile:
    """The file at `name` or `scratch/name`.

    A path outside the folder is denied whether or not it exists.
    """
    name = parse_scratch_name(path)
    file = (
        _locate_folder(tables, workspace) / name
        if 0 < len(name.encode("utf-8", "replace")) <= MAX_FILE_BYTES
        else None
    )
    if file is None or not file.is_file():
        raise ScratchNotFound(path)
    return ScratchFile(file.name, file.stat().st_size, file)


def empty_scratch(tables: Tables, workspace: Workspace) -> None:
    """Remove all scratch files of the workspace."""
    shutil.rmtree(_locate_folder(tables, workspace), ignore_errors=True)


def parse_scratch_name(path: str) -> str:
    """The file name of a path in the folder; empty for the folder itself and for deeper paths."""
    posix = path.strip().replace("\\", "/")
    parts = PurePosixPath(posix).parts
    if not posix or "\0" in posix or ".." in parts or PureWindowsPath(posix).anchor:
        raise ScratchPathDenied
    relative = parts[1:] if parts[:1] == (FOLDER,) else parts
    return relative[0] if len(relative) == 1 else ""


def make_safe_name(filename: str) -> str:
    """A file name in any script, without folders and not hidden."""
    last = filename.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
    safe = PurePosixPath(_NOT_IN_NAME.sub("_", last).strip(" .") or NAMELESS)
    suffix = safe.suffix if len(safe.suffix.encode()) <= NAME_BYTES // 4 else ""
    stem = safe.name.removesuffix(suffix)
    while len(f"{stem}{suffix}".encode()) > NAME_BYTES:
        stem = stem[:-1]
    return f"{stem}{suffix}"


def _locate_folder(tables: Tables, workspace: Workspace) -> Path:
    """Named by a hash, because clients choose the names of workspaces."""
    digest = hashlib.sha256(workspace.name.encode("utf-8", "replace")).hexdigest()[:32]
    return tables.sandbox.folder / FOLDER / str(workspace.account_id) / digest


def _digest_file(source: Path) -> str:
    with source.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
