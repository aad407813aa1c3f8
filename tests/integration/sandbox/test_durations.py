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


@pytest.mark.parametrize("workspace", [None, "w"])
async def test_durations_of_a_program_are_seconds(box: Box, workspace: str | None) -> None:
    result = await box.sandbox.run_python(
        PROGRAM, {}, LIMITS, workspace=workspace, output_variable="made"
    )

    assert result.output is not None
    assert result.output.first.rows == ROWS
    assert await draw_title(box, result.output.path) == "spent (s)"
    told = await box.sandbox.run_sql(
        "SELECT sum(spent) AS s FROM made", {"made": result.output.path}
    )
    assert told.rows == [{"s": 5430.0}]


async def test_durations_that_are_not_stored_are_seconds_too(box: Box) -> None:
    result = await box.sandbox.run_sql(QUERY, {}, LIMITS)

    assert [row["spent"] for row in result.rows] == [5400.0, 30.0]
