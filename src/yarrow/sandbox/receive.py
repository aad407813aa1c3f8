"""Receiving the frame that a job made: no more of it than was said, and into a file of ours."""

import asyncio
from pathlib import Path

from yarrow.sandbox.client import Job, JobGone
from yarrow.sandbox.frame_header import Nonsense, seen
from yarrow.sandbox.model import Frame, Limits
from yarrow.sandbox.protocol import Made


async def receive_frame(job: Job, made: Made, size: int, *, limits: Limits, path: Path) -> Frame:
    """The frame, its `size` bytes written to `path`; `JobGone` if it cannot be what it says."""
    if not 0 < size <= limits.output_bytes:
        raise JobGone
    try:
        told = seen(made, limits)
    except Nonsense:
        raise JobGone from None
    left = size
    try:
        with path.open("wb") as file:
            while left:
                data = await job.read(left)
                left -= len(data)
                file.write(data)
    except (JobGone, asyncio.CancelledError):
        _discard(path)
        raise
    return Frame(told.first, told.row_count, _readable(path))


def _discard(file: Path) -> None:
    file.unlink(missing_ok=True)


def _readable(file: Path) -> Path:
    """A job is nobody, and is to read it later."""
    file.chmod(0o644)
    return file
