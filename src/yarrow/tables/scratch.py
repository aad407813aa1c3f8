"""Scratch: files of a workspace that are no tables, or not yet.

They lie flat in one folder for each account and workspace, under names that we made from theirs.
"""

import asyncio
import hashlib
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath

from yarrow.tables.errors import ScratchFull, ScratchNotFound, ScratchPathDenied
from yarrow.tables.model import Shelf, Workspace

FOLDER = "scratch"
NAMELESS = "file"
NAME_BYTES = 180
DIGEST_CHARS = 8

_NOT_IN_NAME = re.compile(r"[^\w.\- ]+")


@dataclass(frozen=True, slots=True)
class ScratchFile:
    """A file by its name in the folder."""

    name: str
    size: int
    path: Path

    @property
    def shown(self) -> str:
        """How programs and clients call it."""
        return f"{FOLDER}/{self.name}"


async def keep_upload(
    shelf: Shelf, workspace: Workspace, filename: str, *, source: Path
) -> ScratchFile:
    """A spooled file under its own name and the beginning of its SHA-256; `source` is moved."""
    digest = await asyncio.to_thread(_digest, source)
    plain = PurePosixPath(safe_name(filename))
    name = f"{plain.stem}_{digest[:DIGEST_CHARS]}{plain.suffix}"
    return keep_file(shelf, workspace, name, source=source)


def keep_file(shelf: Shelf, workspace: Workspace, name: str, *, source: Path) -> ScratchFile:
    """A spooled file in the folder, in the place of one of the same name; `source` is moved."""
    target = _folder(shelf, workspace) / safe_name(name)
    size = source.stat().st_size
    others = sum(file.size for file in list_scratch(shelf, workspace) if file.path != target)
    if others + size > shelf.scratch_bytes:
        raise ScratchFull(shelf.scratch_bytes)
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    source.chmod(0o644)
    source.replace(target)
    return ScratchFile(target.name, size, target)


def write_scratch(shelf: Shelf, workspace: Workspace, name: str, *, data: bytes) -> ScratchFile:
    """Bytes as a file."""
    source = shelf.sandbox.spool_path(".scratch")
    source.write_bytes(data)
    try:
        return keep_file(shelf, workspace, name, source=source)
    finally:
        source.unlink(missing_ok=True)


def list_scratch(shelf: Shelf, workspace: Workspace) -> Sequence[ScratchFile]:
    """The files of a workspace by name; none if nobody brought any."""
    folder = _folder(shelf, workspace)
    found = sorted(folder.iterdir()) if folder.is_dir() else []
    return [ScratchFile(path.name, path.stat().st_size, path) for path in found]


def find_scratch(shelf: Shelf, workspace: Workspace, path: str) -> ScratchFile:
    """The file that a path names, as `name` or `scratch/name`.

    A path that leads elsewhere is denied whether or not there is something.
    """
    name = name_within(path)
    found = _folder(shelf, workspace) / name if name else None
    if found is None or not found.is_file():
        raise ScratchNotFound(path)
    return ScratchFile(found.name, found.stat().st_size, found)


def empty_scratch(shelf: Shelf, workspace: Workspace) -> None:
    """Every file of the workspace is gone."""
    shutil.rmtree(_folder(shelf, workspace), ignore_errors=True)


def name_within(path: str) -> str:
    """The name in the folder that a path means; empty for the folder itself and for deeper ones."""
    plain = path.strip().replace("\\", "/")
    parts = PurePosixPath(plain).parts
    if not plain or "\0" in plain or ".." in parts or PureWindowsPath(plain).anchor:
        raise ScratchPathDenied
    below = parts[1:] if parts[:1] == (FOLDER,) else parts
    return below[0] if len(below) == 1 else ""


def safe_name(filename: str) -> str:
    """A file name in any script, without folders, and never hidden."""
    last = filename.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
    plain = PurePosixPath(_NOT_IN_NAME.sub("_", last).strip(" .") or NAMELESS)
    suffix = plain.suffix if len(plain.suffix.encode()) <= NAME_BYTES // 4 else ""
    stem = plain.name.removesuffix(suffix)
    while len(f"{stem}{suffix}".encode()) > NAME_BYTES:
        stem = stem[:-1]
    return f"{stem}{suffix}"


def _folder(shelf: Shelf, workspace: Workspace) -> Path:
    """A folder whose name is ours: what workspaces are called is up to clients."""
    digest = hashlib.sha256(workspace.name.encode("utf-8", "replace")).hexdigest()[:32]
    return shelf.sandbox.folder / FOLDER / str(workspace.account_id) / digest


def _digest(source: Path) -> str:
    with source.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
