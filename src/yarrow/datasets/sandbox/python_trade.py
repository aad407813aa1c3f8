"""The trade of the process that runs Python: pandas, NumPy, Arrow and DuckDB are loaded."""

import builtins
import io
import os
import sys
import traceback
import warnings
from pathlib import Path
from types import TracebackType

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet

from yarrow.datasets.sandbox import duck
from yarrow.datasets.sandbox.arrow_rows import NotExact, exact_rows
from yarrow.datasets.sandbox.channel import Channel
from yarrow.datasets.sandbox.orders import Failed, Made, Ran, RunCode
from yarrow.datasets.sandbox.sanitise import without_own_paths
from yarrow.json_values import JsonObject

OUTPUT = Path("output.parquet")
SOURCE = "<code>"
MAX_FRAMES = 50
ROW_GROUP = 50_000

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


def warm_up() -> None:
    """Have the libraries do once what they do on first use."""
    frame = pd.DataFrame({"k": ["a", "b", "a"], "n": [1, 2, 3], "x": [0.5, np.nan, 1.5]})
    frame.groupby("k", as_index=False).agg({"n": "sum", "x": "mean"}).to_string()
    sink = io.BytesIO()
    pa.parquet.write_table(pa.Table.from_pandas(frame), sink)
    pd.read_parquet(io.BytesIO(sink.getvalue()), use_threads=False)
    pd.to_datetime(pd.Series(["2026-01-01"])).dt.month.sum()
    duckdb.set_default_connection(duck.connect())
    _reader.append(duck.connect())
    pa.set_cpu_count(1)
    pa.set_io_thread_count(1)


def work(channel: Channel) -> None:
    """Piece after piece, in the same names."""
    _forget_the_server()
    np.random.seed(int.from_bytes(os.urandom(4)))
    names: JsonObject = {"__name__": "__main__", "__builtins__": builtins, "pd": pd, "np": np}
    names["duckdb"] = duckdb
    has_dice = False
    for order in channel.orders():
        match order:
            case RunCode():
                if not has_dice and duckdb.__name__ in order.code:
                    # Only now: a statement makes the fork copy three megabytes of the database.
                    duck.shake_dice(duckdb.default_connection())
                    has_dice = True
                _run(order, names, channel)
            case _:
                channel.answer(Failed("this process runs Python only"))


def _forget_the_server() -> None:
    """What was needed to start, and says where the server lies."""
    sys.argv = sys.orig_argv = [""]
    warnings.formatwarning = _warning


def _warning(message: Warning | str, category: type[Warning], *_: object, **__: object) -> str:
    """Without the file, which is a library's."""
    return f"{category.__name__}: {message}\n"


def _run(order: RunCode, names: JsonObject, channel: Channel) -> None:
    said = Said(order.max_stdout)
    error = _execute(order.code, names, said)
    made: Made | None = None
    if error is None and order.output_variable is not None:
        made, error = _output(order, names)
    size = OUTPUT.stat().st_size if made is not None else 0
    channel.answer(Ran(said.text(), error, _frames(names), made, size))
    if made is not None:
        with OUTPUT.open("rb") as file:
            channel.send_file(file)


def _execute(code: str, names: JsonObject, said: "Said") -> str | None:
    """The error the code ended with, if any. Everything it can raise is its own affair."""
    kept = sys.stdout, sys.stderr
    sys.stdout = sys.stderr = said
    try:
        exec(compile(code, SOURCE, "exec"), names)  # noqa: S102
    except BaseException as raised:  # noqa: BLE001
        return _words(raised)
    finally:
        sys.stdout, sys.stderr = kept
    return None


def _words(raised: BaseException) -> str:
    said = _sayable(traceback.format_exception_only(raised)[-1].strip()[:2000])
    line = _line_of(raised.__traceback__)
    return f"{said} (line {line})" if line else said


def _line_of(trace: TracebackType | None) -> int | None:
    """The innermost line of the code itself."""
    frames = traceback.extract_tb(trace)
    lines = [frame.lineno for frame in frames if frame.filename == SOURCE]
    return lines[-1] if lines else None


def _output(order: RunCode, names: JsonObject) -> tuple[Made | None, str | None]:
    name = order.output_variable or ""
    found = names.get(name)
    frames = ", ".join(_frames(names)) or "none"
    if isinstance(found, pd.Series):
        found = found.to_frame()
    if not isinstance(found, pd.DataFrame):
        words = _NOT_A_FRAME if name in names else _NO_OUTPUT
        return None, words.format(name=name, kind=type(found).__name__, frames=frames)
    try:
        table = _arrow(found)
        pa.parquet.write_table(table, OUTPUT, row_group_size=ROW_GROUP)
        if OUTPUT.stat().st_size > order.max_output_bytes:
            return None, _TOO_LARGE.format(limit=order.max_output_bytes)
        return _look_at(table, order), None
    except duckdb.Error:
        return None, _BROKEN
    except (OSError, MemoryError, pa.ArrowException) as error:
        return None, f"{name} cannot be kept: {type(error).__name__}"


def _look_at(table: pa.Table, order: RunCode) -> Made:
    """The first rows as a query of the file gives them; without one, where they are the same."""
    try:
        return exact_rows(table, max_rows=order.max_rows, max_bytes=order.max_bytes)
    except NotExact:
        return duck.look_at(
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
        columns.setdefault(_sayable(name), _column(frame.iloc[:, position]))
    return pa.table(columns)


def _column(series: pd.Series) -> pa.Array:
    try:
        array = pa.array(series, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return _text_column(series)
    if pa.types.is_duration(array.type):
        return pa.array([None if pd.isna(v) else duck.iso_duration(v) for v in series])
    return array if any(fits(array.type) for fits in _KEPT_TYPES) else _text_column(series)


def _text_column(series: pd.Series) -> pa.Array:
    return pa.array([None if _is_missing(v) else _sayable(str(v)) for v in series], pa.string())


def _sayable(text: str) -> str:
    """Without halves of characters, which no encoding has."""
    return text.encode("utf-8", "replace").decode()


def _is_missing(value: object) -> bool:
    return value is None or (np.isscalar(value) and bool(pd.isna(value)))


def _frames(names: JsonObject) -> list[str]:
    found = [
        _sayable(name)
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
        said = without_own_paths(_sayable("".join(self._parts)))
        return said + ("\n… (more was printed)" if self._lost else "")
