"""Messages between the server, a fork server and its jobs: JSON frames, some followed by bytes.

A job may have run untrusted code. Its responses are decoded into these types only, their size is
checked before they are read, and nothing is pickled.
"""

from collections.abc import Sequence
from enum import StrEnum, auto
from typing import Annotated, TypeAlias

import msgspec
from msgspec import Struct

from yarrow.charting import CompiledChart
from yarrow.kit.json import JsonMapping, JsonValue
from yarrow.kit.notes import CodedNote
from yarrow.sandbox.model import ChartRequest, Column, TableResult, WrittenTable

MAX_FRAME_BYTES = 64 * 1024 * 1024
MAX_FRAMES = 50
"""DataFrames of a program that a response names."""

WARM_FOLDER = "/job/kept"
"""Where a warm worker has the tables it was sent and writes its result."""

_Int64: TypeAlias = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
Scalar: TypeAlias = bool | _Int64 | float | str | None


class JobKind(StrEnum):
    """What a fork server has loaded; module `<kind>_job` implements it."""

    SQL = auto()
    PYTHON = auto()


class StartJob(Struct, frozen=True, tag=True):
    """To the fork server: fork a job. The job's socket comes along as a file descriptor."""

    job: int
    memory_mb: int
    cpu_s: int
    """Processor time of one request."""
    requests: int
    """How many such requests the job may answer, for its processor time in all."""
    file_mb: int


class JobFiles(Struct, frozen=True):
    """First frame on a job's socket: path inside the job, and path below the tables' folder.

    Sent to the job, not to the fork server: every later job inherits the fork server's memory.
    """

    readable: dict[str, str]
    writable: dict[str, str]


class KillJob(Struct, frozen=True, tag=True):
    """To the fork server: send SIGKILL to a job."""

    job: int


class JobEnded(Struct, frozen=True):
    """From the fork server: a job ended that was not to be killed."""

    job: int
    has_spent_cpu_time: bool


class StartWarm(Struct, frozen=True, tag=True):
    """First request of a job that stays as a warm worker, with the limits of all its requests."""

    memory_mb: int
    max_ms: int


class LoadTable(Struct, frozen=True, tag=True):
    """To a warm worker: `size` bytes of Parquet follow, to be kept as `path`. No response."""

    path: str
    size: int


class RunSql(Struct, frozen=True, tag=True):
    """Run one SELECT and return its rows."""

    query: str
    parameters: list[JsonValue]
    max_rows: int
    max_bytes: int
    max_ms: int
    memory_mb: int
    numbered: bool = False
    """Give tables the column `#rowId`: the position of a row in its file, from 1."""
    count_query: str | None = None
    """A second query that returns one number; it has the same parameters."""
    tables: dict[str, str] = {}
    """Path of each table's file, by table name."""


class StreamLines(Struct, frozen=True, tag=True):
    """Run a query of one text column and stream its values."""

    query: str
    max_ms: int
    memory_mb: int
    tables: dict[str, str] = {}


class DrawChart(Struct, frozen=True, tag=True):
    """Compile a chart of all rows of the one table."""

    chart: ChartRequest
    row_count: int
    max_ms: int
    memory_mb: int
    tables: dict[str, str] = {}


class SaveQuery(Struct, frozen=True, tag=True):
    """Run one SELECT, write its rows to a Parquet file and return the first of them.

    With `chart`, a chart of all rows is compiled too.
    """

    query: str
    parquet: str
    max_rows: int
    max_bytes: int
    max_ms: int
    memory_mb: int
    chart: ChartRequest | None = None
    tables: dict[str, str] = {}


class FileRequest(Struct, frozen=True, kw_only=True):
    """An uploaded file, and how to read it."""

    filename: str
    max_rows: int
    max_bytes: int
    memory_mb: int
    source: str = ""
    unpacked: str = ""
    """An empty work file, as `decoded`."""
    decoded: str = ""
    encoding: str | None = None
    """The encoding of text by its owner's word; detected if there is none."""
    day_first: bool = False
    """The order of dates such as `01/02/2024` if no value of their column decides it."""


class ReadFile(FileRequest, frozen=True, tag=True, kw_only=True):
    """Convert an uploaded file to Parquet."""

    table_name: str
    sheet_name: str | None
    target: str = ""


class PreviewFile(FileRequest, frozen=True, tag=True, kw_only=True):
    """Return the sheets of an uploaded file with their first rows."""


class RunPython(Struct, frozen=True, tag=True):
    """Run Python in this job's namespace, which is kept for the next request."""

    code: str
    output_variable: str | None
    max_stdout: int
    max_output_bytes: int
    max_rows: int
    """Limits, with `max_bytes`, the first rows that are returned beside the Parquet."""
    max_bytes: int
    seconds: float = 0.0
    """Processor time after which the program is interrupted, so that it returns what it printed."""
    clock_seconds: float = 0.0
    """The same by the clock."""
    idle_seconds: float = 0.0
    """The same by the clock, while the processor is hardly used."""


QueryRequest: TypeAlias = RunSql | StreamLines | SaveQuery | DrawChart
Request: TypeAlias = QueryRequest | ReadFile | PreviewFile | RunPython | StartWarm | LoadTable


class QueryRows(Struct, frozen=True, tag=True):
    """Response to `RunSql`."""

    result: TableResult


class FileWritten(Struct, frozen=True, tag=True):
    """Response to `ReadFile`."""

    table: WrittenTable


class FrameHeader(Struct, frozen=True):
    """Columns and first rows of a Parquet result. Untrusted: see `job_spec.validate_header`."""

    columns: list[Column]
    values: list[list[Scalar]]
    """The first rows, each in the order of the columns."""
    truncated: bool
    row_count: int


class QueryFile(Struct, frozen=True, tag=True):
    """Response to `SaveQuery`. From a warm worker, `output_bytes` of Parquet follow."""

    header: FrameHeader
    output_bytes: int = 0
    chart: CompiledChart | None = None


class ChartDrawn(Struct, frozen=True, tag=True):
    """Response to `DrawChart`."""

    chart: CompiledChart


class ChartRefused(Struct, frozen=True, tag=True):
    """The table does not allow the chart; `reason` is ours, and quotes names of columns."""

    reason: str


class Sheet(Struct, frozen=True):
    """One sheet of a workbook, or the only table of another file."""

    name: str
    columns: list[Column]
    rows: Sequence[JsonMapping]
    row_count: int
    notes: list[CodedNote] = []
    """How the file was read, for its owner."""


class FileSheets(Struct, frozen=True, tag=True):
    """Response to `PreviewFile`."""

    sheets: list[Sheet]


class LinesChunk(Struct, frozen=True, tag=True):
    """Response to `StreamLines`: `size` bytes of text follow; 0 ends the stream."""

    size: int


class PrintedText(Struct, frozen=True, tag=True):
    """Lines that a program printed, sent while it runs: a killed one cannot respond."""

    text: str


class PythonResponse(Struct, frozen=True, tag=True):
    """Response to `RunPython`; with a header, `output_bytes` of Parquet follow."""

    stdout: str
    error: str | None
    frames: list[str]
    header: FrameHeader | None
    output_bytes: int


class JobError(Struct, frozen=True, tag=True):
    """The request failed. Untrusted text: it may quote the query, the program or the file."""

    error: str
    note: CodedNote | None = None
    """Why a file cannot be read; it may be shown to the file's owner as it is."""


NEEDS_FRESH_PROCESS = JobError("run this in a fresh process")
"""A warm worker's response to a request that it does not run, or that failed in it."""

Response: TypeAlias = (
    QueryRows
    | FileWritten
    | QueryFile
    | FileSheets
    | LinesChunk
    | PrintedText
    | PythonResponse
    | ChartDrawn
    | ChartRefused
    | JobError
)
