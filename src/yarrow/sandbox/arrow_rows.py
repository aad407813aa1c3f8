"""The first rows of an Arrow table, as DuckDB reads them from the Parquet made of it.

Most frames hold only types on which the two agree value by value; reading those from memory
spares a job its first query, which costs more than all the rest of a small one.
"""

from collections.abc import Iterator

import pyarrow as pa

from yarrow.sandbox import duckdb_session
from yarrow.sandbox.model import Column
from yarrow.sandbox.protocol import Made

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


class NotExact(Exception):
    """The file must be asked."""


def exact_rows(table: pa.Table, *, max_rows: int, max_bytes: int) -> Made:
    """The rows if DuckDB would say the same of them; else `NotExact`."""
    columns = [Column(field.name, _label(field.type)) for field in table.schema]
    # DuckDB takes names for equal that differ in case only, and gives one of them another.
    names = {column.name.casefold() for column in columns}
    if not columns or "" in names or len(names) < len(columns):
        raise NotExact
    rows, truncated = duckdb_session.safe_rows(
        _values(table.slice(0, max_rows + 1)), columns, max_rows=max_rows, max_bytes=max_bytes
    )
    return Made(columns, [list(row.values()) for row in rows], truncated, table.num_rows)


def _values(table: pa.Table) -> Iterator[tuple[object, ...]]:
    try:
        return zip(*(_plain(column).to_pylist() for column in table.columns), strict=True)
    except (pa.ArrowException, ValueError, OverflowError):
        raise NotExact from None


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Moments as Python's own, if not a digit is lost."""
    return column.cast(pa.timestamp("us")) if pa.types.is_timestamp(column.type) else column


def _label(kind: pa.DataType) -> str:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if (label := _LABELS.get(kind)) is None:
        raise NotExact
    return label
