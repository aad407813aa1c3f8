"""A file that holds room on the disk of the data dir, and is deleted when nothing else is free.

On a full disk PostgreSQL refuses every write, and crashes when its log needs a new file. The room
of the reserve lets the server go on, for some thousand turns, while somebody frees more. It is made
again once there is plenty.
"""

import logging
import os
import shutil
from contextlib import suppress
from pathlib import Path

from yarrow.db.embedded.server import ServerFiles

log = logging.getLogger("yarrow.db")

CHECK_S = 0.25
RESERVE_BYTES = 64 * 1024**2
LOW_BYTES = 20 * 1024**2
"""With less free than this the reserve is given up. PostgreSQL's log grows by 16 MiB at a time."""
PLENTY_BYTES = 200 * 1024**2
"""What must be free beside the reserve before it is made; a server refuses to start with less. An
empty database takes about 50 MB, its write-ahead log more."""


class DiskReserve:
    """The reserve of one data dir; all its processes may check it."""

    def __init__(self, data_dir: Path) -> None:
        self._file = ServerFiles(data_dir).reserve

    def check(self) -> None:
        """Give the reserve up if the disk is nearly full, make it if there is plenty of room."""
        free = shutil.disk_usage(self._file.parent).free
        if self._is_made():
            if free < LOW_BYTES:
                self._file.unlink(missing_ok=True)
                log.error("db.disk_full", extra={"hint": _describe_full_disk(self._file)})
        elif free >= RESERVE_BYTES + PLENTY_BYTES:
            with suppress(OSError):  # somebody else took the room, or makes the file as well
                self._make_file()

    def _is_made(self) -> bool:
        try:
            return self._file.stat().st_size == RESERVE_BYTES
        except FileNotFoundError:
            return False

    def _make_file(self) -> None:
        file = os.open(self._file, os.O_CREAT | os.O_WRONLY, 0o600)
        try:
            os.posix_fallocate(file, 0, RESERVE_BYTES)
        except OSError:
            self._file.unlink(missing_ok=True)
            raise
        finally:
            os.close(file)


def _describe_full_disk(reserve: Path) -> str:
    return (
        f"the disk of {reserve.parent} is full; the server goes on with "
        f"{RESERVE_BYTES // 1024**2} MiB that it had kept: free some room now"
    )
