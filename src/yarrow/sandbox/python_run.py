"""Running Python, and what it put out: a frame as Parquet with its first rows, words."""

import io
import sys
import traceback
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import CodeType, TracebackType
from typing import BinaryIO, NamedTuple

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet

from yarrow.kit.json import JsonObject
from yarrow.sandbox import duckdb_session
from yarrow.sandbox.arrow_rows import NotExact, exact_rows
from yarrow.sandbox.channel import CHUNK, Channel
from yarrow.sandbox.protocol import MAX_FRAMES, Made, Ran, RunCode
from yarrow.sandbox.sanitise import without_own_paths

OUTPUT = Path("output.parquet")
SOURCE = "<code>"
ROW_GROUP = 50_000
SMALL_BYTES = 1024 * 1024

_KEPT_TYPES = (
    pa.types.is_primitive,
    pa.types.is_decimal,
    pa.types.is_dictionary,
    pa.types.is_string,
    pa.types.is_large_string,
    pa.types.is_null,
)

_NOT_A_FRAME = "{name} is not a DataFrame but {kind}; DataFrames here: {frames}"
_NO_OUTPUT = "the code made no variable {name}; DataFrames here: {frames}"
_BROKEN = "the result cannot be read back"
_TOO_LARGE = "the result has more than {limit} bytes; aggregate or filter it"

_reader: list[duckdb.DuckDBPyConnection] = []
"""A database of our own: foreign code may have set the default one otherwise."""


def open_reader() -> None:
    """Before the fork: opening a database takes longer than most jobs."""
    _reader.append(duckdb_session.connect())


def execute(code: str | CodeType, names: JsonObject, said: "Said") -> str | None:
    """The error the code ended with, if any. Everything it can raise is its own affair."""
    kept = sys.stdout, sys.stderr
    sys.stdout = sys.stderr = said
    try:
        exec(compile(code, SOURCE, "exec") if isinstance(code, str) else code, names)  # noqa: S102
    except BaseException as raised:  # noqa: BLE001
        return _words(raised)
    finally:
        sys.stdout, sys.stderr = kept
    return None


def _words(raised: BaseException) -> str:
    said = sayable(traceback.format_exception_only(raised)[-1].strip()[:2000])
    line = _line_of(raised.__traceback__)
    return f"{said} (line {line})" if line else said


def _line_of(trace: TracebackType | None) -> int | None:
    """The innermost line of the code itself."""
    frames = traceback.extract_tb(trace)
    lines = [frame.lineno for frame in frames if frame.filename == SOURCE]
    return lines[-1] if lines else None


class Output(NamedTuple):
    """The frame asked for: what is told of it, and its Parquet."""

    made: Made
    parquet: BinaryIO
    size: int

    def chunks(self) -> Iterator[bytes]:
        with self.parquet:
            yield from iter(partial(self.parquet.read, CHUNK), b"")


def answer_with(
    channel: Channel, said: "Said", error: str | None, names: JsonObject, output: Output | None
) -> None:
    """Tell what was done; the frame's Parquet follows."""
    if output is None:
        channel.answer(Ran(said.text(), error, _frames(names), None, 0))
    else:
        ran = Ran(said.text(), error, _frames(names), output.made, output.size)
        channel.answer(ran, output.chunks())


def output_of(order: RunCode, names: JsonObject) -> tuple[Output | None, str | None]:
    """The frame asked for, if one is, written as Parquet; or what is wrong with it."""
    if (name := order.output_variable) is None:
        return None, None
    found = names.get(name)
    if isinstance(found, pd.Series):
        found = found.to_frame()
    if not isinstance(found, pd.DataFrame):
        words = _NOT_A_FRAME if name in names else _NO_OUTPUT
        frames = ", ".join(_frames(names)) or "none"
        return None, words.format(name=name, kind=type(found).__name__, frames=frames)
    try:
        return _put_out(_arrow(found), order)
    except duckdb.Error:
        return None, _BROKEN
    except (OSError, MemoryError, pa.ArrowException) as error:
        return None, f"{name} cannot be kept: {type(error).__name__}"


def _put_out(table: pa.Table, order: RunCode) -> tuple[Output | None, str | None]:
    """The first rows are those that a query of the file gives; it is spared where they are the
    same, and the file with it if it would be small."""
    made = _told_exactly(table, order)
    is_small = made is not None and table.nbytes <= SMALL_BYTES
    parquet = _in_memory(table) if is_small else _in_file(table)
    size = parquet.seek(0, io.SEEK_END)
    parquet.seek(0)
    if size > order.max_output_bytes:
        return None, _TOO_LARGE.format(limit=order.max_output_bytes)
    return Output(made or _told_by_query(table, order), parquet, size), None


def _in_memory(table: pa.Table) -> BinaryIO:
    sink = pa.BufferOutputStream()
    pa.parquet.write_table(table, sink, row_group_size=ROW_GROUP)
    return io.BytesIO(sink.getvalue())


def _in_file(table: pa.Table) -> BinaryIO:
    with pa.OSFile(str(OUTPUT), "wb") as file:
        pa.parquet.write_table(table, file, row_group_size=ROW_GROUP)
    return OUTPUT.open("rb")


def _told_exactly(table: pa.Table, order: RunCode) -> Made | None:
    try:
        return exact_rows(table, max_rows=order.max_rows, max_bytes=order.max_bytes)
    except NotExact:
        return None


def _told_by_query(table: pa.Table, order: RunCode) -> Made:
    return duckdb_session.look_at(
        _reader[0],
        str(OUTPUT),
        row_count=table.num_rows,
        max_rows=order.max_rows,
        max_bytes=order.max_bytes,
    )


def _arrow(frame: pd.DataFrame) -> pa.Table:
    """Columns with names of their own and types that Parquet has; the rest becomes text."""
    named = [level for level in frame.index.names if level is not None]
    if named and not set(named) & set(frame.columns):
        frame = frame.reset_index()
    columns: dict[str, pa.Array] = {}
    for position, label in enumerate(frame.columns):
        name = " ".join(map(str, label)) if isinstance(label, tuple) else str(label)
        columns.setdefault(sayable(name), _column(frame.iloc[:, position]))
    return pa.table(columns)


def _column(series: pd.Series) -> pa.Array:
    try:
        array = pa.array(series, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return _text_column(series)
    if pa.types.is_duration(array.type):
        return pa.array([None if pd.isna(v) else duckdb_session.iso_duration(v) for v in series])
    if pa.types.is_floating(array.type):
        # pandas has no other word for a missing number than NaN; an infinity is none either.
        return pc.if_else(pc.is_finite(array), array, None)
    return array if any(fits(array.type) for fits in _KEPT_TYPES) else _text_column(series)


def _text_column(series: pd.Series) -> pa.Array:
    return pa.array([None if _is_missing(v) else sayable(str(v)) for v in series], pa.string())


def sayable(text: str) -> str:
    """Without halves of characters, which no encoding has."""
    return text.encode("utf-8", "replace").decode()


def _is_missing(value: object) -> bool:
    return value is None or (np.isscalar(value) and bool(pd.isna(value)))


def _frames(names: JsonObject) -> list[str]:
    found = [
        sayable(name)
        for name, value in names.items()
        if isinstance(value, pd.DataFrame) and not name.startswith("_")
    ]
    return found[:MAX_FRAMES]


class Said(io.TextIOBase):
    """What the code prints, up to a limit; the rest is not even kept in memory."""

    def __init__(self, limit: int) -> None:
        self._parts: list[str] = []
        self._left = limit
        self._lost = False

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if len(text) > self._left:
            self._lost = True
        kept = text[: self._left]
        if kept:
            self._parts.append(kept)
            self._left -= len(kept)
        return len(text)

    def text(self) -> str:
        said = without_own_paths(sayable("".join(self._parts)))
        return said + ("\n… (more was printed)" if self._lost else "")
