"""What a job needs, put together from tables and limits."""

from collections.abc import Mapping
from pathlib import Path

from yarrow.datasets.sandbox.model import Limits
from yarrow.datasets.sandbox.process import Needs


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


def to_fill(path: Path) -> Path:
    """An empty file that a job may fill: the folder, not the file, keeps others out."""
    path.touch()
    path.chmod(0o666)
    return path


def for_duckdb(memory_mb: int) -> int:
    """DuckDB counts its buffers only; the rest of the process needs some room."""
    return memory_mb * 3 // 4
