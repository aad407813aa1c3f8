"""How each chart is drawn: a frame in, a mark with its encoding or layers out."""

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
from yarrow.charting.frame import Drawing, Frame
from yarrow.charting.model import ChartType

DRAWN: Mapping[ChartType, Callable[[Frame], Drawing]] = {
    ChartType.SCATTER: points.scatter,
    ChartType.REGRESSION: points.regression,
    ChartType.RANGED_DOT: points.ranged_dots,
    ChartType.STRIP: spread.strip,
    ChartType.BAR: bars.bars,
    ChartType.STACKED_BAR: bars.bars,
    ChartType.GROUPED_BAR: bars.grouped,
    ChartType.LOLLIPOP: bars.lollipop,
    ChartType.WATERFALL: waterfall.waterfall,
    ChartType.PYRAMID: bars.pyramid,
    ChartType.HISTOGRAM: spread.histogram,
    ChartType.DENSITY: spread.density,
    ChartType.BOXPLOT: spread.boxes,
    ChartType.LINE: lines.line,
    ChartType.AREA: lines.area,
    ChartType.STREAMGRAPH: lines.streamgraph,
    ChartType.BUMP: lines.bump,
    ChartType.PIE: wedges.pie,
    ChartType.ROSE: wedges.rose,
    ChartType.RADAR: radar.radar,
    ChartType.HEATMAP: grids.heatmap,
    ChartType.BAR_TABLE: grids.bar_table,
    ChartType.KPI_CARD: cards.cards,
    ChartType.CANDLESTICK: candles.candlestick,
    ChartType.WORLD_MAP: maps.world,
    ChartType.US_MAP: maps.united_states,
}

__all__ = ["DRAWN"]
