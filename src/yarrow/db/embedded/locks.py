"""File locks that tell which processes use the embedded server.

The kernel releases them however a process ends. Every process that uses the server holds a shared
lock on one file; one that leaves and can make it exclusive is the last, and stops the server.
Joining and leaving happen under a second, exclusive lock.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from yarrow.db.embedded.files import open_private
from yarrow.db.embedded.server_processes import wait_until
from yarrow.errors import Misconfigured

# A first start takes seconds; crash recovery of a large cluster may take minutes.
LOCK_TIMEOUT_S = 180.0


@contextmanager
def exclusive_lock(path: Path) -> Iterator[None]:
    """Hold the lock under which a process starts or stops the server."""
    descriptor = open_private(path, os.O_RDWR)
    try:
        if not wait_until(lambda: _try_lock(descriptor, fcntl.LOCK_EX), timeout_s=LOCK_TIMEOUT_S):
            raise Misconfigured(
                f"another process has held {path} for {LOCK_TIMEOUT_S:.0f} s; "
                "see which one with `fuser` or `lsof` and end it"
            )
        yield
    finally:
        os.close(descriptor)


class ServerMembership:
    """The shared lock of a process that uses the server."""

    def __init__(self, path: Path) -> None:
        self._descriptor = open_private(path, os.O_RDWR)
        fcntl.flock(self._descriptor, fcntl.LOCK_SH)

    def is_last(self) -> bool:
        """Whether no other process uses the server; call it under the lock, then `leave`."""
        return _try_lock(self._descriptor, fcntl.LOCK_EX)

    def leave(self) -> None:
        os.close(self._descriptor)


def _try_lock(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
