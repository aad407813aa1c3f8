"""Arrow batches from the Python rows of drivers that have no Arrow of their own."""

import datetime as dt
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import pyarrow as pa
from msgspec import Struct

from yarrow.sources.connector.driver import DriverError

BATCH_ROWS = 20_000
MIXED = b"mixed"
"""Marks a column in the schema whose values have several types."""
INT64_END = 2**63
EXACT_INTEGER = 2**53
"""A double has all integers up to it."""
_PYTHON = {
    bool: pa.bool_(),
    float: pa.float64(),
    str: pa.string(),
    bytes: pa.binary(),
    dt.date: pa.date32(),
    dt.datetime: pa.timestamp("us"),
    dt.time: pa.time64("us"),
    dt.timedelta: pa.duration("us"),
}
DECIMALS = frozenset({0, 246})
DECIMAL128_DIGITS = 38
BIGINT, BIT, BIT_LENGTH = 8, 16, 64
BYTES = frozenset({15, *range(249, 256)})
"""Texts and bytes, which differ in their charset, and geometries."""
_MYSQL = {
    **dict.fromkeys((1, 2, 3, 8, 9, 13), pa.int64()),
    **dict.fromkeys((4, 5), pa.float64()),
    **dict.fromkeys((7, 12), pa.timestamp("us")),
    10: pa.date32(),
    11: pa.duration("us"),
}
"""By the numbers of `pymysql.constants.FIELD_TYPE`."""


class ColumnChanged(DriverError):
    """A value does not fit the type of its column."""

    def __init__(self, column: int) -> None:
        super().__init__(f"a value of column {column + 1} does not fit the type of the column")
        self.column = column


def infer_types(width: int, rows: Iterable[Sequence[object]]) -> list[pa.Field]:
    """Fields for the types of all rows; `MIXED` marks columns that are texts for a mixture.

    Reads to the end: a column may be null in its first rows, and have floats after integers.
    """
    kinds: list[set[type]] = [set() for _ in range(width)]
    large: list[int] = [0] * width
    for row in rows:
        for at, value in enumerate(row):
            if value is not None:
                kinds[at].add(type(value))
                if type(value) is int:
                    large[at] = max(large[at], value if value >= 0 else ~value)
    return [_infer_field(at, kinds[at], large[at]) for at in range(width)]


def build_batches(
    fields: Sequence[pa.Field], rows: Iterator[Sequence[object]]
) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
    """The schema and batches of it; reading raises `ColumnChanged` for a value of another type."""
    schema = pa.schema(fields)

    def read_batches() -> Iterator[pa.RecordBatch]:
        while chunk := list(islice(rows, BATCH_ROWS)):
            columns = [
                _build_column([row[at] for row in chunk], field.type, at)
                for at, field in enumerate(fields)
            ]
            yield pa.RecordBatch.from_arrays(columns, schema=schema)

    return schema, read_batches()


def _infer_field(at: int, kinds: set[type], large: int) -> pa.Field:
    """The narrowest type that has all values; null if all are null, text for a mixture."""
    if not kinds:
        return pa.field(str(at), pa.null())
    if kinds == {int} and large < INT64_END:
        return pa.field(str(at), pa.int64())
    if kinds == {int, float} and large <= EXACT_INTEGER:
        return pa.field(str(at), pa.float64())
    if len(kinds) == 1:
        return pa.field(str(at), _PYTHON.get(next(iter(kinds)), pa.string()))
    return pa.field(str(at), pa.string(), metadata={MIXED: b"true"})


class DeclaredType(Struct, frozen=True):
    """A column's type as MySQL declares it, by the numbers of `pymysql.constants.FIELD_TYPE`."""

    code: int
    length: int
    scale: int = 0
    is_unsigned: bool = False
    is_binary: bool = False


def infer_declared(declared: DeclaredType) -> pa.DataType:
    """The type for a column of MySQL; text for all without an equal."""
    code, scale = declared.code, declared.scale
    if code in DECIMALS:
        digits = declared.length - (scale > 0) - (not declared.is_unsigned)
        fits = digits <= DECIMAL128_DIGITS
        return pa.decimal128(DECIMAL128_DIGITS, scale) if fits else pa.decimal256(76, scale)
    if code == BIT:
        return pa.uint64() if declared.length == BIT_LENGTH else pa.int64()
    if code == BIGINT and declared.is_unsigned:
        return pa.uint64()
    if code in BYTES and declared.is_binary:
        return pa.binary()
    return _MYSQL.get(code, pa.string())


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


def _build_column(values: list[object], kind: pa.DataType, at: int) -> pa.Array:
    if pa.types.is_string(kind):
        return pa.array(map(to_text, values), pa.string(), size=len(values))
    if pa.types.is_temporal(kind):  # a date such as 0000-00-00 comes as text
        values = [None if isinstance(value, str) else value for value in values]
    try:
        return pa.array(values, kind)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError, TypeError):
        raise ColumnChanged(at) from None
