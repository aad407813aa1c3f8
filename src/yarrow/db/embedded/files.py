"""Files in the data dir, which may belong to another user than this process."""

import os
from pathlib import Path

from yarrow.db.embedded.os_user import ROOT_UID
from yarrow.errors import Misconfigured


def make_data_dir(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise Misconfigured(
            f"the data dir {folder} cannot be made: {error.strerror}; "
            "choose another YARROW_DATA_DIR"
        ) from error


def open_private(path: Path, flags: int) -> int:
    """Open or create a file that is private to the owner of its folder.

    When root runs Yarrow in another user's data dir, its files must not lock that user out.
    """
    try:
        flags |= os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(path, flags, 0o600)
    except PermissionError as error:
        raise Misconfigured(
            f"{path} cannot be opened for writing; run Yarrow as the owner of that folder, "
            "or choose another YARROW_DATA_DIR"
        ) from error
    owner = path.parent.stat()
    if os.geteuid() == ROOT_UID and owner.st_uid != ROOT_UID:
        os.fchown(descriptor, owner.st_uid, owner.st_gid)
    return descriptor
