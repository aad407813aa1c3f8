"""Where the server's socket lies. Its folder is the only lock on the door, so it is private."""

import hashlib
import os
import stat
import tempfile
from pathlib import Path

from yarrow.db.embedded.os_user import Account
from yarrow.errors import Misconfigured

# macOS allows 103 bytes in a socket's path, of which the file's own name takes 14.
LONGEST_FOLDER_BYTES = 89


def choose_socket_dir(account: Account, cluster: Path) -> Path:
    """The cluster itself, or a private folder named after it if its path does not fit."""
    if _fits(cluster):
        return cluster
    name = hashlib.sha256(os.fsencode(cluster)).hexdigest()[:16]
    folder = Path(tempfile.gettempdir()).resolve() / f"yarrow-{name}"
    if not _fits(folder):
        raise Misconfigured(f"{folder} is too long for a socket; set TMPDIR to a shorter folder")
    _make_private(account, folder)
    return folder


def _fits(folder: Path) -> bool:
    """PostgreSQL and asyncpg both read a comma as the end of the path."""
    return len(os.fsencode(folder)) <= LONGEST_FOLDER_BYTES and not set(str(folder)) & set(',"')


def _make_private(account: Account, folder: Path) -> None:
    """Anybody may create names in the temp folder: take nothing that another user made."""
    try:
        folder.mkdir(mode=0o700)
        if account.is_other:
            os.chown(folder, account.uid, account.gid)
    except FileExistsError:
        found = folder.lstat()
        private = stat.S_ISDIR(found.st_mode) and stat.S_IMODE(found.st_mode) == 0o700
        if not private or found.st_uid != account.uid:
            raise Misconfigured(
                f"{folder} must be a folder of user {account.name} with mode 0700; remove it"
            ) from None
