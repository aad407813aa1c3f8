"""The charts that the analyst's model can choose from."""

import pytest

from yarrow.agents.analyst.chart.chart_list import describe_chart_types
from yarrow.charting import ChartType


def line_of(chart: ChartType) -> str:
    [line] = [
        line for line in describe_chart_types().splitlines() if line.startswith(f"- {chart.value}:")
    ]
    return line.partition(": ")[2]


@pytest.mark.parametrize(
    "chart, channels",  # reference, chart types and their channels
    [
        (ChartType.SCATTER, "x*, y*, color, size, facets"),
        (ChartType.LINE, "x*, y*, color, strokeDash, facets"),
        (ChartType.PIE, "color*, size, facets"),
        (ChartType.KPI_CARD, "metric, value*, goal"),
        (ChartType.CANDLESTICK, "x*, open*, high*, low*, close*, facets"),
        (ChartType.WORLD_MAP, "color, size, longitude*, latitude*"),
    ],
)
def test_every_channel_of_a_chart_is_named(chart: ChartType, channels: str) -> None:
    assert line_of(chart).partition(" (")[0] == channels


@pytest.mark.parametrize(
    "chart, key",
    [
        (ChartType.SCATTER, "opacity"),
        (ChartType.REGRESSION, "regressionMethod"),
        (ChartType.REGRESSION, "polyOrder"),
        (ChartType.LINE, "interpolate"),
        (ChartType.PIE, "innerRadius"),
        (ChartType.HEATMAP, "colorScheme"),
        (ChartType.WORLD_MAP, "projectionCenter"),
    ],
)
def test_the_config_of_a_chart_is_named(chart: ChartType, key: str) -> None:
    assert key in line_of(chart)


def test_every_chart_has_its_line() -> None:
    assert all(line_of(chart) for chart in ChartType)
