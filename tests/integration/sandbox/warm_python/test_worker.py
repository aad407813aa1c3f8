"""Warm Python workers give what a fresh process gives, and keep nothing of a program."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.integration.sandbox.conftest import (
    LIMITS,
    SHORT,
    TOO_LONG,
    Box,
    Pool,
    Workspace,
    make_table,
    wait_for_jobs,
)
from tests.integration.sandbox.programs import ENDLESS, REFUSED

from yarrow.sandbox.job_spec import python_request
from yarrow.sandbox.model import PythonResult
from yarrow.sandbox.protocol import JobKind
from yarrow.sandbox.sandbox import Sandbox
from yarrow.settings import Settings

TOTAL = """
import pandas as pd
df = pd.read_parquet("data/sales.parquet")[["amount"]].sum().to_frame("n")
"""


SAME = {
    "types": (
        "import datetime\n"
        "df = pd.DataFrame({'when': pd.to_datetime(['2026-03-15', None]), 'x': [np.nan, np.inf],"
        " 'mixed': [1, 'a'], 'kind': pd.Categorical(['a', 'b']), 'flag': [True, False],"
        " 'took': pd.to_timedelta(['1 days 02:03:04', None]), '城市': ['北京', None]})"
    ),
    "a table": "df = pd.read_parquet('./data/sales.parquet', columns=['region'])",
    "an index": (
        "df = pd.read_parquet('data/sales.parquet').groupby('region').sum()\n"
        "df.columns = ['n']\ndf.index.name = 'where'"
    ),
    "a series": "df = pd.Series([1, 2], name='n')",
    "what was printed": "print('hello', len('ab'))\ndf = pd.DataFrame({'a': []})",
    "a warning": "df = np.log(pd.Series([0.0, 1.0], name='x'))",
    "what is no frame": "df = 5",
    "nothing": "other = pd.DataFrame({'a': [1]})",
    "rows that are chosen": (
        "df = pd.read_parquet('data/sales.parquet').query(\"region == 'north' and amount > 1\")"
    ),
    "a mistake": "df = pd.DataFrame({'a': [1]})\ndf['nowhere']",
    "a table that is not there": "df = pd.read_parquet('data/nowhere.parquet')",
    "code that is not plain": "import os\ndf = pd.DataFrame({'cwd': [os.getcwd()]})",
    "broken code": "df = (",
}


@pytest.fixture
async def own(python_box: Box, tmp_path: Path) -> AsyncIterator[tuple[Sandbox, dict[str, Path]]]:
    """A sandbox without any warm worker yet."""
    async with Sandbox(Settings(data_dir=tmp_path)) as sandbox:
        table = await make_table(sandbox, "ours", "region,amount\nnorth,10\nsouth,32\n")
        yield sandbox, {"sales": table}


def facts_of(result: PythonResult) -> tuple[object, ...]:
    frame = result.output
    if frame is None:
        return result.stdout, result.error, result.frames
    frame.path.unlink()
    columns = [(column.name, column.type) for column in frame.first.columns]
    return result.stdout, result.frames, columns, frame.first.rows, frame.row_count


@pytest.mark.parametrize("name", SAME)
async def test_a_program_gives_what_a_fresh_process_gives(name: str, python_box: Box) -> None:
    workspace = Workspace(python_box.sandbox, "a/same")
    asked = (SAME[name], python_box.tables, LIMITS)

    usual = facts_of(await python_box.sandbox.run_python(*asked, output_variable="df"))
    quick = [facts_of(await workspace.run_python(*asked, output_variable="df")) for _ in range(2)]

    assert quick == [usual, usual]


async def test_allowed_programs_of_one_workspace_run_in_one_process(
    own: tuple[Sandbox, dict[str, Path]],
) -> None:
    sandbox, tables = own
    workspace = Workspace(sandbox, "a/one")
    for _ in range(3):
        ran = await workspace.run_python(TOTAL, tables, LIMITS, output_variable="df")
        assert facts_of(ran)[3] == [{"n": 42}]

    first = await wait_for_jobs(sandbox, JobKind.PYTHON, 1)
    await Workspace(sandbox, "b/one").run_python(TOTAL, tables, LIMITS)

    assert first < await wait_for_jobs(sandbox, JobKind.PYTHON, 2)


@pytest.mark.parametrize("name", ["types", "a table", "an index", "rows that are chosen"])
async def test_allowed_programs_are_answered_warm(name: str, python_box: Box, pool: Pool) -> None:
    assert await pool.answers(python_request(SAME[name], "df", LIMITS), python_box.tables)


async def test_names_do_not_stay(python_box: Box) -> None:
    workspace = Workspace(python_box.sandbox, "a/names")

    await workspace.run_python("kept = 1", {}, LIMITS)
    ran = await workspace.run_python("print(kept)", {}, LIMITS)

    assert "NameError" in (ran.error or "")


@pytest.mark.parametrize(
    "patch",
    [
        "pd.DataFrame.sum = lambda self: 5",
        "D = pd.DataFrame\nD.columns = 5",
        "import pandas\npandas.read_parquet = None",
    ],
)
async def test_what_code_changes_is_gone_with_it(patch: str, python_box: Box) -> None:
    workspace = Workspace(python_box.sandbox, "a/patches")

    await workspace.run_python(patch, python_box.tables, LIMITS)
    ran = await workspace.run_python(TOTAL, python_box.tables, LIMITS, output_variable="df")

    assert facts_of(ran)[3] == [{"n": 42}]


SPOILING = {
    "cells": "t.loc[:, 'amount'] = 0\nt.loc[0, 'region'] = 'x'",
    "memory": "t['amount'].array[0] = 7\nt['region'].array[0] = 'x'\nt.iloc[:, 1].array[1] = 7",
    "labels": "t.columns = ['a', 'b']\nt.index = [5, 6]\nt.columns.name = 'c'",
    "the name of the rows": "t.index.name = 'spoiled'",
    "the memory of the labels": "t.index.values.base[0] = 99",
    "the name of the columns": "t.columns.name = 'spoiled'",
    "what is in place": "t.drop(columns='amount', inplace=True)\nt.fillna('x', inplace=True)",
    "columns": "t.insert(0, 'new', 1)\ndel t['region']\nt.pop('amount')",
}


@pytest.mark.parametrize("name", SPOILING)
async def test_a_table_that_one_program_spoils_is_whole_for_the_next(
    name: str, python_box: Box, pool: Pool
) -> None:
    workspace = Workspace(python_box.sandbox, f"a/spoiling {name}")
    look = (
        "t = pd.read_parquet('data/sales.parquet')\n"
        "print(t.to_string(), t.columns.name, t.index.name, t.index.values)"
    )
    spoil = f"t = pd.read_parquet('data/sales.parquet')\n{SPOILING[name]}"
    assert await pool.answers(python_request(spoil, None, LIMITS), python_box.tables)
    usual = await python_box.sandbox.run_python(look, python_box.tables, LIMITS)

    await workspace.run_python(look, python_box.tables, LIMITS)
    spoiled = await workspace.run_python(spoil, python_box.tables, LIMITS)
    after = await workspace.run_python(look, python_box.tables, LIMITS)

    assert (spoiled.error, after.error) == (None, None)
    assert after.stdout == usual.stdout


async def test_lists_in_a_table_belong_to_one_program(
    own: tuple[Sandbox, dict[str, Path]],
) -> None:
    sandbox, _ = own
    table = sandbox.folder / "lists.parquet"
    saved = await sandbox.save_query("SELECT [1, 2] AS items, DATE '2026-01-02' AS day", {})
    saved.path.replace(table)
    workspace = Workspace(sandbox, "a/lists")
    spoil = "t = pd.read_parquet('data/lists.parquet')\nt['items'].iloc[0][0] = 9\nprint(t)"

    seen = [await workspace.run_python(spoil, {"lists": table}, LIMITS) for _ in range(2)]
    after = await workspace.run_python(
        "print(pd.read_parquet('data/lists.parquet')['items'].iloc[0])", {"lists": table}, LIMITS
    )

    assert seen[0].stdout == seen[1].stdout
    assert "1" in after.stdout
    assert "9" not in after.stdout


@pytest.mark.parametrize("rows", [0, 1, 40_000, 200_000])
async def test_a_frame_comes_whole_whatever_its_size(rows: int, python_box: Box) -> None:
    """Small ones are sent from memory, large ones from a file."""
    workspace = Workspace(python_box.sandbox, "a/sizes")
    code = f"df = pd.DataFrame({{'n': np.arange({rows}), 'x': np.arange({rows}) * 0.5}})"

    ran = await workspace.run_python(code, {}, LIMITS, output_variable="df")

    assert ran.output is not None
    read = await python_box.sandbox.run_sql(
        "SELECT count(*) AS rows, coalesce(sum(n), 0) AS n, coalesce(sum(x), 0) AS x FROM made",
        {"made": ran.output.path},
        LIMITS,
    )
    total = rows * (rows - 1) // 2
    assert list(read.rows) == [{"rows": rows, "n": total, "x": total / 2}]


@pytest.mark.parametrize("name", REFUSED)
async def test_a_program_that_means_harm_fails_here_too(name: str, python_box: Box) -> None:
    workspace = Workspace(python_box.sandbox, "a/harm")
    code = REFUSED[name].replace("{secret}", str(python_box.secret))
    code = code.replace("{others}", str(python_box.others)).replace("{port}", "1")

    ran = await workspace.run_python(code, python_box.tables, LIMITS)

    assert ran.error is not None
    assert "private" not in ran.stdout
    assert "root:" not in ran.stdout


@pytest.mark.parametrize("name", ["loop", "hang in C"])
async def test_what_does_not_end_is_ended_with_its_worker(name: str, python_box: Box) -> None:
    workspace = Workspace(python_box.sandbox, "a/endless")

    ran = await workspace.run_python(ENDLESS[name], {}, SHORT)
    after = await workspace.run_python(TOTAL, python_box.tables, LIMITS, output_variable="df")

    assert TOO_LONG in (ran.error or "")
    assert not ran.alive
    assert facts_of(after)[3] == [{"n": 42}]


async def test_random_numbers_differ_between_programs(python_box: Box) -> None:
    workspace = Workspace(python_box.sandbox, "a/chance")

    drawn = [await workspace.run_python("print(np.random.rand())", {}, LIMITS) for _ in range(3)]
    asked = [await workspace.run_sql("SELECT random() AS x", {}, LIMITS) for _ in range(3)]

    assert len({one.stdout for one in drawn}) == 3
    assert len({one.rows[0]["x"] for one in asked}) == 3


CAUGHT = {
    "an engine": "try:\n    df = pd.read_parquet('data/sales.parquet', engine='pyarrow')\n",
    "a filter": "try:\n    df = pd.read_parquet('data/sales.parquet', filters=None)\n",
    "DuckDB": "try:\n    df = duckdb.sql('select 42 as n').df()\n",
    "no column": "try:\n    df = pd.read_parquet('data/sales.parquet', columns=['no'])\n",
    "a column's place": "try:\n    df = pd.read_parquet('data/sales.parquet', columns=[0])\n",
}


@pytest.mark.parametrize("name", CAUGHT)
async def test_a_program_that_catches_errors_sees_none_of_the_worker(
    name: str, python_box: Box
) -> None:
    code = (
        f"{CAUGHT[name]}except KeyError:\n    df = pd.DataFrame({{'was': ['key']}})\n"
        "except Exception as e:\n    df = pd.DataFrame({'was': [str(e)[:20]]})"
    )
    workspace = Workspace(python_box.sandbox, "a/caught")
    asked = (code, python_box.tables, LIMITS)

    usual = facts_of(await python_box.sandbox.run_python(*asked, output_variable="df"))

    assert facts_of(await workspace.run_python(*asked, output_variable="df")) == usual


async def test_a_refusal_is_noticed_behind_a_finally(python_box: Box) -> None:
    code = (
        "def read(name):\n    try:\n        return pd.read_parquet('data' + name)\n"
        "    finally:\n        return pd.DataFrame({'a': [1]})\n"
        "df = read('/nowhere.parquet')"
    )
    workspace = Workspace(python_box.sandbox, "a/finally")

    ran = await workspace.run_python(code, python_box.tables, LIMITS, output_variable="df")

    usual = await python_box.sandbox.run_python(
        code, python_box.tables, LIMITS, output_variable="df"
    )
    assert facts_of(ran) == facts_of(usual)


CALLED_BACK = """
from collections import defaultdict
frame = pd.DataFrame({'a': [1]})
def back():
    frame.agg('eval', expr='@x.__class__', local_dict={'x': 1})
    return 'x'
cells = pd.DataFrame({'text': pd.Series(['%(a)s'], dtype='O'), 'given': [defaultdict(back)]})
print(cells.query("text % given == 'x'"))
"""

"""A comparison that calls the code, while the worker evaluates `query`."""


UNPICKLED = r"""
largest = b'cbuiltins\ngetattr\n(cpandas\nDataFrame\nVmax\ntR'
data, at = b'cbuiltins\nsetattr\n(cpandas\nDataFrame\nVsum\n' + largest + b'tR.', [0]
def read(size):
    at.append(at[-1] + size)
    return data[at[-2]:at[-1]]
def readline():
    return read(data.find(b'\n', at[-1]) + 1 - at[-1])
def seek(by, start):
    at.append(0)
pd.Series({'read': read, 'readline': readline, 'seek': seek}).agg('load', allow_pickle=True)
"""

"""A frame finds NumPy's functions by name, and takes a row's label for a method of a file."""


@pytest.mark.parametrize(
    "code",
    [
        "pd.DataFrame({'a': [1]}).agg('to_parquet', path='data/sales.parquet')",
        "x = '@pd.set_option(\"display.width\", 5)'\npd.DataFrame({'a': [1]}).agg('eval', expr=x)",
        "pd.DataFrame({'a': [1]}).agg('_AXIS_TO_AXIS_NUMBER')['columns'] = 0",
        "pd.DataFrame({'a': [1]}).agg('_AXIS_TO_' + 'AXIS_NUMBER')['columns'] = 0",
        "pd.Series([1]).agg('_metadata').clear()",
        "pd.DataFrame({'a': [1]}).groupby('a').agg('_' + 'internal_names_set').clear()",
        "def f():\n    return m\nimport pandas as m\nf().DataFrame.sum = None",
        "r = np.random\nr.bit_generator.re.enum.bltns.setattr(pd.DataFrame, 'sum', None)",
        "print([np.linalg])",
        "pd.DataFrame({'a': [1]}).agg('sty' + 'le').env.from_string('{{ f() }}').render(f=print)",
        "pd.DataFrame({'a': [1]}).agg('hist', backend='this')",
        "pd.DataFrame({'a': [1]}).groupby('a').apply('_' + 'internal_names_set').clear()",
        CALLED_BACK,
        UNPICKLED,
        "a = np.ones(9)\nv = a[:]\na.resize(99, refcheck=False)",
        "x = np.ndarray(1, 'O', buffer=np.zeros(1))",
        "x = np.matrix.mro()[1](1, 'O', buffer=np.zeros(1))",
        "np.random.default_rng().bit_generator.cffi",
        "a = {'data': (1, False), 'shape': (0,), 'typestr': '<i8', 'version': 3}\n"
        "np.asarray(pd.Series([a], index=['__array_' + 'interface__']))",
        "try:\n    1 / 0\nexcept ZeroDivisionError as __put__:\n    pass",
    ],
)
async def test_a_program_that_could_leave_something_behind_is_refused(
    code: str, python_box: Box, pool: Pool
) -> None:
    across = "df = pd.DataFrame({'a': [1, 2], 'b': [3, 4]}).sum(axis='columns').rename('n')"

    refused = await pool.run(python_request(code, None, LIMITS), python_box.tables)
    after = await pool.run(python_request(across, "df", LIMITS), {})

    assert refused is None
    assert after is not None
    assert after.frame is not None
    assert list(after.frame.first.rows) == [{"n": 4}, {"n": 6}]


async def test_what_a_program_held_is_free_after_it(pool: Pool) -> None:
    code = "def f():\n    return 1\nbig = np.ones(12_000_000)\nprint(f())"
    answered = [await pool.answers(python_request(code, None, LIMITS), {}) for _ in range(10)]

    assert all(answered)
