"""What a job needs and what a query's order says, put together from tables and limits."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from yarrow.kit.json import JsonValue
from yarrow.sandbox.client import Needs
from yarrow.sandbox.model import Limits
from yarrow.sandbox.protocol import KeepTable, RunSql


def places_of(tables: Mapping[str, Path]) -> dict[str, str]:
    """Where a job sees its tables, by place."""
    return {f"data/{name}.parquet": name for name in tables}


def needs_of(
    readable: Mapping[str, Path],
    limits: Limits,
    writable: Mapping[str, Path] | None = None,
    *,
    file_bytes: int | None = None,
    seconds: float | None = None,
) -> Needs:
    return Needs(
        readable=readable,
        writable=writable or {},
        memory_mb=limits.memory_mb,
        seconds=seconds or limits.seconds,
        file_mb=(file_bytes or limits.output_bytes) // (1024 * 1024) + 1,
    )


def select_order(
    query: str,
    limits: Limits,
    tables: Mapping[str, str],
    *,
    parameters: Sequence[JsonValue] = (),
    numbered: bool = False,
    count_query: str | None = None,
) -> RunSql:
    """`tables` says where the job sees each."""
    return RunSql(
        tables=dict(tables),
        query=query,
        parameters=list(parameters),
        max_rows=limits.rows,
        max_bytes=limits.result_bytes,
        max_ms=int(limits.seconds * 1000),
        memory_mb=for_duckdb(limits.memory_mb),
        numbered=numbered,
        count_query=count_query,
    )


def keep_order(query: str, limits: Limits, tables: Mapping[str, str], *, parquet: str) -> KeepTable:
    """The same for a result that becomes a file."""
    return KeepTable(
        tables=dict(tables),
        query=query,
        parquet=parquet,
        max_rows=limits.rows,
        max_bytes=limits.result_bytes,
        max_ms=int(limits.seconds * 1000),
        memory_mb=for_duckdb(limits.memory_mb),
    )


def to_fill(path: Path) -> Path:
    """An empty file that a job may fill: the folder, not the file, keeps others out."""
    path.touch()
    path.chmod(0o666)
    return path


def for_duckdb(memory_mb: int) -> int:
    """DuckDB counts its buffers only; the rest of the process needs some room."""
    return memory_mb * 3 // 4
