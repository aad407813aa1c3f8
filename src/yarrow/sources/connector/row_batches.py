"""Arrow batches from the Python rows of drivers that have no Arrow of their own."""

import datetime as dt
from collections.abc import Iterator, Sequence
from itertools import islice

import pyarrow as pa

BATCH_ROWS = 20_000
MIXED = b"mixed"
"""Marks a column in the schema whose values have several types."""
_INT64 = range(-(2**63), 2**63)
_MYSQL = {
    **dict.fromkeys((1, 2, 3, 8, 9, 13), pa.int64()),
    **dict.fromkeys((4, 5), pa.float64()),
    **dict.fromkeys((7, 12), pa.timestamp("us")),
    10: pa.date32(),
    11: pa.duration("us"),
}
"""By the numbers of `pymysql.constants.FIELD_TYPE`."""


class ColumnChanged(Exception):
    """A later row has a value that does not fit the types of the first rows."""

    def __init__(self, column: int) -> None:
        super().__init__(column)
        self.column = column


def build_batches(
    names: Sequence[str],
    rows: Iterator[Sequence[object]],
    *,
    as_text: frozenset[int] = frozenset(),
    types: Sequence[pa.DataType] | None = None,
) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
    """The schema and batches of it: the given types, else those of the first rows.

    Columns in `as_text` are texts. Reading a batch raises `ColumnChanged` if a later value has
    another type: the caller starts again with that column as text.
    """
    first = list(islice(rows, BATCH_ROWS))
    mixed = {at for at in range(len(names)) if at in as_text or _is_mixed(first, at)}
    types = types or [
        pa.string() if at in mixed else infer_type([row[at] for row in first])
        for at in range(len(names))
    ]
    marks = {True: {MIXED: b"true"}, False: None}
    fields = [pa.field(str(at), kind, metadata=marks[at in mixed]) for at, kind in enumerate(types)]
    schema = pa.schema(fields)

    def read() -> Iterator[pa.RecordBatch]:
        chunk: list[Sequence[object]] = first
        while chunk:
            columns = [
                _column([row[at] for row in chunk], kind, at) for at, kind in enumerate(types)
            ]
            yield pa.RecordBatch.from_arrays(columns, schema=schema)
            chunk = list(islice(rows, BATCH_ROWS))

    return schema, read()


def infer_type(values: Sequence[object]) -> pa.DataType:
    """The narrowest type that has all values; text for a mixture."""
    kinds = {type(value) for value in values if value is not None}
    if not kinds:
        return pa.string()
    if kinds == {int}:
        fits = all(value in _INT64 for value in values if isinstance(value, int))
        return pa.int64() if fits else pa.string()
    if kinds <= {int, float}:
        return pa.float64()
    simple = {
        bool: pa.bool_(),
        float: pa.float64(),
        str: pa.string(),
        bytes: pa.binary(),
        dt.date: pa.date32(),
        dt.datetime: pa.timestamp("us"),
        dt.time: pa.time64("us"),
        dt.timedelta: pa.duration("us"),
    }
    return simple.get(kinds.pop(), pa.string()) if len(kinds) == 1 else pa.string()


def _is_mixed(rows: Sequence[Sequence[object]], at: int) -> bool:
    kinds = {type(row[at]) for row in rows if row[at] is not None}
    return len(kinds) > 1 and not kinds <= {int, float}


def infer_declared(type_code: int, scale: int | None, *, is_unsigned: bool) -> pa.DataType:
    """The type of a column as MySQL declares it; text for all without an equal."""
    if type_code in (0, 246):
        return pa.decimal128(38, min(scale or 0, 30))
    if type_code == 8 and is_unsigned:
        return pa.uint64()
    return _MYSQL.get(type_code, pa.string())


def to_text(value: object) -> str | None:
    """A value of any type as text; bytes as UTF-8 or hexadecimal."""
    match value:
        case None | str():
            return value
        case bytes():
            try:
                return value.decode()
            except UnicodeDecodeError:
                return value.hex()
        case _:
            return str(value)


def _column(values: list[object], kind: pa.DataType, at: int) -> pa.Array:
    if pa.types.is_string(kind):
        return pa.array(map(to_text, values), pa.string(), size=len(values))
    if pa.types.is_temporal(kind):  # a date such as 0000-00-00 comes as text
        values = [None if isinstance(value, str) else value for value in values]
    try:
        return pa.array(values, kind)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError, TypeError):
        raise ColumnChanged(at) from None
