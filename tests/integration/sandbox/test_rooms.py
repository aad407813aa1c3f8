"""Rooms: quick where nothing is left behind, and not to be told from the ordinary way."""

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from tests.integration.sandbox.conftest import SHORT, Box, make_table
from tests.integration.sandbox.programs import ENDED, REFUSED
from tests.integration.sandbox.test_hostile_sql import EXHAUSTING

from yarrow.sandbox import warm_workers
from yarrow.sandbox.client import Trade
from yarrow.sandbox.errors import QueryFailed
from yarrow.sandbox.job_spec import select_order
from yarrow.sandbox.model import PythonResult
from yarrow.sandbox.protocol import Order
from yarrow.sandbox.python_session import order_of
from yarrow.sandbox.sandbox import Sandbox
from yarrow.sandbox.workspace_sandbox import OwnedSandbox
from yarrow.settings import Settings

TOTAL = """
import pandas as pd
df = pd.read_parquet("data/sales.parquet")[["amount"]].sum().to_frame("n")
"""
QUERY = "SELECT region, amount * 2 AS twice, DATE '2026-01-02' AS day FROM Sales ORDER BY region"

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
    """A sandbox without any room yet."""
    async with Sandbox(Settings(data_dir=tmp_path)) as sandbox:
        table = await make_table(sandbox, "ours", "region,amount\nnorth,10\nsouth,32\n")
        yield sandbox, {"sales": table}


def told(result: PythonResult) -> tuple[object, ...]:
    frame = result.output
    if frame is None:
        return result.stdout, result.error, result.frames
    frame.path.unlink()
    columns = [(column.name, column.type) for column in frame.first.columns]
    return result.stdout, result.frames, columns, frame.first.rows, frame.row_count


async def jobs(sandbox: Sandbox, trade: Trade = Trade.PYTHON) -> set[int]:
    """The processes that stay; those that were killed are given a moment to go."""
    zygote = await sandbox.room_for(trade)
    assert zygote is not None
    await asyncio.sleep(0.2)
    (forking,) = psutil.Process(zygote.pid).children()
    return {child.pid for child in forking.children() if child.status() != "zombie"}


async def done_in_room(box: Box, trade: Trade, text: str, *, wanted: str | None = None) -> bool:
    """Whether a room itself does it, and does not leave it to a process of its own."""
    zygote = await box.sandbox.room_for(trade)
    assert zygote is not None

    def order(files: Mapping[str, str]) -> Order:
        if trade is Trade.SQL:
            return select_order(text, SHORT, {})
        return order_of(text, wanted, SHORT, files)

    key = warm_workers.Key("a/itself", zygote, SHORT.memory_mb, SHORT.seconds)
    tables = box.tables if trade is Trade.PYTHON else {}
    done = await box.sandbox.rooms.ask(key, warm_workers.Wanted(text, tables, order), limits=SHORT)
    if done is not None and done[1] is not None:
        done[1].path.unlink()
    return done is not None


@pytest.mark.parametrize("name", SAME)
async def test_a_room_tells_what_a_process_of_its_own_tells(name: str, python_box: Box) -> None:
    owned = OwnedSandbox(python_box.sandbox, "a/same")
    asked = (SAME[name], python_box.tables, SHORT)

    usual = told(await python_box.sandbox.run_python(*asked, output_variable="df"))
    quick = [told(await owned.run_python(*asked, output_variable="df")) for _ in range(2)]

    assert quick == [usual, usual]


async def test_plain_code_of_one_owner_runs_in_one_process(
    own: tuple[Sandbox, dict[str, Path]],
) -> None:
    sandbox, tables = own
    owned = OwnedSandbox(sandbox, "a/one")
    for _ in range(3):
        ran = await owned.run_python(TOTAL, tables, SHORT, output_variable="df")
        assert told(ran)[3] == [{"n": 42}]

    first = await jobs(sandbox)
    await OwnedSandbox(sandbox, "b/one").run_python(TOTAL, tables, SHORT)

    assert len(first) == 1
    assert len(await jobs(sandbox) - first) == 1


@pytest.mark.parametrize("name", ["types", "a table", "an index", "rows that are chosen"])
async def test_plain_code_is_done_in_the_room_itself(name: str, python_box: Box) -> None:
    assert await done_in_room(python_box, Trade.PYTHON, SAME[name], wanted="df")


async def test_names_do_not_stay(python_box: Box) -> None:
    owned = OwnedSandbox(python_box.sandbox, "a/names")

    await owned.run_python("kept = 1", {}, SHORT)
    ran = await owned.run_python("print(kept)", {}, SHORT)

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
    owned = OwnedSandbox(python_box.sandbox, "a/patches")

    await owned.run_python(patch, python_box.tables, SHORT)
    ran = await owned.run_python(TOTAL, python_box.tables, SHORT, output_variable="df")

    assert told(ran)[3] == [{"n": 42}]


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
async def test_a_table_that_one_order_spoils_is_whole_for_the_next(
    name: str, python_box: Box
) -> None:
    owner = OwnedSandbox(python_box.sandbox, f"a/spoiling {name}")
    look = (
        "t = pd.read_parquet('data/sales.parquet')\n"
        "print(t.to_string(), t.columns.name, t.index.name, t.index.values)"
    )
    spoil = f"t = pd.read_parquet('data/sales.parquet')\n{SPOILING[name]}"
    assert await done_in_room(python_box, Trade.PYTHON, spoil)
    usual = await python_box.sandbox.run_python(look, python_box.tables, SHORT)

    await owner.run_python(look, python_box.tables, SHORT)
    spoiled = await owner.run_python(spoil, python_box.tables, SHORT)
    after = await owner.run_python(look, python_box.tables, SHORT)

    assert (spoiled.error, after.error) == (None, None)
    assert after.stdout == usual.stdout


async def test_lists_in_a_table_are_each_orders_own(
    own: tuple[Sandbox, dict[str, Path]],
) -> None:
    sandbox, _ = own
    table = sandbox.folder / "lists.parquet"
    path, _seen = await sandbox.keep_sql("SELECT [1, 2] AS items, DATE '2026-01-02' AS day", {})
    path.replace(table)
    owned = OwnedSandbox(sandbox, "a/lists")
    spoil = "t = pd.read_parquet('data/lists.parquet')\nt['items'].iloc[0][0] = 9\nprint(t)"

    seen = [await owned.run_python(spoil, {"lists": table}, SHORT) for _ in range(2)]
    after = await owned.run_python(
        "print(pd.read_parquet('data/lists.parquet')['items'].iloc[0])", {"lists": table}, SHORT
    )

    assert seen[0].stdout == seen[1].stdout
    assert "1" in after.stdout
    assert "9" not in after.stdout


@pytest.mark.parametrize("rows", [0, 1, 40_000, 200_000])
async def test_a_frame_comes_whole_whatever_its_size(rows: int, python_box: Box) -> None:
    """Small ones are sent from memory, large ones from a file."""
    owned = OwnedSandbox(python_box.sandbox, "a/sizes")
    code = f"df = pd.DataFrame({{'n': np.arange({rows}), 'x': np.arange({rows}) * 0.5}})"

    ran = await owned.run_python(code, {}, SHORT, output_variable="df")

    assert ran.output is not None
    read = await python_box.sandbox.run_sql(
        "SELECT count(*) AS rows, coalesce(sum(n), 0) AS n, coalesce(sum(x), 0) AS x FROM made",
        {"made": ran.output.path},
        SHORT,
    )
    total = rows * (rows - 1) // 2
    assert list(read.rows) == [{"rows": rows, "n": total, "x": total / 2}]


@pytest.mark.parametrize("name", REFUSED)
async def test_a_program_that_means_harm_fails_here_too(name: str, python_box: Box) -> None:
    owned = OwnedSandbox(python_box.sandbox, "a/harm")
    code = REFUSED[name].replace("{secret}", str(python_box.secret))
    code = code.replace("{others}", str(python_box.others)).replace("{port}", "1")

    ran = await owned.run_python(code, python_box.tables, SHORT)

    assert ran.error is not None
    assert "private" not in ran.stdout
    assert "root:" not in ran.stdout


@pytest.mark.parametrize("name", ["loop", "hang in C"])
async def test_what_does_not_end_is_ended_with_its_room(name: str, python_box: Box) -> None:
    owned = OwnedSandbox(python_box.sandbox, "a/endless")
    short = replace(SHORT, seconds=1.0)

    ran = await owned.run_python(ENDED[name], {}, short)
    after = await owned.run_python(TOTAL, python_box.tables, short, output_variable="df")

    assert "longer than 1 seconds" in (ran.error or "")
    assert not ran.alive
    assert told(after)[3] == [{"n": 42}]


async def test_a_table_that_was_replaced_is_read_anew(
    own: tuple[Sandbox, dict[str, Path]],
) -> None:
    sandbox, tables = own
    owned = OwnedSandbox(sandbox, "a/replaced")
    before = told(await owned.run_python(TOTAL, tables, SHORT, output_variable="df"))
    other = await make_table(sandbox, "other", "region,amount\neast,7\n")
    other.replace(tables["sales"])

    after = told(await owned.run_python(TOTAL, tables, SHORT, output_variable="df"))
    queried = await owned.run_sql("SELECT sum(amount) AS n FROM sales", tables, SHORT)

    assert (before[3], after[3]) == ([{"n": 42}], [{"n": 7}])
    assert list(queried.rows) == [{"n": 7}]


async def test_large_tables_are_not_brought(
    own: tuple[Sandbox, dict[str, Path]], monkeypatch: pytest.MonkeyPatch
) -> None:
    sandbox, tables = own
    monkeypatch.setattr(warm_workers, "MOST_TABLES_BYTES", 100)

    ran = await OwnedSandbox(sandbox, "a/large").run_python(TOTAL, tables, SHORT)

    assert ran.error is None
    assert await jobs(sandbox) == set()


@pytest.mark.parametrize(("most", "left"), [(0, 0), (1, 1)])
async def test_no_more_rooms_stay_than_the_settings_say(
    most: int, left: int, python_box: Box, tmp_path: Path
) -> None:
    async with Sandbox(Settings(data_dir=tmp_path, sandbox_rooms=most)) as sandbox:
        for owner in ("a/1", "b/1", "c/1"):
            ran = await OwnedSandbox(sandbox, owner).run_python("print(1)", {}, SHORT)
            assert ran.stdout == "1\n"

        assert len(await jobs(sandbox)) == left


async def test_a_room_that_nobody_needs_is_given_up(
    own: tuple[Sandbox, dict[str, Path]], monkeypatch: pytest.MonkeyPatch
) -> None:
    sandbox, tables = own
    monkeypatch.setattr(warm_workers, "IDLE_S", 0.3)

    await OwnedSandbox(sandbox, "a/idle").run_python(TOTAL, tables, SHORT)
    stays = await jobs(sandbox)
    await asyncio.sleep(0.3)

    assert len(stays) == 1
    assert await jobs(sandbox) == set()


async def test_a_worn_room_is_replaced(
    own: tuple[Sandbox, dict[str, Path]], monkeypatch: pytest.MonkeyPatch
) -> None:
    sandbox, tables = own
    monkeypatch.setattr(warm_workers, "MOST_USES", 2)
    owned = OwnedSandbox(sandbox, "a/worn")

    await owned.run_python(TOTAL, tables, SHORT)
    first = await jobs(sandbox)
    await owned.run_python(TOTAL, tables, SHORT)

    assert len(first) == 1
    assert await jobs(sandbox) == set()


async def test_a_room_that_died_is_not_missed(own: tuple[Sandbox, dict[str, Path]]) -> None:
    sandbox, tables = own
    owned = OwnedSandbox(sandbox, "a/died")
    await owned.run_python(TOTAL, tables, SHORT)
    for pid in await jobs(sandbox):
        psutil.Process(pid).kill()

    ran = await owned.run_python(TOTAL, tables, SHORT, output_variable="df")

    assert told(ran)[3] == [{"n": 42}]


async def test_queries_of_one_owner_run_in_one_process(
    own: tuple[Sandbox, dict[str, Path]],
) -> None:
    sandbox, tables = own
    owned = OwnedSandbox(sandbox, "a/queries")
    usual = await sandbox.run_sql(QUERY, tables, SHORT)
    usual_path, usual_seen = await sandbox.keep_sql(QUERY, tables, SHORT)

    for _ in range(2):
        assert await owned.run_sql(QUERY, tables, SHORT) == usual
        path, seen = await owned.keep_sql(QUERY, tables, SHORT)
        assert (seen.first, seen.row_count) == (usual_seen.first, usual_seen.row_count)
        again = await sandbox.run_sql("FROM kept", {"kept": path}, SHORT)
        assert again.rows == (await sandbox.run_sql("FROM kept", {"kept": usual_path}, SHORT)).rows
    assert len(await jobs(sandbox, Trade.SQL)) == 1


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM read_parquet('{others}')",
        "SELECT 1; SELECT 2",
        "CREATE TABLE t AS SELECT 1",
        "SET memory_limit = '100GB'",
        "COPY (SELECT 1) TO '/job/kept/x.csv'",
        "ROLLBACK",
        "SELECT nowhere FROM sales",
    ],
)
async def test_a_query_that_means_harm_fails_here_too(query: str, python_box: Box) -> None:
    owned = OwnedSandbox(python_box.sandbox, "a/queries")
    asked = query.replace("{others}", str(python_box.others))
    with pytest.raises(QueryFailed) as usual:
        await python_box.sandbox.run_sql(asked, python_box.tables, SHORT)

    with pytest.raises(QueryFailed) as quick:
        await owned.run_sql(asked, python_box.tables, SHORT)
    after = await owned.run_sql("SELECT sum(amount) AS n FROM sales", python_box.tables, SHORT)

    assert str(quick.value) == str(usual.value)
    assert list(after.rows) == [{"n": 42}]


async def test_a_query_that_takes_too_long_is_ended(python_box: Box) -> None:
    owned = OwnedSandbox(python_box.sandbox, "a/long")
    short = replace(SHORT, seconds=1.0)
    began = time.monotonic()

    with pytest.raises(QueryFailed, match="longer than 1 seconds"):
        await owned.run_sql(EXHAUSTING["a product of tables"], {}, short)
    assert time.monotonic() - began < 2 * short.seconds


async def test_chance_differs_from_order_to_order(python_box: Box) -> None:
    owned = OwnedSandbox(python_box.sandbox, "a/chance")

    drawn = [await owned.run_python("print(np.random.rand())", {}, SHORT) for _ in range(3)]
    asked = [await owned.run_sql("SELECT random() AS x", {}, SHORT) for _ in range(3)]

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
async def test_code_that_catches_errors_meets_none_of_the_rooms_own(
    name: str, python_box: Box
) -> None:
    code = (
        f"{CAUGHT[name]}except KeyError:\n    df = pd.DataFrame({{'was': ['key']}})\n"
        "except Exception as e:\n    df = pd.DataFrame({'was': [str(e)[:20]]})"
    )
    owned = OwnedSandbox(python_box.sandbox, "a/caught")
    asked = (code, python_box.tables, SHORT)

    usual = told(await python_box.sandbox.run_python(*asked, output_variable="df"))

    assert told(await owned.run_python(*asked, output_variable="df")) == usual


async def test_what_a_room_could_not_do_is_noticed_behind_a_finally(python_box: Box) -> None:
    code = (
        "def read(name):\n    try:\n        return pd.read_parquet('data' + name)\n"
        "    finally:\n        return pd.DataFrame({'a': [1]})\n"
        "df = read('/nowhere.parquet')"
    )
    owned = OwnedSandbox(python_box.sandbox, "a/finally")

    ran = await owned.run_python(code, python_box.tables, SHORT, output_variable="df")

    usual = await python_box.sandbox.run_python(
        code, python_box.tables, SHORT, output_variable="df"
    )
    assert told(ran) == told(usual)


@pytest.mark.parametrize(
    "query",
    [
        "SHOW TABLES",
        "SELECT table_name FROM information_schema.tables",
        "SELECT view_name FROM duckdb_views() WHERE NOT internal",
        "DESCRIBE sales",
        "SUMMARIZE sales",
        "EXPLAIN SELECT 1",
    ],
)
async def test_questions_about_the_tables_themselves_are_answered_as_usual(
    query: str, python_box: Box
) -> None:
    owned = OwnedSandbox(python_box.sandbox, "a/catalogue")

    usual = await python_box.sandbox.run_sql(query, python_box.tables, SHORT)

    assert await owned.run_sql(query, python_box.tables, SHORT) == usual


@pytest.mark.parametrize(
    "query",
    [
        "EXPLAIN ANALYZE COPY (SELECT 999 AS amount) TO '/job/kept/x' (FORMAT parquet)",
        "EXPLAIN ANALYZE COMMIT",
        "EXPLAIN ANALYZE SET VARIABLE x = 5",
        "SELECT setseed(0.5)",
        "SELECT * FROM glob('/job/kept/*')",
        "SELECT * FROM '/job/kept/x'",
        "SELECT * FROM read_parquet('/job/kept/x')",
        "SELECT * FROM parquet_metadata('/job/kept/*')",
        "SELECT * FROM query('SELECT set' || 'seed(0.5)')",
        "SELECT * FROM query('SELECT * FROM gl' || 'ob(''/job/kept/*'')')",
        "SELECT * FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))",
        "WITH x AS (COPY (SELECT 999 AS amount) TO '/job/kept/x' (FORMAT parquet)) SELECT 1",
    ],
)
async def test_a_query_that_could_leave_something_is_not_for_a_room(
    query: str, python_box: Box
) -> None:
    assert not await done_in_room(python_box, Trade.SQL, query)
    assert await done_in_room(python_box, Trade.SQL, "SELECT 1")


CALLED_BACK = """
from collections import defaultdict
frame = pd.DataFrame({'a': [1]})
def back():
    frame.agg('eval', expr='@x.__class__', local_dict={'x': 1})
    return 'x'
cells = pd.DataFrame({'text': pd.Series(['%(a)s'], dtype='O'), 'given': [defaultdict(back)]})
print(cells.query("text % given == 'x'"))
"""
"""A comparison that calls the code, while the room itself has rows chosen by a text."""

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
async def test_what_could_stay_is_not_done_in_a_room(code: str, python_box: Box) -> None:
    across = "df = pd.DataFrame({'a': [1, 2], 'b': [3, 4]}).sum(axis='columns').rename('n')"
    owned = OwnedSandbox(python_box.sandbox, "a/itself")

    assert not await done_in_room(python_box, Trade.PYTHON, code)
    ran = await owned.run_python(across, {}, SHORT, output_variable="df")

    assert told(ran)[3] == [{"n": 4}, {"n": 6}]


async def test_what_a_program_held_is_free_after_it(python_box: Box) -> None:
    code = "def f():\n    return 1\nbig = np.ones(12_000_000)\nprint(f())"
    done = [await done_in_room(python_box, Trade.PYTHON, code) for _ in range(10)]

    assert all(done)
