"""Durations are seconds, whether SQL or Python made them, and charts tell the unit."""

from pathlib import Path

import pytest
from tests.integration.sandbox.conftest import LIMITS, Box

from yarrow.sandbox.model import ChartRequest

pytestmark = pytest.mark.slow

QUERY = (
    "SELECT unnest(['a', 'b']) AS task, unnest([INTERVAL 90 MINUTE, INTERVAL 30 SECOND]) AS spent"
)
CHART = ChartRequest({"chart_type": "bar", "encodings": {"x": "task", "y": "spent"}})
ROWS = [{"task": "a", "spent": 5400.0}, {"task": "b", "spent": 30.0}]
PROGRAM = (
    "made = pd.DataFrame({'task': ['a', 'b'], 'spent': pd.to_timedelta(['90 minutes', '30 s'])})"
)
DATES = """
start = pd.Series(pd.to_datetime(['2026-03-01', '2026-03-01']))
end = pd.Series(pd.to_datetime(['2026-03-03', None]))
made = pd.DataFrame({{'task': ['a', 'b'], {label}: end.dt.date - start.dt.date}})
"""


async def draw_title(box: Box, path: Path) -> str:
    chart = await box.sandbox.draw_chart(CHART, path, 2)
    return str(chart.spec["encoding"]["y"]["title"])


@pytest.mark.parametrize("workspace", [None, "w"])
async def test_durations_of_a_query_are_seconds(box: Box, workspace: str | None) -> None:
    saved = await box.sandbox.save_query(QUERY, {}, LIMITS, workspace=workspace, chart=CHART)

    assert saved.first.rows == ROWS
    assert saved.chart is not None
    assert saved.chart.spec["encoding"]["y"]["title"] == "spent (s)"
    assert await draw_title(box, saved.path) == "spent (s)"


async def test_durations_of_a_program_are_seconds(box: Box) -> None:
    result = await box.sandbox.run_python(PROGRAM, {}, LIMITS, output_variable="made")

    assert result.output is not None
    assert result.output.first.rows == ROWS
    assert await draw_title(box, result.output.path) == "spent (s)"
    told = await box.sandbox.run_sql(
        "SELECT sum(spent) AS s FROM made", {"made": result.output.path}
    )
    assert told.rows == [{"s": 5430.0}]


@pytest.mark.parametrize("label", ["'spent'", "('time', 'spent')"])
async def test_differences_of_dates_are_seconds(box: Box, label: str) -> None:
    """pandas keeps them as objects, in a column without the accessor `dt`."""
    result = await box.sandbox.run_python(
        DATES.format(label=label), {}, LIMITS, output_variable="made"
    )

    name = "spent" if label == "'spent'" else "time spent"
    assert result.output is not None
    assert [row[name] for row in result.output.first.rows] == [172800.0, None]
    request = ChartRequest({"chart_type": "bar", "encodings": {"x": "task", "y": name}})
    chart = await box.sandbox.draw_chart(request, result.output.path, 2)
    assert chart.spec["encoding"]["y"]["title"] == f"{name} (s)"


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
async def test_seconds_do_not_depend_on_the_unit(box: Box, unit: str) -> None:
    code = (
        f"made = pd.DataFrame({{'spent': pd.to_timedelta([90, 30], unit='s').as_unit('{unit}')}})"
    )
    result = await box.sandbox.run_python(code, {}, LIMITS, output_variable="made")

    assert result.output is not None
    assert [row["spent"] for row in result.output.first.rows] == [90.0, 30.0]


async def test_durations_that_are_not_stored_are_seconds_too(box: Box) -> None:
    result = await box.sandbox.run_sql(QUERY, {}, LIMITS)

    assert [row["spent"] for row in result.rows] == [5400.0, 30.0]
