"""Job side: a process that runs allowed programs of one workspace, one after the other.

Answers `NEEDS_FRESH_PROCESS` for a program that is not on the allow-list or that failed.
"""

import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial, wraps
from types import CodeType

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from yarrow.sandbox.channel import JobChannel
from yarrow.sandbox.protocol import NEEDS_FRESH_PROCESS, LoadTable, RunPython
from yarrow.sandbox.python_run import (
    SOURCE,
    TIMED_OUT,
    FrameOutput,
    StdoutBuffer,
    execute,
    respond,
    send_printed,
    write_output,
)
from yarrow.sandbox.warm_python.allow_list import (
    FILTER_ROWS,
    READ_TABLE,
    SET_LABEL,
    allowed_builtins,
    has_side_effects,
    is_internal_name,
    parse_allowed,
)

_FOLDER, _SUFFIX = "data/", ".parquet"
CACHED_PROGRAMS = 64
CACHED_BYTES = 8 * 1024 * 1024
"""Of a table in memory; larger ones are read from their Parquet for each request."""
_METHODS_BY_NAME = {"agg", "aggregate", "apply", "transform"}
"""Methods of pandas that accept names of methods as strings."""
_LABELLED = (pd.DataFrame, pd.Series, pd.Index)


_refusals: list[bool] = []


class NeedsFreshProcess(BaseException):
    """Only a fresh process can do this. Also recorded, in case the program catches it."""

    def __init__(self) -> None:
        super().__init__()
        _refusals.append(True)


class _CachedTable:
    """A table that was sent to this worker.

    A small one is decoded once. Each request gets a frame of its own: a copy, or one that wraps
    Arrow's immutable memory.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        table = self._read()
        is_small = table.nbytes <= CACHED_BYTES
        self._cached = table if is_small else None
        self._frame = _if_copyable(pd.DataFrame.from_arrow(table)) if is_small else None

    def frame(self, columns: Sequence[str] | None) -> pd.DataFrame:
        """The frame that `pd.read_parquet` would return."""
        if columns is None and self._frame is not None:
            copy = self._frame.copy()
            copy.index = pd.RangeIndex(len(copy))  # `copy` shares the index
            return copy
        table = self._read() if self._cached is None else self._cached
        if columns is None:
            return pd.DataFrame.from_arrow(table)
        if not all(column in table.column_names for column in columns):
            raise NeedsFreshProcess
        return pd.DataFrame.from_arrow(table.select(columns))

    def _read(self) -> pa.Table:
        return pq.ParquetFile(pa.BufferReader(self._data)).read(use_threads=False)


def _if_copyable(frame: pd.DataFrame) -> pd.DataFrame | None:
    """The frame, if its copy shares no mutable value with it, such as a list in a cell."""
    is_simple = all(
        isinstance(kind, pd.StringDtype) or getattr(kind, "kind", "O") in "biufM"
        for kind in frame.dtypes
    )
    has_default_index = frame.index.identical(pd.RangeIndex(len(frame)))
    return frame if is_simple and has_default_index else None


class _ReadTable:
    """Stands in for `pd.read_parquet`, for the tables of one request."""

    def __init__(self, tables: Mapping[str, _CachedTable]) -> None:
        self._tables = tables

    def __call__(self, *args: object, **kwargs: object) -> pd.DataFrame:
        match args, kwargs:
            case (str(path),), {"columns": list(columns)} if len(kwargs) == 1:
                return self._table(path).frame(columns)
            case (str(path),), {} if not kwargs:
                return self._table(path).frame(None)
            case _:
                raise NeedsFreshProcess

    def _table(self, path: str) -> _CachedTable:
        relative = path.removeprefix("./")
        name = relative.removeprefix(_FOLDER).removesuffix(_SUFFIX)
        if relative != f"{_FOLDER}{name}{_SUFFIX}" or name not in self._tables:
            raise NeedsFreshProcess
        return self._tables[name]


def serve(channel: JobChannel) -> None:
    """Answer requests, each in a namespace of its own, until the server closes the socket."""
    _patch_pandas()
    loaded: dict[str, _CachedTable] = {}
    for request in channel.requests():
        match request:
            case LoadTable(path, size):
                loaded[path] = _CachedTable(channel.receive(size))
            case RunPython():
                _run(request, {name: loaded[at] for name, at in request.tables.items()}, channel)
            case _:
                channel.respond(NEEDS_FRESH_PROCESS)


@lru_cache(CACHED_PROGRAMS)
def _compile(code: str) -> CodeType | None:
    tree = parse_allowed(code)
    return None if tree is None else compile(tree, SOURCE, "exec")


def _run(request: RunPython, tables: Mapping[str, _CachedTable], channel: JobChannel) -> None:
    program = _compile(request.code)
    if program is None:
        channel.respond(NEEDS_FRESH_PROCESS)
        return
    np.random.seed(int.from_bytes(os.urandom(4)))
    stdout = StdoutBuffer(request.max_stdout, send_printed(channel))
    namespace: dict[str, object] = {
        "__name__": "__main__",
        "__builtins__": allowed_builtins(),
        READ_TABLE: _ReadTable(tables),
        SET_LABEL: _set_label,
        FILTER_ROWS: _filter_rows,
        "pd": pd,
        "np": np,
    }
    _refusals.clear()
    with warnings.catch_warnings():
        error = execute(program, namespace, stdout, max_ms=request.max_ms)
    output: FrameOutput | None = None
    if error is None:
        output, error = write_output(request, namespace)
    is_over = error is None or error.startswith(TIMED_OUT)
    if is_over and not _refusals:
        respond(channel, stdout, error, namespace, output)
    else:
        channel.respond(NEEDS_FRESH_PROCESS)
    namespace.clear()  # functions in it refer to it: a cycle that would keep its frames


def _patch_pandas() -> None:
    """Refuse, when called by a string, the methods that the allow-list refuses by name."""
    for kind in _LABELLED:
        for name in filter(has_side_effects, dir(kind)):
            setattr(kind, name, _refuse)
    for kind in filter(_is_class, (pd.DataFrame, pd.Series, *vars(pd.api.typing).values())):
        for name in filter(partial(hasattr, kind), _METHODS_BY_NAME):
            setattr(kind, name, _check_names(getattr(kind, name)))
    for labelled in (pd.DataFrame, pd.Series):
        labelled.__getattr__ = _refuse_dunder_labels(labelled.__getattr__)


def _is_class(value: object) -> bool:
    return isinstance(value, type)


def _refuse_dunder_labels(
    get: Callable[[object, str], object],
) -> Callable[[object, str], object]:
    """A row's label is an attribute too, and NumPy reads memory at the address that one named
    `__array_interface__` gives."""

    @wraps(get)
    def checked_get(labelled: object, name: str) -> object:
        value = get(labelled, name)
        if name.startswith("__"):
            raise NeedsFreshProcess
        return value

    return checked_get


def _check_names(method: Callable[..., object]) -> Callable[..., object]:
    """The method, refusing strings that name internals."""

    @wraps(method)
    def checked_method(*args: object, **kwargs: object) -> object:
        if any(map(is_internal_name, _strings((args[1:], kwargs)))):
            raise NeedsFreshProcess
        return method(*args, **kwargs)

    return checked_method


def _strings(value: object) -> Iterator[str]:
    """All strings in nested arguments."""
    match value:
        case str():
            yield value
        case list() | tuple():
            for item in value:
                yield from _strings(item)
        case dict():
            yield from _strings([*value.values()])


def _refuse(*_: object, **__: object) -> None:
    raise NeedsFreshProcess


_eval = pd.DataFrame.eval


def _filter_rows(frame: object, condition: str) -> object:
    """`frame.query("amount > 10")`, for a condition that the allow-list checked.

    The method `query` itself stays patched: a comparison can call back into the program.
    """
    if not isinstance(frame, pd.DataFrame) or frame.columns.has_duplicates:
        raise NeedsFreshProcess
    selected = _eval(frame, condition)
    try:
        return frame.loc[selected]
    except ValueError:
        return frame[selected]


def _set_label(value: object, labelled: object, label: str) -> None:
    """`frame.columns = …`, for instances and not for the class."""
    if not isinstance(labelled, _LABELLED):
        raise NeedsFreshProcess
    setattr(labelled, label, value)
