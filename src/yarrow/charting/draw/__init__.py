"""A function for each chart type: from a frame to a mark with its encoding, or to layers."""

from collections.abc import Callable, Mapping

from yarrow.charting.draw import (
    bars,
    candles,
    cards,
    grids,
    lines,
    maps,
    points,
    radar,
    spread,
    waterfall,
    wedges,
)
from yarrow.charting.frame import ChartFrame, Drawing
from yarrow.charting.model import ChartType

DRAW: Mapping[ChartType, Callable[[ChartFrame], Drawing]] = {
    ChartType.SCATTER: points.draw_scatter,
    ChartType.REGRESSION: points.draw_regression,
    ChartType.RANGED_DOT: points.draw_ranged_dots,
    ChartType.STRIP: spread.draw_strip,
    ChartType.BAR: bars.draw_bars,
    ChartType.STACKED_BAR: bars.draw_bars,
    ChartType.GROUPED_BAR: bars.draw_grouped_bars,
    ChartType.LOLLIPOP: bars.draw_lollipop,
    ChartType.WATERFALL: waterfall.draw_waterfall,
    ChartType.PYRAMID: bars.draw_pyramid,
    ChartType.HISTOGRAM: spread.draw_histogram,
    ChartType.DENSITY: spread.draw_density,
    ChartType.BOXPLOT: spread.draw_boxplot,
    ChartType.LINE: lines.draw_line,
    ChartType.AREA: lines.draw_area,
    ChartType.STREAMGRAPH: lines.draw_streamgraph,
    ChartType.BUMP: lines.draw_bump,
    ChartType.PIE: wedges.draw_pie,
    ChartType.ROSE: wedges.draw_rose,
    ChartType.RADAR: radar.draw_radar,
    ChartType.HEATMAP: grids.draw_heatmap,
    ChartType.BAR_TABLE: grids.draw_bar_table,
    ChartType.KPI_CARD: cards.draw_cards,
    ChartType.CANDLESTICK: candles.draw_candlestick,
    ChartType.WORLD_MAP: maps.draw_world_map,
    ChartType.US_MAP: maps.draw_us_map,
}

__all__ = ["DRAW"]
