"""The first rows that come with a frame are those that a query of its file gives."""

import pytest
from tests.integration.sandbox.conftest import LIMITS, Box
from tests.loose_json import JsonObject

from yarrow.sandbox.model import JobLimits, SavedFrame

FRAMES = {
    "words": "pd.DataFrame({'城市': ['北京', None, ''], 'a b\"c': ['x\\0y', '😀', 'é']})",
    "whole": "pd.DataFrame({'n': [-2**63, 0, 2**63 - 1], 'small': np.array([1, 2, 3], 'int8')})",
    "unsigned": "pd.DataFrame({'n': np.array([0, 2**63, 2**64 - 1], 'uint64')})",
    "missing whole": "pd.DataFrame({'n': pd.array([1, None, 2**53 + 1], dtype='Int64')})",
    "huge": "pd.DataFrame({'n': [2**80, 1, None]})",
    "numbers": "pd.DataFrame({'x': [np.nan, np.inf, -0.0], 'y': [1e300, 5e-324, 0.1]})",
    "single": "pd.DataFrame({'x': np.array([0.1, np.nan, 3.5], 'float32')})",
    "half": "pd.DataFrame({'x': np.array([0.1, np.nan, 3.5], 'float16')})",
    "flags": "pd.DataFrame({'f': [True, False, True], 'g': [True, None, False]})",
    "moments": "pd.DataFrame({'t': pd.to_datetime(['2026-03-15 10:11:12.3456', None, '1969-12-31 "
    "23:59:59.9996'], format='mixed')})",
    "nanoseconds": "pd.DataFrame({'t': pd.to_datetime([1, -1, 10**18 + 999_999_999])})",
    "coarse moments": "pd.DataFrame({'t': np.array(['1600-01-01', '2026-01-02', 'NaT'], "
    "'datetime64[s]'), 'u': np.array(['1600-01-01', '9999-12-31', 'NaT'], 'datetime64[ms]')})",
    "far moments": "pd.DataFrame({'t': np.array(['12026-01-01', '-0044-03-15'], 'datetime64[s]')})",
    "zones": "pd.DataFrame({'t': pd.to_datetime(['2026-03-15 10:00', None, '2026-07-01 00:30'])"
    ".tz_localize('Asia/Shanghai'), 'n': 1})",
    "days": "pd.DataFrame({'d': [datetime.date(2026, 3, 15), None, datetime.date(1, 1, 1)]})",
    "hours": "pd.DataFrame({'h': [datetime.time(1, 2, 3, 4), None, datetime.time(0)]})",
    "durations": "pd.DataFrame({'d': pd.to_timedelta(['1 days 02:03:04.5', None, '-1 s'])})",
    "duration objects": "pd.DataFrame({'d': pd.Series([datetime.timedelta(1), None, "
    "datetime.timedelta(seconds=-1.5)], dtype=object)})",
    "decimals": "pd.DataFrame({'m': [decimal.Decimal('1.50'), None, decimal.Decimal('-3.00')]})",
    "whole decimals": "pd.DataFrame({'m': [decimal.Decimal(10**30), None, decimal.Decimal(7)]})",
    "nested": "pd.DataFrame({'o': [{'a': 1}, None, {}], 'l': [[1, 2], [], None]})",
    "mixed": "pd.DataFrame({'m': [1, 'a', None]})",
    "bytes": "pd.DataFrame({'b': [b'a', None, b'\\xff']})",
    "kinds": "pd.DataFrame({'k': pd.Categorical(['b', None, 'a']), "
    "'n': pd.Categorical([3, 1, 3]), 'd': pd.Categorical(pd.to_datetime(['2026-01-01'] * 3))})",
    "periods": "pd.DataFrame({'p': pd.PeriodIndex(['2026-01', '2026-02'], freq='M')})",
    "nothing known": "pd.DataFrame({'n': [None, None]})",
    "no rows": "pd.DataFrame({'a': [], 'b': pd.to_datetime([]), 'c': np.array([], 'int64')})",
    "case of names": "pd.DataFrame({'a': [1], 'A': [2], 'Σ': [3], 'σ': [4]})",
    "no name": "pd.DataFrame({'': [1], 'b': [2]})",
    "our names": "pd.DataFrame({'file_row_number': [7], 'filename': ['f'], '#rowId': [9]})",
    "arrow": "pd.DataFrame({'s': pd.array(['a', None], dtype='string[pyarrow]'), "
    "'b': pd.array([True, None], dtype='boolean')})",
    "index": "pd.DataFrame({'k': ['a', 'b', 'a'], 'n': [1, 2, 3]}).groupby('k').agg(['sum'])",
}
IMPORTS = "import datetime, decimal\nimport numpy as np, pandas as pd\n"
QUERIES = {
    "sums": "SELECT sum(n) AS s, avg(n) AS a, count(*) AS c FROM range(5) t(n)",
    "huge": "SELECT 2::HUGEINT ** 80 AS p, 170141183460469231731687303715884105727 AS q",
    "zones": "SELECT TIMESTAMPTZ '2026-03-15 10:00:00+08' AS t, TIMESTAMP '2026-03-15' AS u",
    "times": "SELECT TIME '01:02:03' AS h, INTERVAL 90 MINUTE AS i, DATE '2026-03-15' AS d",
    "decimals": "SELECT 1.50::DECIMAL(10, 2) AS m, 7::DECIMAL(38, 0) AS w",
    "nested": "SELECT [1, 2] AS l, {'a': 1} AS o, MAP {'k': 1} AS m, '北京' AS 城市",
    "special": "SELECT 'nan'::DOUBLE AS x, 'inf'::DOUBLE AS y, NULL AS z, uuid() AS u",
    "doubled names": "SELECT 1 AS a, 2 AS A",
    "no rows": "SELECT 1 AS a WHERE false",
}


async def assert_as_the_file_says(box: Box, frame: SavedFrame, limits: JobLimits = LIMITS) -> None:
    asked = await box.sandbox.run_sql(
        "FROM frame", {"frame": frame.path}, limits, count_query="FROM frame SELECT count(*)"
    )
    frame.path.unlink()
    assert [list(row.items()) for row in frame.first.rows] == [
        list(row.items()) for row in asked.rows
    ]
    assert [[type(value) for value in row.values()] for row in frame.first.rows] == [
        [type(value) for value in row.values()] for row in asked.rows
    ]
    assert list(frame.first.columns) == list(asked.columns)
    assert (frame.first.truncated, frame.row_count) == (asked.truncated, asked.total)


@pytest.mark.parametrize("made", FRAMES)
async def test_python_says_of_its_frame_what_its_file_says(python_box: Box, made: str) -> None:
    code = f"{IMPORTS}df = {FRAMES[made]}"

    ran = await python_box.sandbox.run_python(code, {}, LIMITS, output_variable="df")

    assert ran.output is not None, ran.error
    await assert_as_the_file_says(python_box, ran.output)


@pytest.mark.parametrize(
    "limits", [JobLimits(rows=3), JobLimits(rows=4), JobLimits(result_bytes=25)]
)
@pytest.mark.parametrize("extra", ["", ", 'd': pd.to_timedelta(1, unit='s')"])
async def test_python_stops_where_a_query_would(
    python_box: Box, limits: JobLimits, extra: str
) -> None:
    code = f"{IMPORTS}df = pd.DataFrame({{'n': range(4){extra}}})"

    ran = await python_box.sandbox.run_python(code, {}, limits, output_variable="df")

    assert ran.output is not None, ran.error
    await assert_as_the_file_says(python_box, ran.output, limits)


@pytest.mark.parametrize("query", QUERIES)
async def test_a_kept_query_says_what_its_file_says(box: Box, query: str) -> None:
    frame = await box.sandbox.save_query(QUERIES[query], {}, LIMITS)

    await assert_as_the_file_says(box, frame)


@pytest.mark.parametrize(
    "changes",
    [
        {"values": [[1], [2]]},
        {"values": [[1, 2]]},
        {"values": [[{"deep": 1}]]},
        {"values": [[2**70]]},
        {"columns": [{"name": "n", "type": "secret"}]},
        {"columns": [{"name": "n", "type": "string"}] * 2},
        {"row_count": 0},
    ],
)
async def test_a_program_that_lies_about_the_shape_of_its_frame_is_not_heard(
    python_box: Box, changes: dict[str, object]
) -> None:
    ran = await python_box.sandbox.run_python(forging(changes), {}, LIMITS, output_variable="df")

    assert ran.output is None
    assert not ran.alive


async def test_a_program_that_speaks_for_its_job_gives_data_and_no_more(python_box: Box) -> None:
    ran = await python_box.sandbox.run_python(forging({}), {}, LIMITS, output_variable="df")

    assert ran.output is not None
    assert ran.output.path.read_bytes() == b"PAR1"
    assert list(ran.output.first.rows) == [{"n": 1}]
    ran.output.path.unlink()


def forging(changes: dict[str, object]) -> str:
    """A program that writes the response itself, before its job can."""
    column = {"name": "n", "type": "integer"}
    header = {"columns": [column], "values": [[1]], "truncated": False, "row_count": 1} | changes
    response: JsonObject = {
        "type": "PythonResponse",
        "stdout": "",
        "error": None,
        "frames": [],
        "header": header,
        "output_bytes": 4,
    }
    return (
        "import json, os, struct, time\n"
        f"frame = json.dumps({response!r}).encode()\n"
        "os.write(3, struct.pack('!I', len(frame)) + frame + b'PAR1')\n"
        "time.sleep(1)"
    )
