"""Write Arrow batches to a Parquet file in constant memory, in types that tables have."""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from typing import BinaryIO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from msgspec import Struct

from yarrow.kit.notes import CodedNote, write_note
from yarrow.sandbox.table_notes import Sentence
from yarrow.sources.connector.driver import BatchStream
from yarrow.sources.connector.messages import ConnectorColumn, ConnectorLimits

GROUP_ROWS = 128 * 1024
GROUP_BYTES = 16 * 1024 * 1024
EXACT_DIGITS = 15
"""Decimal digits that a double keeps."""
DAY_S = 86_400
CUT_BY_ROWS = "rows"
CUT_BY_BYTES = "bytes"

Convert = Callable[[pa.Array], pa.Array]


class WrittenResult(Struct, frozen=True):
    """What was written, and why it is not all, if it is not."""

    columns: Sequence[ConnectorColumn]
    rows: int
    cut: str
    notes: Sequence[CodedNote]


class _PlainColumn(Struct, frozen=True):
    name: str
    type: pa.DataType
    label: str
    convert: Convert


class ResultWriter:
    """Collects batches to row groups; a result beyond the limits is cut, and says so."""

    def __init__(self, file: BinaryIO, stream: BatchStream, limits: ConnectorLimits) -> None:
        self._stream, self._limits = stream, limits
        self._inexact: set[str] = set()
        self._infinite: Counter[str] = Counter()
        names = number_names(stream.names)
        self._columns = [
            self._plan_column(name, field) for name, field in zip(names, stream.schema, strict=True)
        ]
        self._schema = pa.schema([(column.name, column.type) for column in self._columns])
        self._file = pa.PythonFile(file, mode="w")
        self._rows = 0

    def write(self) -> WrittenResult:
        cut = ""
        pending: list[pa.RecordBatch] = []
        with pq.ParquetWriter(self._file, self._schema, compression="zstd") as writer:
            for batch in self._stream.batches:
                rest = self._limits.rows - self._rows
                if batch.num_rows > rest:
                    cut = CUT_BY_ROWS
                plain = self._convert_batch(batch.slice(0, rest))
                self._rows += plain.num_rows
                pending.append(plain)
                if _is_group(pending):
                    writer.write_table(pa.Table.from_batches(pending, self._schema))
                    pending.clear()
                if not cut and self._file.tell() > self._limits.bytes:
                    cut = CUT_BY_BYTES
                if cut:
                    break
            if pending:
                writer.write_table(pa.Table.from_batches(pending, self._schema))
        labels = [ConnectorColumn(column.name, column.label) for column in self._columns]
        notes = [*self._stream.notes, *self._note_inexact(), *self._note_infinite()]
        return WrittenResult(labels, self._rows, cut, notes)

    def _convert_batch(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        arrays = [
            self._remove_infinite(column.name, column.convert(array))
            for column, array in zip(self._columns, batch.columns, strict=True)
        ]
        return pa.RecordBatch.from_arrays(arrays, schema=self._schema)

    def _remove_infinite(self, name: str, array: pa.Array) -> pa.Array:
        """NaN and infinities as null: DuckDB sorts NaN as the largest number."""
        if not pa.types.is_floating(array.type):
            return array
        is_finite = pc.is_finite(array)
        count = pc.sum(pc.invert(is_finite)).as_py()
        if not count:
            return array
        self._infinite[name] += count
        return pc.if_else(is_finite, array, None)

    def _note_infinite(self) -> list[CodedNote]:
        return [
            write_note(Sentence.INFINITE_VALUES, name=name, count=count)
            for name, count in self._infinite.items()
        ]

    def _note_inexact(self) -> list[CodedNote]:
        if not self._inexact:
            return []
        return [write_note(Sentence.ROUNDED, digits=EXACT_DIGITS, names=[*sorted(self._inexact)])]

    def _plan_column(self, name: str, field: pa.Field) -> _PlainColumn:
        kind = field.type
        if _is_numeric_text(field):
            return _PlainColumn(name, pa.float64(), "number", lambda a: self._to_double(name, a))
        if isinstance(kind, pa.BaseExtensionType):
            kind = kind.storage_type if not isinstance(kind, pa.UuidType) else pa.string()
        if pa.types.is_decimal256(kind):
            return _PlainColumn(
                name, pa.float64(), "number", lambda a: self._round_decimals(name, a)
            )
        plain = _choose_plain_type(kind)
        if plain is not None:
            return _PlainColumn(name, plain, _name_type(plain), lambda a: _cast_array(a, plain))
        if pa.types.is_duration(kind) or pa.types.is_interval(kind):
            self._stream.notes.append(write_note(Sentence.INTERVAL, name=name))
            return _PlainColumn(name, pa.float64(), "number", _to_seconds)
        if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
            return _PlainColumn(name, pa.string(), "string", _to_hex)
        return _PlainColumn(name, pa.string(), "string", _to_json)

    def _to_double(self, name: str, array: pa.Array) -> pa.Array:
        text = array.storage if isinstance(array, pa.ExtensionArray) else array
        self._count_digits(name, text)
        return pc.cast(text, pa.float64())

    def _round_decimals(self, name: str, array: pa.Array) -> pa.Array:
        self._count_digits(name, array.cast(pa.string()))
        return array.cast(pa.float64(), safe=False)

    def _count_digits(self, name: str, text: pa.Array) -> None:
        digits = pc.utf8_length(pc.replace_substring_regex(text, r"^[-0.]+|[0.]+$|[^0-9]", ""))
        if pc.any(pc.greater(digits, EXACT_DIGITS)).as_py():
            self._inexact.add(name)


def number_names(names: Sequence[str]) -> list[str]:
    """Names that are not empty and differ, ignoring case: `a`, `a_2`, `a_3`."""
    taken: set[str] = set()
    unique: list[str] = []
    for position, name in enumerate(names, start=1):
        wanted = name.replace("\0", "").strip() or f"column_{position}"
        candidate, number = wanted, 2
        while candidate.casefold() in taken:
            candidate, number = f"{wanted}_{number}", number + 1
        taken.add(candidate.casefold())
        unique.append(candidate)
    return unique


def _is_group(batches: Sequence[pa.RecordBatch]) -> bool:
    rows, size = sum(batch.num_rows for batch in batches), sum(batch.nbytes for batch in batches)
    return bool(rows >= GROUP_ROWS or size >= GROUP_BYTES)


def _is_numeric_text(field: pa.Field) -> bool:
    return bool(isinstance(field.type, pa.OpaqueType) and field.type.type_name == "numeric")


def _choose_plain_type(kind: pa.DataType) -> pa.DataType | None:
    types = pa.types
    if types.is_null(kind) or types.is_string(kind) or types.is_large_string(kind):
        return pa.string()
    if types.is_dictionary(kind):
        return _choose_plain_type(kind.value_type)
    if types.is_boolean(kind) or types.is_integer(kind) or types.is_date32(kind):
        return kind
    if types.is_floating(kind):
        return pa.float64()
    if types.is_decimal(kind):
        return kind if types.is_decimal128(kind) else pa.float64()
    if types.is_date64(kind):
        return pa.date32()
    if types.is_timestamp(kind):
        return pa.timestamp("us", tz="UTC" if kind.tz else None)
    return pa.time64("us") if types.is_time(kind) else None


def _name_type(kind: pa.DataType) -> str:
    types = pa.types
    if types.is_boolean(kind):
        return "boolean"
    if types.is_integer(kind):
        return "integer"
    if types.is_floating(kind) or types.is_decimal(kind):
        return "number"
    if types.is_date(kind):
        return "date"
    if types.is_timestamp(kind):
        return "datetime"
    return "time" if types.is_time(kind) else "string"


def _cast_array(array: pa.Array, kind: pa.DataType) -> pa.Array:
    if isinstance(array, pa.ExtensionArray):
        if isinstance(array.type, pa.UuidType):
            return pa.array([None if v is None else str(v) for v in array.to_pylist()], kind)
        array = array.storage
    return array if array.type == kind else array.cast(kind, safe=False)


def _to_seconds(array: pa.Array) -> pa.Array:
    """A month has 30 days, as PostgreSQL counts them."""
    if pa.types.is_interval(array.type):
        values = [
            None if v is None else (v.months * 30 + v.days) * DAY_S + v.nanoseconds / 1e9
            for v in array.to_pylist()
        ]
        return pa.array(values, pa.float64())
    microseconds = array.cast(pa.duration("us"), safe=False).cast(pa.int64())
    return pc.divide(microseconds.cast(pa.float64()), 1e6)


def _to_hex(array: pa.Array) -> pa.Array:
    return pa.array([None if v is None else v.hex() for v in array.to_pylist()], pa.string())


def _to_json(array: pa.Array) -> pa.Array:
    values = (array.storage if isinstance(array, pa.ExtensionArray) else array).to_pylist()
    return pa.array(
        [None if v is None else json.dumps(v, ensure_ascii=False, default=str) for v in values],
        pa.string(),
    )
