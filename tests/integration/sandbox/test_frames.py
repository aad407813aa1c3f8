"""What comes back from Python: frames as JSON-safe rows and as Parquet (data-agent.md §3.4, §8)."""

import sys

from tests.integration.sandbox.conftest import LIMITS, Box

from yarrow.kit.json import JsonMapping

FRAME = """
import numpy as np, pandas as pd, datetime, decimal
df = pd.DataFrame({
    "when": pd.to_datetime(["2026-03-15", None]),
    "zone": pd.to_datetime(["2026-03-15T10:00:00Z", None]),
    "day": [datetime.date(2026, 3, 15), None],
    "took": pd.to_timedelta(["1 days 02:03:04", None]),
    "x": [np.nan, np.inf],
    "mixed": [1, "a"],
    "kind": pd.Categorical(["a", "b"]),
    "bin": pd.cut([1, 2], [0, 1, 2]),
    "range": pd.interval_range(0, 2),
    "period": pd.PeriodIndex(["2026-01", "2026-02"], freq="M"),
    "nested": [{"a": 1}, [1, 2]],
    "money": [decimal.Decimal("1.50"), None],
    "flag": [True, False],
    "城市": ["北京", None],
})
"""


async def rows_of(box: Box, code: str) -> list[JsonMapping]:
    result = await box.sandbox.run_python(code, box.tables, LIMITS, output_variable="df")
    assert result.error is None
    assert result.output is not None
    result.output.path.unlink()
    return list(result.output.first.rows)


async def test_every_value_is_safe_for_json(python_box: Box) -> None:
    first, second = await rows_of(python_box, FRAME)

    assert first == {
        "when": "2026-03-15T00:00:00.000",
        "zone": "2026-03-15T10:00:00.000+00:00",
        "day": "2026-03-15",
        "took": 93784.0,
        "x": None,
        "mixed": "1",
        "kind": "a",
        "bin": "(0, 1]",
        "range": "(0, 1]",
        "period": "2026-01",
        "nested": "{'a': 1}",
        "money": 1.5,
        "flag": True,
        "城市": "北京",
    }
    missing = ("when", "zone", "day", "took", "x", "money", "城市")
    assert all(second[name] is None for name in missing)


async def test_groups_keep_their_names_and_doubled_columns_go(python_box: Box) -> None:
    grouped = (
        "import pandas as pd\ndf = pd.DataFrame({'k': ['a', 'a'], 'n': [1, 2]}).groupby('k').sum()"
    )
    doubled = "import pandas as pd\ndf = pd.DataFrame([[1, 2]], columns=['a', 'a'])"

    assert await rows_of(python_box, grouped) == [{"k": "a", "n": 3}]
    assert await rows_of(python_box, doubled) == [{"a": 1}]


async def test_an_empty_frame_has_its_columns(python_box: Box) -> None:
    code = "import pandas as pd\ndf = pd.DataFrame({'a': [], 'b': []})"

    result = await python_box.sandbox.run_python(code, {}, LIMITS, output_variable="df")

    assert result.output is not None
    assert result.output.row_count == 0
    assert [column.name for column in result.output.first.columns] == ["a", "b"]


async def test_what_is_no_frame_is_an_error_that_names_the_frames(python_box: Box) -> None:
    code = "import pandas as pd\nsome_frame = pd.DataFrame({'a': [1]})\nresult = 5"

    wrong = await python_box.sandbox.run_python(code, {}, LIMITS, output_variable="result")
    absent = await python_box.sandbox.run_python(code, {}, LIMITS, output_variable="nothing")

    assert "some_frame" in (wrong.error or "")
    assert "some_frame" in (absent.error or "")
    assert wrong.frames == ["some_frame"]


async def test_rows_come_back_up_to_the_limit_and_all_are_kept(python_box: Box) -> None:
    code = "import pandas as pd\ndf = pd.DataFrame({'n': range(25_000)})"

    result = await python_box.sandbox.run_python(code, {}, LIMITS, output_variable="df")

    assert result.output is not None
    assert (len(result.output.first.rows), result.output.row_count) == (10_000, 25_000)


async def test_names_live_as_long_as_the_session(python_box: Box) -> None:
    async with python_box.sandbox.python_session(python_box.tables, LIMITS) as session:
        await session.run("import pandas as pd\nsales = pd.read_parquet('data/sales.parquet')")
        failed = await session.run("sales.nothing")
        after = await session.run("print(len(sales))")

    assert "AttributeError" in (failed.error or "")
    assert "(line 1)" in (failed.error or "")
    assert after.stdout == "2\n"


async def test_duckdb_in_python_reads_the_tables_and_frames(python_box: Box) -> None:
    code = (
        "import duckdb\n"
        "big = duckdb.sql(\"SELECT * FROM 'data/sales.parquet' WHERE amount > 10\").df()\n"
        "df = duckdb.sql('SELECT region FROM big').df()"
    )

    assert await rows_of(python_box, code) == [{"region": "south"}]


async def test_a_warning_is_printed_without_the_file_of_the_library(python_box: Box) -> None:
    code = "import numpy as np, pandas as pd\nnp.log(pd.Series([0.0, 1]))"

    ran = await python_box.sandbox.run_python(code, {}, LIMITS)

    assert ran.stdout == "RuntimeWarning: divide by zero encountered in log\n"


async def test_what_python_knows_of_the_server_is_not_printed(python_box: Box) -> None:
    code = "import os, sys\nprint(os.environ, sys.argv, sys.path, os.__file__, sys.executable)"

    ran = await python_box.sandbox.run_python(code, {}, LIMITS)

    assert ran.error is None
    assert "PYTHONPATH" not in ran.stdout
    known = (sys.prefix, sys.base_prefix, str(python_box.sandbox.folder))
    assert not [path for path in known if path in ran.stdout]


async def test_half_a_character_does_not_end_the_session(python_box: Box) -> None:
    half = "chr(0xd800)"
    async with python_box.sandbox.python_session({}, LIMITS) as session:
        printed = await session.run(f"print('a' + {half})")
        raised = await session.run(f"raise ValueError({half})")
        framed = await session.run(
            f"df = pd.Series([{half}], dtype=object).to_frame('x')", output_variable="df"
        )

    assert (printed.stdout, printed.error) == ("a?\n", None)
    assert raised.error == "ValueError: ? (line 1)"
    assert framed.output is not None
    framed.output.path.unlink()
    assert framed.output.first.rows == [{"x": "?"}]


async def test_chance_differs_from_job_to_job(python_box: Box) -> None:
    code = "print(np.random.rand(), duckdb.sql('select random()').fetchall())"

    ran = [await python_box.sandbox.run_python(code, {}, LIMITS) for _ in range(3)]
    assert [one.error for one in ran] == [None] * 3
    printed = [one.stdout for one in ran]
    asked = [
        (await python_box.sandbox.run_sql("SELECT random() AS x, uuid() AS u", {})).rows[0]
        for _ in range(3)
    ]

    assert len({one.split()[0] for one in printed}) == 3
    assert len({one.split()[1] for one in printed}) == 3
    assert len({one["x"] for one in asked}) == len({one["u"] for one in asked}) == 3
