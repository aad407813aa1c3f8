"""Arguments and results of the sandbox."""

import math
import sys
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct, field

from yarrow.charting import CompiledChart, RowFilter
from yarrow.kit.json import JsonMapping, JsonObject
from yarrow.kit.notes import CodedNote

COLUMN_TYPES = frozenset(
    ("datetime", "date", "time", "duration", "integer", "number", "boolean", "string")
)
ROW_ID = "#rowId"
"""A column of numbered tables: the position of a row in its file, from 1."""


class JobLimits(Struct, frozen=True):
    """What one job may use; the sandbox lowers values above its settings."""

    seconds: float = math.inf
    """Processor time of one request."""
    clock_seconds: float = math.inf
    """Time by the clock of one request; jobs yield to all other work of the machine."""
    memory_mb: int = sys.maxsize
    rows: int = 10_000
    """Rows that are returned; the job itself may read more."""
    result_bytes: int = 16 * 1024 * 1024
    output_bytes: int = 200 * 1024 * 1024
    """Size of the Parquet file that a job writes."""
    stdout_chars: int = 20_000
    idle_seconds: float = 20.0
    """How long a program may wait without using the processor. A job that only has to wait for a
    processor gets one within that time, so this does not depend on how busy the machine is."""


class WarmLimits(Struct, frozen=True):
    """When a warm worker is used, and when it is ended."""

    idle_s: float = 60.0
    max_uses: int = 500
    table_bytes: int = 4 * 1024 * 1024
    """Parquet of one request's tables; with larger ones the fork is not what takes the time."""
    loaded_bytes: int = 32 * 1024 * 1024
    """Parquet of all tables that one worker was sent."""


class FileToRead(Struct, frozen=True):
    """An uploaded file in the spool folder, and what to read of it."""

    source: Path
    filename: str
    table_name: str = ""
    sheet_name: str | None = None
    max_rows: int | None = None
    """A lower limit than that of the settings."""
    encoding: str | None = None
    """The encoding of a text, if its owner names it."""


class Column(Struct, frozen=True):
    """A column: its name, and one of `COLUMN_TYPES`."""

    name: str
    type: str


class TableResult(Struct, frozen=True):
    """Rows of a query, with values that JSON can represent."""

    columns: Sequence[Column]
    rows: Sequence[JsonMapping]
    truncated: bool
    """There were more rows, or more bytes, than are returned."""
    total: int | None = None
    """Result of the count query, if there was one."""


class WrittenTable(Struct, frozen=True):
    """A file that was converted to Parquet; `notes` are for its owner."""

    columns: Sequence[Column]
    row_count: int
    notes: Sequence[CodedNote] = ()


class ChartRequest(Struct, frozen=True):
    """A chart as the model or the client describes it."""

    chart: JsonObject
    """`chart_type`, `encodings` and `config`."""
    field_metadata: JsonObject = field(default_factory=dict)
    display_names: JsonObject = field(default_factory=dict)
    language: str = ""
    row_filter: RowFilter | None = None
    """The rows of a stored table that are drawn; its condition names the table's columns."""


class SavedFrame(Struct, frozen=True):
    """A result as a Parquet file in the spool folder, which the caller moves or unlinks."""

    first: TableResult
    """The first rows; `total` is the number of all."""
    row_count: int
    path: Path
    chart: CompiledChart | None = None
    """The chart of all rows, if one was requested."""


class PythonResult(Struct, frozen=True):
    """Output of a piece of Python. `error` is safe to show, and None on success."""

    stdout: str
    error: str | None
    frames: Sequence[str] = field(default=())
    """Names of the DataFrames in the session."""
    output: SavedFrame | None = None
    alive: bool = True
    """The session can run more code; false after a timeout or a crash."""
