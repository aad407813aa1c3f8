"""What each chart can show: the channels it knows, needs, and other words for both."""

from collections.abc import Mapping

from yarrow.charting.model import Channel, ChartType

X, Y, COLOR, SIZE = Channel.X, Channel.Y, Channel.COLOR, Channel.SIZE

FACETS = frozenset({Channel.COLUMN, Channel.ROW})
PLAIN = frozenset({X, Y, COLOR}) | FACETS
GEO = frozenset({Channel.LONGITUDE, Channel.LATITUDE, COLOR, SIZE})
PRICES = (Channel.OPEN, Channel.HIGH, Channel.LOW, Channel.CLOSE)

KNOWN: Mapping[ChartType, frozenset[Channel]] = {
    ChartType.SCATTER: PLAIN | {SIZE},
    ChartType.REGRESSION: PLAIN | {SIZE},
    ChartType.BAR: PLAIN,
    ChartType.LOLLIPOP: PLAIN,
    ChartType.WATERFALL: PLAIN,
    ChartType.GROUPED_BAR: PLAIN | {Channel.GROUP},
    ChartType.STACKED_BAR: PLAIN,
    ChartType.HISTOGRAM: frozenset({X, COLOR}) | FACETS,
    ChartType.DENSITY: frozenset({X, COLOR}) | FACETS,
    ChartType.BOXPLOT: PLAIN,
    ChartType.RANGED_DOT: PLAIN,
    ChartType.LINE: PLAIN | {Channel.STROKE_DASH},
    ChartType.AREA: PLAIN,
    ChartType.STREAMGRAPH: PLAIN,
    ChartType.PIE: frozenset({SIZE, COLOR}) | FACETS,
    ChartType.ROSE: PLAIN,
    ChartType.RADAR: PLAIN,
    ChartType.HEATMAP: PLAIN,
    ChartType.BAR_TABLE: PLAIN,
    ChartType.KPI_CARD: frozenset({Channel.METRIC, Channel.VALUE, Channel.GOAL}),
    ChartType.CANDLESTICK: frozenset({X, *PRICES}) | FACETS,
    ChartType.WORLD_MAP: GEO,
    ChartType.US_MAP: GEO,
    ChartType.PYRAMID: PLAIN,
    ChartType.BUMP: PLAIN,
    ChartType.STRIP: PLAIN,
}
"""The channels of each chart; any other is dropped with a note."""

BOTH_AXES = (X, Y)

NEEDED: Mapping[ChartType, tuple[Channel, ...]] = {
    **dict.fromkeys(ChartType, BOTH_AXES),
    **dict.fromkeys((ChartType.BAR, ChartType.LOLLIPOP, ChartType.STACKED_BAR), (X,)),
    **dict.fromkeys((ChartType.HISTOGRAM, ChartType.DENSITY, ChartType.ROSE), (X,)),
    **dict.fromkeys((ChartType.BOXPLOT, ChartType.STRIP), (Y,)),
    **dict.fromkeys((ChartType.WORLD_MAP, ChartType.US_MAP), (Channel.LONGITUDE, Channel.LATITUDE)),
    ChartType.PIE: (COLOR,),
    ChartType.KPI_CARD: (Channel.VALUE,),
    ChartType.CANDLESTICK: (X, *PRICES),
}
"""Without these there is nothing to draw. A bar, a wedge or a petal without a measure counts."""

TYPE_WORDS: Mapping[str, ChartType] = {
    "scatter": ChartType.SCATTER,
    "scatterplot": ChartType.SCATTER,
    "point": ChartType.SCATTER,
    "points": ChartType.SCATTER,
    "bubble": ChartType.SCATTER,
    "regression": ChartType.REGRESSION,
    "linearregression": ChartType.REGRESSION,
    "trendline": ChartType.REGRESSION,
    "bar": ChartType.BAR,
    "column": ChartType.BAR,
    "lollipop": ChartType.LOLLIPOP,
    "waterfall": ChartType.WATERFALL,
    "groupedbar": ChartType.GROUPED_BAR,
    "groupbar": ChartType.GROUPED_BAR,
    "clusteredbar": ChartType.GROUPED_BAR,
    "stackedbar": ChartType.STACKED_BAR,
    "stackbar": ChartType.STACKED_BAR,
    "histogram": ChartType.HISTOGRAM,
    "hist": ChartType.HISTOGRAM,
    "density": ChartType.DENSITY,
    "kde": ChartType.DENSITY,
    "boxplot": ChartType.BOXPLOT,
    "box": ChartType.BOXPLOT,
    "rangeddot": ChartType.RANGED_DOT,
    "rangeddotplot": ChartType.RANGED_DOT,
    "dumbbell": ChartType.RANGED_DOT,
    "line": ChartType.LINE,
    "dottedline": ChartType.LINE,
    "timeseries": ChartType.LINE,
    "area": ChartType.AREA,
    "stackedarea": ChartType.AREA,
    "streamgraph": ChartType.STREAMGRAPH,
    "stream": ChartType.STREAMGRAPH,
    "pie": ChartType.PIE,
    "donut": ChartType.PIE,
    "doughnut": ChartType.PIE,
    "arc": ChartType.PIE,
    "rose": ChartType.ROSE,
    "nightingale": ChartType.ROSE,
    "radar": ChartType.RADAR,
    "spider": ChartType.RADAR,
    "heatmap": ChartType.HEATMAP,
    "heat": ChartType.HEATMAP,
    "bartable": ChartType.BAR_TABLE,
    "table": ChartType.BAR_TABLE,
    "kpi": ChartType.KPI_CARD,
    "kpicard": ChartType.KPI_CARD,
    "card": ChartType.KPI_CARD,
    "candlestick": ChartType.CANDLESTICK,
    "ohlc": ChartType.CANDLESTICK,
    "worldmap": ChartType.WORLD_MAP,
    "map": ChartType.WORLD_MAP,
    "usmap": ChartType.US_MAP,
    "pyramid": ChartType.PYRAMID,
    "populationpyramid": ChartType.PYRAMID,
    "bump": ChartType.BUMP,
    "strip": ChartType.STRIP,
    "stripplot": ChartType.STRIP,
    "jitter": ChartType.STRIP,
}
"""Other words for the charts, in lower case, without punctuation, `chart`, `plot` or `graph`."""

CHANNEL_WORDS: Mapping[str, Channel] = {
    **{channel.lower(): channel for channel in Channel},
    "facet": Channel.COLUMN,
    "colour": COLOR,
    "hue": COLOR,
    "xoffset": Channel.GROUP,
    "theta": SIZE,
    "angle": SIZE,
    "dash": Channel.STROKE_DASH,
    "lon": Channel.LONGITUDE,
    "lng": Channel.LONGITUDE,
    "lat": Channel.LATITUDE,
    "label": Channel.METRIC,
    "target": Channel.GOAL,
}

MOVED: Mapping[ChartType, Mapping[Channel, Channel]] = {
    ChartType.PIE: {X: COLOR, Y: SIZE, Channel.VALUE: SIZE},
    ChartType.ROSE: {SIZE: Y},
    ChartType.KPI_CARD: {X: Channel.METRIC, Y: Channel.VALUE},
    ChartType.HISTOGRAM: {Y: X},
    ChartType.DENSITY: {Y: X},
    ChartType.WORLD_MAP: {X: Channel.LONGITUDE, Y: Channel.LATITUDE},
    ChartType.US_MAP: {X: Channel.LONGITUDE, Y: Channel.LATITUDE},
}
"""Where a field goes that was put into a channel with another name, if that place is free."""
