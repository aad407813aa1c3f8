"""The first rows of an Arrow table, as DuckDB would read them from its Parquet file.

For most types the two agree value by value. Reading those from memory saves a job its first query,
which takes longer than all the rest of a small job.
"""

from collections.abc import Iterator

import pyarrow as pa

from yarrow.sandbox import duckdb_session
from yarrow.sandbox.messages import FrameHeader
from yarrow.sandbox.model import Column

_LABELS = {
    pa.bool_(): "boolean",
    pa.float32(): "number",
    pa.float64(): "number",
    pa.string(): "string",
    pa.large_string(): "string",
    pa.date32(): "date",
    **dict.fromkeys((pa.int8(), pa.int16(), pa.int32(), pa.int64()), "integer"),
    **dict.fromkeys((pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()), "integer"),
    **dict.fromkeys((pa.timestamp("s"), pa.timestamp("ms")), "datetime"),
    **dict.fromkeys((pa.timestamp("us"), pa.timestamp("ns")), "datetime"),
}


class ArrowDiffers(Exception):
    """DuckDB may read this table differently."""


def build_arrow_header(table: pa.Table, *, max_rows: int, max_bytes: int) -> FrameHeader:
    """The table's first rows, or `ArrowDiffers`."""
    columns = [Column(field.name, _name_column_type(field.type)) for field in table.schema]
    # DuckDB renames a column whose name differs from another only in case.
    names = {column.name.casefold() for column in columns}
    if not columns or "" in names or len(names) < len(columns):
        raise ArrowDiffers
    rows, truncated = duckdb_session.to_json_rows(
        _iterate_rows(table.slice(0, max_rows + 1)), columns, max_rows=max_rows, max_bytes=max_bytes
    )
    return FrameHeader(columns, [list(row.values()) for row in rows], truncated, table.num_rows)


def _iterate_rows(table: pa.Table) -> Iterator[tuple[object, ...]]:
    try:
        return zip(*(_to_microseconds(column).to_pylist() for column in table.columns), strict=True)
    except (pa.ArrowException, ValueError, OverflowError):
        raise ArrowDiffers from None


def _to_microseconds(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Timestamps in microseconds, as Python has them; raises if digits would be lost."""
    return column.cast(pa.timestamp("us")) if pa.types.is_timestamp(column.type) else column


def _name_column_type(kind: pa.DataType) -> str:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if (label := _LABELS.get(kind)) is None:
        raise ArrowDiffers
    return label
