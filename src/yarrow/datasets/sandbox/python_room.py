"""A room for Python: a job that stays, and runs plain code of one workspace again and again.

It gives back only what went well. For code that is not plain, or that failed, the server is told
so, and has it run in a process of its own, whose word counts.
"""

import os
import warnings
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from yarrow.datasets.sandbox.channel import Channel
from yarrow.datasets.sandbox.orders import Bring, Failed, Made, RunCode
from yarrow.datasets.sandbox.plain import (
    FILTER,
    PUT,
    READ_TABLE,
    acts,
    plain_builtins,
    read_plain,
)
from yarrow.datasets.sandbox.python_run import Said, answer_with, execute, output_of
from yarrow.json_values import JsonObject

_ELSEWHERE = Failed("this is for a process of its own")
_FOLDER, _SUFFIX = "data/", ".parquet"
KEPT_BYTES = 8 * 1024 * 1024
"""Of a table in memory; larger ones are read for each order."""
_LABELLED = (pd.DataFrame, pd.Series, pd.Index)


class NotHere(BaseException):
    """Only a process of its own can do this; no `except` of the code catches it."""


class _Table:
    """A table that was brought. Arrow's memory is never written to, so one that is small is read
    once for all orders; each gets a frame of its own."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        table = self._read()
        self._kept = table if table.nbytes <= KEPT_BYTES else None

    def frame(self, columns: Sequence[str] | None) -> pd.DataFrame:
        """As `pd.read_parquet` makes it."""
        table = self._kept or self._read()
        return pd.DataFrame.from_arrow(table if columns is None else table.select(columns))

    def _read(self) -> pa.Table:
        return pq.ParquetFile(pa.BufferReader(self._data)).read(use_threads=False)


class _Tables:
    """`pd.read_parquet`, for the tables of one order."""

    def __init__(self, tables: Mapping[str, _Table]) -> None:
        self._tables = tables

    def __call__(self, path: str, *, columns: Sequence[str] | None = None) -> pd.DataFrame:
        place = path.removeprefix("./") if isinstance(path, str) else ""
        name = place.removeprefix(_FOLDER).removesuffix(_SUFFIX)
        if place != f"{_FOLDER}{name}{_SUFFIX}" or name not in self._tables:
            raise NotHere
        return self._tables[name].frame(columns)


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
                channel.answer(_ELSEWHERE)


def _run(order: RunCode, tables: Mapping[str, _Table], channel: Channel) -> None:
    tree = read_plain(order.code)
    if tree is None:
        channel.answer(_ELSEWHERE)
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
    with warnings.catch_warnings():
        error = execute(tree, names, said)
    made: Made | None = None
    if error is None and order.output_variable is not None:
        made, error = output_of(order, names)
    if error is None:
        answer_with(channel, said, None, names, made)
    else:
        channel.answer(_ELSEWHERE)


def _close_doors() -> None:
    """What plain code may not name, it may not reach by a text either."""
    for kind in _LABELLED:
        for name in filter(acts, dir(kind)):
            setattr(kind, name, _refuse)


def _refuse(*_: object, **__: object) -> None:
    raise NotHere


_query, _eval = pd.DataFrame.query, pd.DataFrame.eval


def _filter(frame: object, wanted: str) -> object:
    """`frame.query("amount > 10")`: a comparison, which was looked at before."""
    if not isinstance(frame, pd.DataFrame):
        raise NotHere
    pd.DataFrame.eval = _eval
    try:
        return _query(frame, wanted)
    finally:
        pd.DataFrame.eval = _refuse


def _put(labelled: object, label: str, value: object) -> None:
    """`frame.columns = …`, of a frame and not of the class of all frames."""
    if not isinstance(labelled, _LABELLED):
        raise NotHere
    setattr(labelled, label, value)
