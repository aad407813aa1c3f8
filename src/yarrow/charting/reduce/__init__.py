"""Reduce all rows of a table to those of a chart, in DuckDB.

Most charts group their rows (`places`, `groups`). Scatter plots, strips and maps show single rows,
of which an even sample is drawn if there are too many (`single`). Histograms, densities and box
plots are computed (`distribution`).
"""

from collections.abc import Callable, Mapping

from yarrow.charting.frame import ChartFrame
from yarrow.charting.model import ChartType
from yarrow.charting.reduce.distribution import reduce_boxplot, reduce_density, reduce_histogram
from yarrow.charting.reduce.expressions import note_unused_unit
from yarrow.charting.reduce.group_limits import reduce_groups
from yarrow.charting.reduce.single_rows import (
    reduce_candles,
    reduce_map,
    reduce_ranged_dots,
    reduce_single,
)
from yarrow.charting.reduce.source import ChartSource
from yarrow.charting.reduce.spellings import note_shown_spellings

REDUCERS: Mapping[ChartType, Callable[[ChartFrame, ChartSource], ChartFrame]] = {
    **dict.fromkeys((ChartType.SCATTER, ChartType.REGRESSION, ChartType.STRIP), reduce_single),
    **dict.fromkeys((ChartType.WORLD_MAP, ChartType.US_MAP), reduce_map),
    ChartType.RANGED_DOT: reduce_ranged_dots,
    ChartType.CANDLESTICK: reduce_candles,
    ChartType.HISTOGRAM: reduce_histogram,
    ChartType.DENSITY: reduce_density,
    ChartType.BOXPLOT: reduce_boxplot,
}
"""The other types group their rows."""
DISTRIBUTIONS = frozenset({ChartType.HISTOGRAM, ChartType.DENSITY, ChartType.BOXPLOT})


def reduce_rows(frame: ChartFrame, source: ChartSource) -> ChartFrame:
    """The frame with the rows of the chart, and with titles and notes that say what was done."""
    reduced = note_unused_unit(REDUCERS.get(frame.chart_type, reduce_groups)(frame, source))
    return note_shown_spellings(reduced) if frame.chart_type in DISTRIBUTIONS else reduced
