"""What callers of the sandbox say and get."""

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from yarrow.kit.json import JsonObject

COLUMN_TYPES = frozenset(
    ("datetime", "date", "time", "duration", "integer", "number", "boolean", "string")
)


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one job may use. The sandbox lowers what is above its own settings."""

    seconds: float = math.inf
    memory_mb: int = sys.maxsize
    rows: int = 10_000
    """Rows that come back; the job itself may touch more."""
    result_bytes: int = 16 * 1024 * 1024
    output_bytes: int = 200 * 1024 * 1024
    """Of the Parquet file that a Python job's frame or a kept query makes."""
    stdout_chars: int = 20_000


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, and one of `COLUMN_TYPES`."""

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class TableResult:
    """Rows that a query gave, ready for JSON."""

    columns: Sequence[Column]
    rows: Sequence[JsonObject]
    truncated: bool
    """There were more rows, or more bytes, than come back."""
    total: int | None = None
    """What the counting query said, if there was one."""


@dataclass(frozen=True, slots=True)
class WrittenTable:
    """A Parquet file that a job wrote; `notes` are for its owner."""

    columns: Sequence[Column]
    row_count: int
    notes: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Seen:
    """The first rows of a frame that a job put out, and how many there are."""

    first: TableResult
    row_count: int


@dataclass(frozen=True, slots=True)
class Frame(Seen):
    """The same with all of it as a file, which the caller moves or unlinks."""

    path: Path


@dataclass(frozen=True, slots=True)
class PythonResult:
    """What a piece of Python did. `error` is safe to show, and is None if all went well."""

    stdout: str
    error: str | None
    frames: Sequence[str] = field(default=())
    """Names of the DataFrames that exist now."""
    output: Frame | None = None
    alive: bool = True
    """More pieces can be run in the same session; not after a timeout or a crash."""
