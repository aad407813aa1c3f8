"""Columns of a Parquet file that pandas or Arrow wrote from durations, as whole numbers."""

import base64
import binascii
import re
from collections.abc import Mapping
from pathlib import Path

import duckdb
import msgspec

from yarrow.kit.sql_text import quote_text

_DURATION = re.compile(r"(?:timedelta64|duration)\[(s|ms|us|ns)\]")
_PER_SECOND = {"s": "1e0", "ms": "1e3", "us": "1e6", "ns": "1e9"}
_PANDAS, _ARROW = b"pandas", b"ARROW:schema"


class _PandasColumn(msgspec.Struct):
    field_name: str | None = None
    numpy_type: str = ""


class _PandasMetadata(msgspec.Struct):
    columns: list[_PandasColumn] = []


def read_parquet_time_units(path: Path, database: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """By column: how many of its units are a second, as a number in SQL."""
    query = f"FROM parquet_kv_metadata({quote_text(str(path))}) SELECT key, value"
    try:
        metadata = dict(database.execute(query).fetchall())
    except (duckdb.Error, UnicodeDecodeError):
        return {}  # a broken file is explained when its rows are read
    types = _read_pandas_types(metadata) | _read_arrow_types(metadata)
    matches = ((name, _DURATION.match(native)) for name, native in types.items())
    return {name: _PER_SECOND[match[1]] for name, match in matches if match}


def _read_pandas_types(metadata: Mapping[bytes, bytes]) -> dict[str, str]:
    try:
        columns = msgspec.json.decode(metadata.get(_PANDAS, b"{}"), type=_PandasMetadata).columns
    except msgspec.DecodeError:
        return {}
    return {column.field_name: column.numpy_type for column in columns if column.field_name}


def _read_arrow_types(metadata: Mapping[bytes, bytes]) -> dict[str, str]:
    """The types of the Arrow table that was written; none if it is not known."""
    if _ARROW not in metadata:
        return {}
    import pyarrow as pa  # noqa: PLC0415 - few files need it, and it takes longer than their rows

    try:
        schema = pa.ipc.read_schema(pa.py_buffer(base64.b64decode(metadata[_ARROW])))
    except (binascii.Error, pa.ArrowException):
        return {}
    return {field.name: str(field.type) for field in schema}
