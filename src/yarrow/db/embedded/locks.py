"""Who uses the embedded server: file locks, which the kernel drops when a process dies.

Every user holds a shared lock on one file. Whoever leaves and can make it exclusive was the
last one and stops the server. Joining and leaving happen under a second, exclusive lock.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from yarrow.db.embedded.files import open_owned
from yarrow.db.embedded.server_processes import wait_until
from yarrow.errors import Misconfigured

# A first start takes seconds; crash recovery of a large cluster may take minutes.
TURN_LIMIT_S = 180.0


@contextmanager
def turn(path: Path) -> Iterator[None]:
    """One process at a time starts or stops the server."""
    descriptor = open_owned(path, os.O_RDWR)
    try:
        if not wait_until(lambda: _locked(descriptor, fcntl.LOCK_EX), limit_s=TURN_LIMIT_S):
            raise Misconfigured(
                f"another process has held {path} for {TURN_LIMIT_S:.0f} s; "
                "see which one with `fuser` or `lsof` and end it"
            )
        yield
    finally:
        os.close(descriptor)


class Membership:
    """A shared lock that says: this process uses the server."""

    def __init__(self, path: Path) -> None:
        self._descriptor = open_owned(path, os.O_RDWR)
        fcntl.flock(self._descriptor, fcntl.LOCK_SH)

    def is_last(self) -> bool:
        """Whether nobody else uses the server. Only true under the turn; ends the membership."""
        return _locked(self._descriptor, fcntl.LOCK_EX)

    def leave(self) -> None:
        os.close(self._descriptor)


def _locked(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
