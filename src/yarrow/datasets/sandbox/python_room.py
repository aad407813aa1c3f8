"""A room for Python: a job that stays, and runs plain code of one workspace again and again.

It gives back only what went well. For code that is not plain, or that failed, the server is told
so, and has it run in a process of its own, whose word counts.
"""

import io
import os
import warnings
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from yarrow.datasets.sandbox.channel import Channel
from yarrow.datasets.sandbox.orders import Bring, Failed, Made, RunCode
from yarrow.datasets.sandbox.plain import PUT, READ_TABLE, plain_builtins, read_plain
from yarrow.datasets.sandbox.python_run import Said, answer_with, execute, output_of
from yarrow.json_values import JsonObject

_ELSEWHERE = Failed("this is for a process of its own")
_FOLDER, _SUFFIX = "data/", ".parquet"
_LABELLED = (pd.DataFrame, pd.Series, pd.Index)


class NotHere(BaseException):
    """Only a process of its own can do this; no `except` of the code catches it."""


def stay(channel: Channel) -> None:
    """One order after the other, each in names of its own."""
    files: dict[str, bytes] = {}
    for order in channel.orders():
        match order:
            case Bring(file, size):
                files[file] = channel.receive(size)
            case RunCode():
                _run(order, {name: files[file] for name, file in order.tables.items()}, channel)
            case _:
                channel.answer(_ELSEWHERE)


def _run(order: RunCode, tables: Mapping[str, bytes], channel: Channel) -> None:
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


class _Tables:
    """`pd.read_parquet`, for the tables of one order."""

    def __init__(self, tables: Mapping[str, bytes]) -> None:
        self._tables = tables

    def __call__(
        self, path: str, engine: str = "auto", columns: Sequence[str] | None = None
    ) -> pd.DataFrame:
        place = path.removeprefix("./") if isinstance(path, str) else ""
        name = place.removeprefix(_FOLDER).removesuffix(_SUFFIX)
        if place != f"{_FOLDER}{name}{_SUFFIX}" or name not in self._tables:
            raise NotHere
        data = io.BytesIO(self._tables[name])
        return pd.read_parquet(data, engine=engine, columns=columns, use_threads=False)


def _put(labelled: object, label: str, value: object) -> None:
    """`frame.columns = …`, of a frame and not of the class of all frames."""
    if not isinstance(labelled, _LABELLED):
        raise NotHere
    setattr(labelled, label, value)
