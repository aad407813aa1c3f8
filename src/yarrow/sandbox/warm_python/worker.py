"""A room for Python: a job that stays, and runs plain code of one workspace again and again.

It gives back only what went well. For code that is not plain, or that failed, the server is told
so, and has it run in a process of its own, whose word counts.
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

from yarrow.kit.json import JsonObject
from yarrow.sandbox.channel import Channel
from yarrow.sandbox.protocol import ELSEWHERE, Bring, RunCode
from yarrow.sandbox.python_run import SOURCE, Output, Said, answer_with, execute, output_of
from yarrow.sandbox.warm_python.plain import (
    FILTER,
    PUT,
    READ_TABLE,
    acts,
    is_inner,
    plain_builtins,
    read_plain,
)

_FOLDER, _SUFFIX = "data/", ".parquet"
KEPT_PROGRAMS = 64
KEPT_BYTES = 8 * 1024 * 1024
"""Of a table in memory; larger ones are read for each order."""
_BY_TEXT = {"agg", "aggregate", "apply", "transform"}
"""Methods that take names of methods."""
_LABELLED = (pd.DataFrame, pd.Series, pd.Index)


_missed: list[bool] = []


class NotHere(BaseException):
    """Only a process of its own can do this. Noted, should the code go on all the same."""

    def __init__(self) -> None:
        super().__init__()
        _missed.append(True)


class _Table:
    """A table that was brought. One that is small is read once for all orders, and each gets a
    frame of its own: a copy, or one made of Arrow's memory, which is never written to."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        table = self._read()
        is_small = table.nbytes <= KEPT_BYTES
        self._kept = table if is_small else None
        self._frame = _copied_whole(pd.DataFrame.from_arrow(table)) if is_small else None

    def frame(self, columns: Sequence[str] | None) -> pd.DataFrame:
        """As `pd.read_parquet` makes it."""
        if columns is None and self._frame is not None:
            copied = self._frame.copy()
            copied.index = pd.RangeIndex(len(copied))  # the copy shares its rows' labels
            return copied
        table = self._read() if self._kept is None else self._kept
        if columns is None:
            return pd.DataFrame.from_arrow(table)
        if not all(column in table.column_names for column in columns):
            raise NotHere
        return pd.DataFrame.from_arrow(table.select(columns))

    def _read(self) -> pa.Table:
        return pq.ParquetFile(pa.BufferReader(self._data)).read(use_threads=False)


def _copied_whole(frame: pd.DataFrame) -> pd.DataFrame | None:
    """The frame, if a copy of it shares nothing that can be changed: a list in a cell can be."""
    is_simple = all(
        isinstance(kind, pd.StringDtype) or getattr(kind, "kind", "O") in "biufM"
        for kind in frame.dtypes
    )
    has_usual_rows = frame.index.identical(pd.RangeIndex(len(frame)))
    return frame if is_simple and has_usual_rows else None


class _Tables:
    """`pd.read_parquet`, for the tables of one order."""

    def __init__(self, tables: Mapping[str, _Table]) -> None:
        self._tables = tables

    def __call__(self, *given: object, **named: object) -> pd.DataFrame:
        match given, named:
            case (str(path),), {"columns": list(columns)} if len(named) == 1:
                return self._table(path).frame(columns)
            case (str(path),), {} if not named:
                return self._table(path).frame(None)
            case _:
                raise NotHere

    def _table(self, path: str) -> _Table:
        place = path.removeprefix("./")
        name = place.removeprefix(_FOLDER).removesuffix(_SUFFIX)
        if place != f"{_FOLDER}{name}{_SUFFIX}" or name not in self._tables:
            raise NotHere
        return self._tables[name]


def stay(channel: Channel) -> None:
    """One order after the other, each in names of its own."""
    _close_doors()
    files: dict[str, _Table] = {}
    for order in channel.orders():
        match order:
            case Bring(file, size):
                files[file] = _Table(channel.receive(size))
            case RunCode():
                _run(order, {name: files[file] for name, file in order.tables.items()}, channel)
            case _:
                channel.answer(ELSEWHERE)


@lru_cache(KEPT_PROGRAMS)
def _program(code: str) -> CodeType | None:
    """What is asked for once is often asked for again."""
    tree = read_plain(code)
    return None if tree is None else compile(tree, SOURCE, "exec")


def _run(order: RunCode, tables: Mapping[str, _Table], channel: Channel) -> None:
    program = _program(order.code)
    if program is None:
        channel.answer(ELSEWHERE)
        return
    np.random.seed(int.from_bytes(os.urandom(4)))
    said = Said(order.max_stdout)
    names: JsonObject = {
        "__name__": "__main__",
        "__builtins__": plain_builtins(),
        READ_TABLE: _Tables(tables),
        PUT: _put,
        FILTER: _filter,
        "pd": pd,
        "np": np,
    }
    _missed.clear()
    with warnings.catch_warnings():
        error = execute(program, names, said)
    output: Output | None = None
    if error is None:
        output, error = output_of(order, names)
    if error is None and not _missed:
        answer_with(channel, said, None, names, output)
    else:
        channel.answer(ELSEWHERE)
    names.clear()  # a function holds on to its names, and they to it


def _close_doors() -> None:
    """What plain code may not name, it may not reach by a text either."""
    for kind in _LABELLED:
        for name in filter(acts, dir(kind)):
            setattr(kind, name, _refuse)
    for kind in filter(_is_kind, (pd.DataFrame, pd.Series, *vars(pd.api.typing).values())):
        for name in filter(partial(hasattr, kind), _BY_TEXT):
            setattr(kind, name, _with_fit_names(getattr(kind, name)))
    for labelled in (pd.DataFrame, pd.Series):
        labelled.__getattr__ = _without_inner_labels(labelled.__getattr__)


def _is_kind(value: object) -> bool:
    return isinstance(value, type)


def _without_inner_labels(
    get: Callable[[object, str], object],
) -> Callable[[object, str], object]:
    """A row's label is an attribute too, and NumPy takes one named `__array_interface__` for the
    address of memory."""

    @wraps(get)
    def found(labelled: object, name: str) -> object:
        value = get(labelled, name)
        if name.startswith("__"):
            raise NotHere
        return value

    return found


def _with_fit_names(method: Callable[..., object]) -> Callable[..., object]:
    """The method, if it is given no name of what plain code may not use."""

    @wraps(method)
    def asked(*given: object, **named: object) -> object:
        if any(map(is_inner, _texts((given[1:], named)))):
            raise NotHere
        return method(*given, **named)

    return asked


def _texts(given: object) -> Iterator[str]:
    """All texts in what a method is given."""
    match given:
        case str():
            yield given
        case list() | tuple():
            for item in given:
                yield from _texts(item)
        case dict():
            yield from _texts([*given.values()])


def _refuse(*_: object, **__: object) -> None:
    raise NotHere


_eval = pd.DataFrame.eval


def _filter(frame: object, wanted: str) -> object:
    """`frame.query("amount > 10")`: a comparison, which was looked at before.

    The method itself stays closed meanwhile: a comparison can call back into the code.
    """
    if not isinstance(frame, pd.DataFrame) or frame.columns.has_duplicates:
        raise NotHere
    chosen = _eval(frame, wanted)
    try:
        return frame.loc[chosen]
    except ValueError:
        return frame[chosen]


def _put(value: object, labelled: object, label: str) -> None:
    """`frame.columns = …`, of a frame and not of the class of all frames."""
    if not isinstance(labelled, _LABELLED):
        raise NotHere
    setattr(labelled, label, value)
