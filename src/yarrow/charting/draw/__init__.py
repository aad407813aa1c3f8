"""A function for each chart type: from a frame to a mark with its encoding, or to layers."""

from collections.abc import Callable, Mapping

from yarrow.charting.draw import (
    bars,
    candlesticks,
    distributions,
    heatmaps,
    kpi_cards,
    lines,
    maps,
    pies,
    radar,
    scatter,
    waterfall,
)
from yarrow.charting.frame import ChartFrame, ChartMarks
from yarrow.charting.model import ChartType

DRAW: Mapping[ChartType, Callable[[ChartFrame], ChartMarks]] = {
    ChartType.SCATTER: scatter.draw_scatter,
    ChartType.REGRESSION: scatter.draw_regression,
    ChartType.RANGED_DOT: scatter.draw_ranged_dots,
    ChartType.STRIP: distributions.draw_strip,
    ChartType.BAR: bars.draw_bars,
    ChartType.STACKED_BAR: bars.draw_bars,
    ChartType.GROUPED_BAR: bars.draw_grouped_bars,
    ChartType.LOLLIPOP: bars.draw_lollipop,
    ChartType.WATERFALL: waterfall.draw_waterfall,
    ChartType.PYRAMID: bars.draw_pyramid,
    ChartType.HISTOGRAM: distributions.draw_histogram,
    ChartType.DENSITY: distributions.draw_density,
    ChartType.BOXPLOT: distributions.draw_boxplot,
    ChartType.LINE: lines.draw_line,
    ChartType.AREA: lines.draw_area,
    ChartType.STREAMGRAPH: lines.draw_streamgraph,
    ChartType.BUMP: lines.draw_bump,
    ChartType.PIE: pies.draw_pie,
    ChartType.ROSE: pies.draw_rose,
    ChartType.RADAR: radar.draw_radar,
    ChartType.HEATMAP: heatmaps.draw_heatmap,
    ChartType.BAR_TABLE: heatmaps.draw_bar_table,
    ChartType.KPI_CARD: kpi_cards.draw_cards,
    ChartType.CANDLESTICK: candlesticks.draw_candlestick,
    ChartType.WORLD_MAP: maps.draw_world_map,
    ChartType.US_MAP: maps.draw_us_map,
}

__all__ = ["DRAW"]
