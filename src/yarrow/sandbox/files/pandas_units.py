"""Columns of a Parquet file that pandas wrote from durations."""

import re
from pathlib import Path

import duckdb
import msgspec

from yarrow.kit.sql_text import quote_text

_DURATION = re.compile(r"(?:timedelta64|duration)\[(s|ms|us|ns)\]")
_PER_SECOND = {"s": "1e0", "ms": "1e3", "us": "1e6", "ns": "1e9"}


class _PandasColumn(msgspec.Struct):
    field_name: str | None = None
    numpy_type: str = ""


class _PandasMetadata(msgspec.Struct):
    columns: list[_PandasColumn] = []


def read_duration_units(path: Path, database: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """By column: how many of its units are a second, as a number in SQL."""
    query = f"FROM parquet_kv_metadata({quote_text(str(path))}) SELECT value WHERE key = ?"
    try:
        row = database.execute(query, [b"pandas"]).fetchone()
        columns = msgspec.json.decode(row[0], type=_PandasMetadata).columns if row else []
    except (duckdb.Error, msgspec.DecodeError, UnicodeDecodeError):
        return {}  # a broken file is explained when its rows are read
    matches = ((column.field_name, _DURATION.match(column.numpy_type)) for column in columns)
    return {name: _PER_SECOND[match[1]] for name, match in matches if name and match}
