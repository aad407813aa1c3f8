"""The chart types as the prompt lists them, with their channels and config keys."""

from collections.abc import Mapping

from yarrow.charting import Channel, ChartType
from yarrow.charting.channels import FACETS, KNOWN, NEEDED

_LINES = "interpolate: linear, monotone, step"
_STACK = "stack: zero, normalize, center"
_MAP = "projection: equalEarth, mercator, albers, orthographic; projectionCenter: [lon, lat]"

_CONFIG: Mapping[ChartType, str] = {
    ChartType.SCATTER: "opacity: 0 to 1",
    ChartType.REGRESSION: "regressionMethod: linear, log, exp, pow, quad, poly; polyOrder",
    ChartType.BAR: _STACK,
    ChartType.STACKED_BAR: _STACK,
    ChartType.HISTOGRAM: "binCount: 2 to 200",
    ChartType.LINE: _LINES,
    ChartType.AREA: f"{_LINES}; stack: normalize",
    ChartType.PIE: "innerRadius: 0 to 95",
    ChartType.HEATMAP: "colorScheme: viridis, blues, redblue, …",
    ChartType.WORLD_MAP: _MAP,
    ChartType.US_MAP: _MAP,
}

HEADING = """\
Chart types, their channels (* must be given) and config keys. A config may always have a title,
and where facets is listed, the channels column and row divide the chart:"""


def describe_chart_types() -> str:
    """One line for each chart type."""
    return "\n".join([HEADING, *(_line(chart) for chart in ChartType)])


def _line(chart: ChartType) -> str:
    known = KNOWN[chart]
    channels = [_channel(chart, channel) for channel in Channel if channel in known - FACETS]
    facets = ["facets"] if known >= FACETS else []
    config = f" (config {_CONFIG[chart]})" if chart in _CONFIG else ""
    return f"- {chart.value}: {', '.join([*channels, *facets])}{config}"


def _channel(chart: ChartType, channel: Channel) -> str:
    return f"{channel.value}*" if channel in NEEDED[chart] else channel.value
