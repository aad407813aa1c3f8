"""The folder of the server's socket; its mode is the only access control, so it is private."""

import hashlib
import os
import stat
import tempfile
from pathlib import Path

from yarrow.db.embedded.os_user import OsUser
from yarrow.errors import Misconfigured

# macOS allows 103 bytes in a socket's path, of which the file's own name takes 14.
LONGEST_FOLDER_BYTES = 89


def choose_socket_dir(user: OsUser, cluster: Path) -> Path:
    """The cluster, or a private temporary folder if the cluster's path is too long for a socket."""
    if _can_hold_socket(cluster):
        return cluster
    name = hashlib.sha256(os.fsencode(cluster)).hexdigest()[:16]
    folder = Path(tempfile.gettempdir()).resolve() / f"yarrow-{name}"
    if not _can_hold_socket(folder):
        raise Misconfigured(f"{folder} is too long for a socket; set TMPDIR to a shorter folder")
    _make_private(user, folder)
    return folder


def _can_hold_socket(folder: Path) -> bool:
    """Whether a socket fits in the folder; PostgreSQL and asyncpg split paths at commas."""
    return len(os.fsencode(folder)) <= LONGEST_FOLDER_BYTES and not set(str(folder)) & set(',"')


def _make_private(user: OsUser, folder: Path) -> None:
    """Create the folder, or check that it is ours: anybody may create names in the temp folder."""
    try:
        folder.mkdir(mode=0o700)
        if user.is_other:
            os.chown(folder, user.uid, user.gid)
    except FileExistsError:
        existing = folder.lstat()
        private = stat.S_ISDIR(existing.st_mode) and stat.S_IMODE(existing.st_mode) == 0o700
        if not private or existing.st_uid != user.uid:
            raise Misconfigured(
                f"{folder} must be a folder of user {user.name} with mode 0700; remove it"
            ) from None
