"""Check and store the result frames of jobs, which are untrusted."""

import asyncio
from pathlib import Path

from yarrow.sandbox.client import Job, JobDied
from yarrow.sandbox.job_spec import make_readable, remove_file
from yarrow.sandbox.model import COLUMN_TYPES, JobLimits, SavedFrame, TableResult
from yarrow.sandbox.protocol import FrameHeader

MAX_ROWS = 2**63 - 1


class InvalidFrame(Exception):
    """The header breaks the limits or contradicts itself."""


def validate_header(header: FrameHeader, limits: JobLimits) -> TableResult:
    """The first rows of a frame, or `InvalidFrame`."""
    names = [column.name for column in header.columns]
    # The response has each name once; as objects, every row repeats all of them.
    name_chars = len(header.values) * sum(map(len, names))
    is_valid = (
        len(set(names)) == len(names)
        and name_chars <= limits.result_bytes
        and all(column.type in COLUMN_TYPES for column in header.columns)
        and len(header.values) <= min(limits.rows, header.row_count)
        and header.row_count <= MAX_ROWS
        and all(len(row) == len(names) for row in header.values)
    )
    if not is_valid:
        raise InvalidFrame
    rows = [dict(zip(names, row, strict=True)) for row in header.values]
    return TableResult(header.columns, rows, header.truncated, header.row_count)


async def receive_frame(
    job: Job, header: FrameHeader, size: int, *, limits: JobLimits, path: Path
) -> SavedFrame:
    """Write the `size` bytes that follow a response to `path`; `JobDied` if they are invalid."""
    if not 0 < size <= limits.output_bytes:
        raise JobDied
    try:
        first = validate_header(header, limits)
    except InvalidFrame:
        raise JobDied from None
    remaining = size
    try:
        with path.open("wb") as file:
            while remaining:
                data = await job.read(remaining)
                remaining -= len(data)
                file.write(data)
    except (JobDied, asyncio.CancelledError):
        remove_file(path)
        raise
    make_readable(path)
    return SavedFrame(first, header.row_count, path)
