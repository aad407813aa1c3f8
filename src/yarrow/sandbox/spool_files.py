"""Files in the spool folder that jobs read and write.

Jobs may run as another user, so files are opened to all; the folder keeps others out.
"""

from pathlib import Path

SPOOL = "spool"
"""Folder, beside the tables, of files that are not tables yet."""


def create_output(path: Path) -> Path:
    """Create an empty file that a job may write."""
    path.touch()
    path.chmod(0o666)
    return path


def make_readable(path: Path) -> None:
    path.chmod(0o644)


def remove_file(path: Path) -> None:
    path.unlink(missing_ok=True)
