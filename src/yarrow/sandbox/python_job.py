"""The trade of the process that runs Python: pandas, NumPy, Arrow and DuckDB are loaded."""

import builtins
import io
import os
import sys
import warnings

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet

from yarrow.kit.json import JsonObject
from yarrow.sandbox import duckdb_session
from yarrow.sandbox.channel import Channel
from yarrow.sandbox.protocol import Failed, OpenRoom, RunCode
from yarrow.sandbox.python_run import (
    Output,
    Said,
    answer_with,
    execute,
    open_reader,
    output_of,
)
from yarrow.sandbox.warm_python import worker


def warm_up() -> None:
    """Have the libraries do once what they do on first use."""
    frame = pd.DataFrame({"k": ["a", "b", "a"], "n": [1, 2, 3], "x": [0.5, np.nan, 1.5]})
    frame.groupby("k", as_index=False).agg({"n": "sum", "x": "mean"}).to_string()
    sink = io.BytesIO()
    pa.parquet.write_table(pa.Table.from_pandas(frame), sink)
    pd.read_parquet(io.BytesIO(sink.getvalue()), use_threads=False)
    pd.to_datetime(pd.Series(["2026-01-01"])).dt.month.sum()
    duckdb.set_default_connection(duckdb_session.connect())
    open_reader()
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
            case OpenRoom():
                worker.stay(channel)
            case RunCode():
                if not has_dice and duckdb.__name__ in order.code:
                    # Only now: a statement makes the fork copy three megabytes of the database.
                    duckdb_session.shake_dice(duckdb.default_connection())
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
    error = execute(order.code, names, said)
    output: Output | None = None
    if error is None:
        output, error = output_of(order, names)
    answer_with(channel, said, error, names, output)
