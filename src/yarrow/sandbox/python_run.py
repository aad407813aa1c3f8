"""Execute Python in a job, capture its output, and write its result frame as Parquet."""

import io
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, NamedTuple

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet

from yarrow.sandbox import duckdb_session
from yarrow.sandbox.arrow_rows import ArrowDiffers, build_arrow_header
from yarrow.sandbox.channel import CHUNK, JobChannel
from yarrow.sandbox.messages import MAX_FRAMES, FrameHeader, PrintedText, PythonResponse, RunPython
from yarrow.sandbox.query_errors import explain_query_error
from yarrow.sandbox.sanitise import redact_server_paths
from yarrow.sandbox.time_limits import CODE_WORDS, CpuTimeExceeded, IdleTimeExceeded

OUTPUT = Path("output.parquet")
INTERRUPTED_AT = 0.95
"""A program is interrupted at this share of its time; at the end of it, it is killed."""
SOURCE = "<code>"
_TIMERS = (signal.SIGPROF, signal.SIGALRM)
"""Of processor time, and of the clock."""
CHECKS = 8
"""How often a program is looked at in the time that it may wait."""
IDLE_SHARE = 0.005
"""Of a processor, in that time; what uses less is waiting."""
ROW_GROUP = 50_000
SMALL_BYTES = 1024 * 1024

_PARQUET_TYPES = (
    pa.types.is_primitive,
    pa.types.is_decimal,
    pa.types.is_string,
    pa.types.is_large_string,
    pa.types.is_null,
)
_PER_SECOND = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}
"""How many of an Arrow duration's units are a second."""

_NOT_A_FRAME = "{name} is not a DataFrame but {kind}; DataFrames here: {frames}"
_NO_OUTPUT = "the code made no variable {name}; DataFrames here: {frames}"
_BROKEN = "the result cannot be read back"
_TOO_LARGE = "the result has more than {limit} bytes; aggregate or filter it"

_reader: list[duckdb.DuckDBPyConnection] = []
"""A private connection: the code may have changed the settings of the default one."""


def open_reader() -> None:
    """Called before the fork: opening a database takes longer than most jobs."""
    _reader.append(duckdb_session.connect_database())


class ProgramTimedOut(BaseException):
    """The program ran too long. No `Exception`: programs catch those."""

    def __init__(self, error: TimeoutError) -> None:
        super().__init__()
        self.error = error


def execute_code(
    request: RunPython, namespace: dict[str, object], stdout: "StdoutBuffer"
) -> str | None:
    """Run the code; return the error it raised, if any."""
    previous = sys.stdout, sys.stderr
    sys.stdout = sys.stderr = stdout
    try:
        _start_timers(request)
        exec(compile(request.code, SOURCE, "exec"), namespace)  # noqa: S102
    except ProgramTimedOut as up:
        return CODE_WORDS.explain(request, up.error)
    except BaseException as error:  # noqa: BLE001
        return _describe_error(error)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.setitimer(signal.ITIMER_PROF, 0)
        sys.stdout, sys.stderr = previous
        stdout.stop_sending()
    return None


def _start_timers(request: RunPython) -> None:
    signal.signal(signal.SIGPROF, _interrupt_program)
    signal.setitimer(signal.ITIMER_PROF, request.seconds * INTERRUPTED_AT)
    watch = ClockWatch(request)
    signal.signal(signal.SIGALRM, watch.check)
    signal.setitimer(signal.ITIMER_REAL, watch.interval, watch.interval)


def _interrupt_program(_number: int, _frame: object) -> None:
    raise ProgramTimedOut(CpuTimeExceeded())


class ClockWatch:
    """Interrupts a program at its ceiling by the clock, or when it waits too long.

    A program that waits uses less than `IDLE_SHARE` of a processor. One that is able to run gets
    more, however busy the machine is.
    """

    def __init__(self, request: RunPython) -> None:
        self._clock_s, self._idle_s = request.clock_seconds, request.idle_seconds
        limits = [s for s in (self._clock_s * INTERRUPTED_AT, self._idle_s / CHECKS) if s]
        self.interval = min(limits, default=0.0)
        self._start = self._used_at = time.monotonic()
        self._used_s = time.process_time()

    def check(self, _number: int, _frame: object) -> None:
        """Called by the timer; raises `ProgramTimedOut`."""
        now, used_s = time.monotonic(), time.process_time()
        if self._clock_s and now - self._start >= self._clock_s * INTERRUPTED_AT:
            raise ProgramTimedOut(TimeoutError())
        if used_s - self._used_s > self._idle_s * IDLE_SHARE:
            self._used_s, self._used_at = used_s, now
        elif self._idle_s and now - self._used_at >= self._idle_s:
            raise ProgramTimedOut(IdleTimeExceeded(self._idle_s))


def _describe_error(error: BaseException) -> str:
    described = traceback.format_exception_only(error)[-1].strip()
    if isinstance(error, duckdb.Error):
        described = f"SQL: {explain_query_error(str(error))}"
    text = replace_surrogates(described[:2000])
    line = _find_error_line(error.__traceback__)
    return f"{text} (line {line})" if line else text


def _find_error_line(trace: TracebackType | None) -> int | None:
    """The innermost line of the submitted code."""
    frames = traceback.extract_tb(trace)
    lines = [frame.lineno for frame in frames if frame.filename == SOURCE]
    return lines[-1] if lines else None


class FrameOutput(NamedTuple):
    """The requested frame as Parquet, with its header."""

    header: FrameHeader
    parquet: BinaryIO
    size: int

    def chunks(self) -> Iterator[bytes]:
        with self.parquet:
            yield from iter(partial(self.parquet.read, CHUNK), b"")


def send_response(
    channel: JobChannel,
    stdout: "StdoutBuffer",
    error: str | None,
    namespace: dict[str, object],
    output: FrameOutput | None,
) -> None:
    """Send the response, followed by the frame's Parquet if there is one."""
    frames = _list_frame_names(namespace)
    if output is None:
        channel.respond(PythonResponse(stdout.text(), error, frames, None, 0))
    else:
        response = PythonResponse(stdout.text(), error, frames, output.header, output.size)
        channel.respond(response, output.chunks())


def write_output(
    request: RunPython, namespace: dict[str, object]
) -> tuple[FrameOutput | None, str | None]:
    """Write the requested frame, if any, as Parquet; or return an error."""
    if (name := request.output_variable) is None:
        return None, None
    value = namespace.get(name)
    if isinstance(value, pd.Series):
        value = value.to_frame()
    if not isinstance(value, pd.DataFrame):
        message = _NOT_A_FRAME if name in namespace else _NO_OUTPUT
        frames = ", ".join(_list_frame_names(namespace)) or "none"
        return None, message.format(name=name, kind=type(value).__name__, frames=frames)
    try:
        return _write_frame(_to_arrow(value), request)
    except duckdb.Error:
        return None, _BROKEN
    except (OSError, MemoryError, pa.ArrowException) as error:
        return None, f"{name} cannot be kept: {type(error).__name__}"


def _write_frame(table: pa.Table, request: RunPython) -> tuple[FrameOutput | None, str | None]:
    """The first rows are what DuckDB reads from the file. Where Arrow gives the same, the query is
    skipped, and for a small table the file too."""
    header = _build_arrow_header(table, request)
    is_small = header is not None and table.nbytes <= SMALL_BYTES
    parquet = _write_parquet_in_memory(table) if is_small else _write_parquet_file(table)
    size = parquet.seek(0, io.SEEK_END)
    parquet.seek(0)
    if size > request.max_output_bytes:
        return None, _TOO_LARGE.format(limit=request.max_output_bytes)
    return FrameOutput(header or _read_header(table, request), parquet, size), None


def _write_parquet_in_memory(table: pa.Table) -> BinaryIO:
    sink = pa.BufferOutputStream()
    pa.parquet.write_table(table, sink, row_group_size=ROW_GROUP)
    return io.BytesIO(sink.getvalue())


def _write_parquet_file(table: pa.Table) -> BinaryIO:
    with pa.OSFile(str(OUTPUT), "wb") as file:
        pa.parquet.write_table(table, file, row_group_size=ROW_GROUP)
    return OUTPUT.open("rb")


def _build_arrow_header(table: pa.Table, request: RunPython) -> FrameHeader | None:
    try:
        return build_arrow_header(table, max_rows=request.max_rows, max_bytes=request.max_bytes)
    except ArrowDiffers:
        return None


def _read_header(table: pa.Table, request: RunPython) -> FrameHeader:
    return duckdb_session.read_header(
        _reader[0],
        str(OUTPUT),
        row_count=table.num_rows,
        max_rows=request.max_rows,
        max_bytes=request.max_bytes,
    )


def _to_arrow(frame: pd.DataFrame) -> pa.Table:
    """Columns with unique names and types that Parquet has; other values become text."""
    named = [level for level in frame.index.names if level is not None]
    if named and not set(named) & set(frame.columns):
        frame = frame.reset_index()
    columns: dict[str, pa.Array] = {}
    durations: list[str] = []
    for position, label in enumerate(frame.columns):
        joined = " ".join(map(str, label)) if isinstance(label, tuple) else str(label)
        name = replace_surrogates(joined)
        if name in columns:
            continue
        array = _convert_column(frame.iloc[:, position])
        if pa.types.is_duration(array.type):
            durations.append(name)
            array = _to_seconds(array)
        columns[name] = array
    table = pa.table(columns)
    if not durations:
        return table
    seconds = duckdb_session.describe_unit(durations)
    return table.replace_schema_metadata({duckdb_session.SECONDS_KEY: seconds})


def _convert_column(series: pd.Series) -> pa.Array:
    try:
        array = pa.array(series, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return _convert_to_text(series)
    if pa.types.is_duration(array.type):
        return array
    if pa.types.is_floating(array.type):
        # pandas uses NaN for missing numbers; an infinity is no number in JSON either.
        return pc.if_else(pc.is_finite(array), array, None)
    kind = array.type.value_type if pa.types.is_dictionary(array.type) else array.type
    return array if any(fits(kind) for fits in _PARQUET_TYPES) else _convert_to_text(series)


def _to_seconds(durations: pa.Array) -> pa.Array:
    """Not by pandas: `Series.dt` fails for a column of objects that are timedeltas."""
    counts = durations.cast(pa.int64()).cast(pa.float64(), safe=False)
    return pc.divide(counts, _PER_SECOND[durations.type.unit])


def _convert_to_text(series: pd.Series) -> pa.Array:
    texts = [None if _is_missing(value) else replace_surrogates(str(value)) for value in series]
    return pa.array(texts, pa.string())


def replace_surrogates(text: str) -> str:
    """Replace lone surrogates, which UTF-8 cannot encode."""
    return text.encode("utf-8", "replace").decode()


def _is_missing(value: object) -> bool:
    return value is None or (np.isscalar(value) and bool(pd.isna(value)))


def _list_frame_names(namespace: dict[str, object]) -> list[str]:
    names = [
        replace_surrogates(name)
        for name, value in namespace.items()
        if isinstance(value, pd.DataFrame) and not name.startswith("_")
    ]
    return names[:MAX_FRAMES]


def send_printed(channel: JobChannel) -> Callable[[str], None]:
    """A function that sends printed text; the timers wait, they would cut a frame in two."""

    def send_text(text: str) -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, _TIMERS)
        try:
            channel.respond(PrintedText(text))
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _TIMERS)

    return send_text


class StdoutBuffer(io.TextIOBase):
    """Keeps what the code prints, up to a limit, and drops the rest.

    Whole lines are also sent at once: a program that hangs in a library is killed.
    """

    def __init__(self, limit: int, send: Callable[[str], None]) -> None:
        self._parts: list[str] = []
        self._send: Callable[[str], None] | None = send
        self._sent = 0
        self._remaining = limit
        self._truncated = False

    def writable(self) -> bool:
        return True

    def stop_sending(self) -> None:
        """Only keep what is printed from now on: the response follows, with all of it."""
        self._send = None

    def write(self, text: str) -> int:
        if len(text) > self._remaining:
            self._truncated = True
        part = text[: self._remaining]
        if part:
            self._parts.append(part)
            self._remaining -= len(part)
        if "\n" in part and self._send is not None:
            self._send(replace_surrogates("".join(self._parts[self._sent :])))
            self._sent = len(self._parts)
        return len(text)

    def text(self) -> str:
        text = redact_server_paths(replace_surrogates("".join(self._parts)))
        return text + ("\n… (more was printed)" if self._truncated else "")
