"""Resource limits, files, requests and results of jobs.

Jobs may run as another user, so files in the spool folder are opened to all; the folder itself
keeps others out.
"""

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from yarrow.kit.json import JsonValue
from yarrow.sandbox.messages import (
    DrawChart,
    FrameHeader,
    PreviewFile,
    ReadFile,
    RunPython,
    RunSql,
    SaveQuery,
    StartJob,
)
from yarrow.sandbox.model import COLUMN_TYPES, ChartRequest, FileToRead, JobLimits, TableResult
from yarrow.settings import DateOrder, Settings

DATASETS = "datasets"
"""Folder of the tables, in the data dir."""
SPOOL = "spool"
"""Folder, beside the tables, of files that are not tables yet."""
KILL_GRACE_S = 1.0
"""How long a Python job may take to answer after its program was interrupted."""
SPARE_BYTES = 8 * 1024 * 1024
"""For what comes with the first rows: names of columns, and stdout."""
CLOCK_FACTOR = 10
"""The ceiling on the clock, in multiples of the processor time that a setting allows: beside other
work a job may get a tenth of a processor."""
MIN_CLOCK_S = 60.0
MAX_ROWS = 2**63 - 1
_BUILDS_PATHS = re.compile(r"(?<!\w)data(?=[\"'/\\])|glob|listdir|scandir|iterdir|walk|rglob")


class JobSpec(Struct, frozen=True):
    """The files of a job and its resource limits."""

    readable: Mapping[str, Path]
    """Files on the host, by their path inside the job."""
    writable: Mapping[str, Path]
    memory_mb: int
    seconds: float
    """Processor time of one request."""
    clock_seconds: float
    requests: int
    """How many such requests the job may answer."""
    file_mb: int


def make_job_spec(
    readable: Mapping[str, Path],
    limits: JobLimits,
    writable: Mapping[str, Path] | None = None,
    *,
    file_bytes: int | None = None,
    requests: int = 1,
) -> JobSpec:
    return JobSpec(
        readable=readable,
        writable=writable or {},
        memory_mb=limits.memory_mb,
        seconds=limits.seconds,
        clock_seconds=limits.clock_seconds,
        requests=requests,
        file_mb=(file_bytes or limits.output_bytes) // (1024 * 1024) + 1,
    )


def make_start_message(number: int, spec: JobSpec) -> StartJob:
    return StartJob(
        job=number,
        memory_mb=spec.memory_mb,
        cpu_s=math.ceil(spec.seconds),
        requests=spec.requests,
        file_mb=spec.file_mb,
    )


def to_clock_limit(seconds: float) -> float:
    """The ceiling on the clock where a setting allows so much processor time.

    Jobs yield to all other work of the machine, so the clock says little about what they cost. A
    program that sleeps is interrupted earlier, unless it catches that.
    """
    return max(MIN_CLOCK_S, seconds * CLOCK_FACTOR)


def clamp_limits(wanted: JobLimits, settings: Settings) -> JobLimits:
    """These limits, lowered to the settings."""
    seconds = settings.sandbox_timeout_s
    return replace(
        wanted,
        seconds=min(wanted.seconds, seconds),
        clock_seconds=min(wanted.clock_seconds, to_clock_limit(seconds)),
        memory_mb=min(wanted.memory_mb, settings.sandbox_memory_mb),
    )


def make_import_limits(settings: Settings) -> JobLimits:
    """The limits of jobs that read or write whole files."""
    seconds = settings.table_import_timeout_s
    return JobLimits(seconds, to_clock_limit(seconds), settings.sandbox_memory_mb)


def table_files(tables: Mapping[str, Path]) -> dict[str, Path]:
    """Files of tables by their path inside a job."""
    return {table_path(name): path for name, path in tables.items()}


def select_tables(code: str, tables: Mapping[str, Path]) -> Mapping[str, Path]:
    """The tables that a program names; all, if it may list the folder or build a path."""
    named = {name: path for name, path in tables.items() if name in code}
    rest = code
    for name in sorted(named, key=len, reverse=True):
        rest = rest.replace(table_path(name), "")
    return tables if _BUILDS_PATHS.search(rest) else named


def table_path(name: str) -> str:
    return f"data/{name}.parquet"


def create_output(path: Path) -> Path:
    """Create an empty file that a job may write."""
    path.touch()
    path.chmod(0o666)
    return path


def make_readable(path: Path) -> None:
    path.chmod(0o644)


def remove_file(path: Path) -> None:
    path.unlink(missing_ok=True)


def make_sql_request(
    query: str,
    limits: JobLimits,
    *,
    parameters: Sequence[JsonValue] = (),
    numbered: bool = False,
    count_query: str | None = None,
) -> RunSql:
    """The tables' paths depend on the process that runs it, and are added later."""
    return RunSql(
        query=query,
        parameters=list(parameters),
        max_rows=limits.rows,
        max_bytes=limits.result_bytes,
        max_ms=int(limits.clock_seconds * 1000),
        memory_mb=compute_duckdb_memory(limits.memory_mb),
        numbered=numbered,
        count_query=count_query,
    )


def make_chart_request(chart: ChartRequest, row_count: int, limits: JobLimits) -> DrawChart:
    return DrawChart(
        chart=chart,
        row_count=row_count,
        max_ms=int(limits.clock_seconds * 1000),
        memory_mb=compute_duckdb_memory(limits.memory_mb),
    )


def make_save_request(
    query: str, limits: JobLimits, *, parquet: str, chart: ChartRequest | None
) -> SaveQuery:
    return SaveQuery(
        chart=chart,
        query=query,
        parquet=parquet,
        max_rows=limits.rows,
        max_bytes=limits.result_bytes,
        max_ms=int(limits.clock_seconds * 1000),
        memory_mb=compute_duckdb_memory(limits.memory_mb),
    )


def make_read_request(file: FileToRead, settings: Settings, *, max_bytes: int) -> ReadFile:
    most = settings.table_max_rows
    return ReadFile(
        filename=file.filename,
        table_name=file.table_name,
        sheet_name=file.sheet_name,
        max_rows=most if file.max_rows is None else min(file.max_rows, most),
        max_bytes=max_bytes,
        memory_mb=compute_duckdb_memory(settings.sandbox_memory_mb),
        encoding=file.encoding,
        day_first=settings.table_date_order is DateOrder.DMY,
    )


def make_preview_request(
    file: FileToRead, settings: Settings, *, rows: int, max_bytes: int
) -> PreviewFile:
    return PreviewFile(
        filename=file.filename,
        max_rows=rows,
        max_bytes=max_bytes,
        memory_mb=compute_duckdb_memory(settings.sandbox_memory_mb),
        encoding=file.encoding,
        day_first=settings.table_date_order is DateOrder.DMY,
    )


def make_python_request(code: str, output_variable: str | None, limits: JobLimits) -> RunPython:
    return RunPython(
        code=code,
        output_variable=output_variable,
        max_stdout=limits.stdout_chars,
        max_output_bytes=limits.output_bytes,
        max_rows=limits.rows,
        max_bytes=limits.result_bytes,
        seconds=limits.seconds,
        clock_seconds=limits.clock_seconds,
        idle_seconds=limits.idle_seconds,
    )


def compute_duckdb_memory(memory_mb: int) -> int:
    """DuckDB's share of a job's memory: it counts its buffers only."""
    return memory_mb * 3 // 4


def compute_max_response_bytes(limits: JobLimits) -> int:
    """Largest response with a frame header, without the Parquet that follows."""
    return limits.result_bytes + SPARE_BYTES


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
