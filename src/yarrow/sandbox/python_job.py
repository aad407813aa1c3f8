"""Jobs that run Python, with pandas, NumPy, Arrow and DuckDB loaded before the fork."""

import ast
import builtins
import io
import keyword
import os
import re
import sys
import warnings
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet

from yarrow.kit.sql_text import quote_name, quote_text
from yarrow.sandbox import duckdb_session
from yarrow.sandbox.channel import JobChannel
from yarrow.sandbox.messages import JobError, RunPython
from yarrow.sandbox.python_run import (
    FrameOutput,
    StdoutBuffer,
    execute_code,
    open_reader,
    send_printed,
    send_response,
    write_output,
)

LIBRARIES = {"pd": pd, "np": np, "duckdb": duckdb}
_ASSIGNED = re.compile(r"^\s*(\w+)\s*=[^=]", re.MULTILINE)


def warm_up() -> None:
    """Have the libraries do what they do lazily on first use."""
    frame = pd.DataFrame({"k": ["a", "b", "a"], "n": [1, 2, 3], "x": [0.5, np.nan, 1.5]})
    frame.groupby("k", as_index=False).agg({"n": "sum", "x": "mean"}).to_string()
    sink = io.BytesIO()
    pa.parquet.write_table(pa.Table.from_pandas(frame), sink)
    pd.read_parquet(io.BytesIO(sink.getvalue()), use_threads=False)
    pd.to_datetime(pd.Series(["2026-01-01"])).dt.month.sum()
    duckdb.set_default_connection(duckdb_session.connect_database())
    open_reader()
    pa.set_cpu_count(1)
    pa.set_io_thread_count(1)


def answer_requests(channel: JobChannel) -> None:
    """Run each request's code in one namespace."""
    _hide_server_paths()
    np.random.seed(int.from_bytes(os.urandom(4)))
    namespace: dict[str, object] = {
        "__name__": "__main__",
        "__builtins__": builtins,
        **LIBRARIES,
    }
    is_reseeded = False
    for request in channel.requests():
        match request:
            case RunPython():
                if not is_reseeded and duckdb.__name__ in request.code:
                    # Only when needed: a statement makes the fork copy 3 MB of the database.
                    duckdb_session.reseed_random(duckdb.default_connection())
                    is_reseeded = True
                _run_request(request, namespace, channel)
            case _:
                channel.respond(JobError("this process runs Python only"))


def _bind_tables(code: str, namespace: dict[str, object]) -> None:
    """Give the program the tables that it names as DataFrames, and DuckDB those of other names.

    A table that the program reads or assigns itself is not read for it, and a library or a
    function of Python that the program calls is not replaced by a table of that name.
    """
    for file in sorted(Path("data").glob("*.parquet")):
        name = file.stem
        is_library = name in LIBRARIES
        if (name in namespace and not is_library) or not _is_used(name, code):
            continue
        is_variable = name.isidentifier() and not keyword.iskeyword(name) and not is_library
        if is_variable and not _is_builtin(name, code):
            namespace[name] = pd.read_parquet(file, use_threads=False)
        elif duckdb.__name__ in code:
            path = quote_text(str(file))
            duckdb.default_connection().execute(
                f"CREATE OR REPLACE VIEW {quote_name(name)} AS FROM read_parquet({path})"
            )


def _is_builtin(name: str, code: str) -> bool:
    """Whether the program means the function or type of Python, such as `input`, by the name."""
    if not hasattr(builtins, name):
        return False
    return not re.search(rf"\b{name}\s*[.\[]", code) or bool(re.search(rf"\b{name}\s*\(", code))


def _is_used(name: str, code: str) -> bool:
    """Cheap checks first: a pattern that is compiled here is compiled in every job."""
    rest = code.replace(f"{name}.parquet", "")
    if name not in rest:
        return False
    word = re.compile(rf"(?<![\w.]){re.escape(name)}(?!\w)")
    if name in _ASSIGNED.findall(rest) and _is_assigned_first(name, rest, word):
        return False
    return word.search(rest) is not None


def _is_assigned_first(name: str, code: str, word: re.Pattern[str]) -> bool:
    """Whether the first statement with the name gives it a value that does not depend on it."""
    try:
        statements = ast.parse(code).body
    except SyntaxError:
        return False
    found = (each for each in statements if word.search(ast.unparse(each)))
    match next(found, None):
        case ast.Assign(targets=[ast.Name(id=assigned)], value=value):
            return assigned == name and not word.search(ast.unparse(value))
        case _:
            return False


def _hide_server_paths() -> None:
    """Clear the arguments and shorten warnings: both name folders of the server."""
    sys.argv = sys.orig_argv = [""]
    warnings.formatwarning = _format_warning


def _format_warning(
    message: Warning | str, category: type[Warning], *_: object, **__: object
) -> str:
    return f"{category.__name__}: {message}\n"


def _run_request(request: RunPython, namespace: dict[str, object], channel: JobChannel) -> None:
    stdout = StdoutBuffer(request.max_stdout, send_printed(channel))
    _bind_tables(request.code, namespace)
    error = execute_code(request, namespace, stdout)
    output: FrameOutput | None = None
    if error is None:
        output, error = write_output(request, namespace)
    send_response(channel, stdout, error, namespace, output)
