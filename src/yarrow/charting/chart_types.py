"""The chart types: channels each one allows and requires, and the names it is asked for by."""

from collections.abc import Mapping

from yarrow.charting.model import ChartChannel, ChartType

X, Y, COLOR, SIZE = ChartChannel.X, ChartChannel.Y, ChartChannel.COLOR, ChartChannel.SIZE

FACETS = frozenset({ChartChannel.COLUMN, ChartChannel.ROW})
PLAIN = frozenset({X, Y, COLOR}) | FACETS
GEO = frozenset({ChartChannel.LONGITUDE, ChartChannel.LATITUDE, COLOR, SIZE})
PRICES = (ChartChannel.OPEN, ChartChannel.HIGH, ChartChannel.LOW, ChartChannel.CLOSE)

HORIZONTAL: Mapping[str, str | int] = {"orientation": "horizontal"}
DONUT: Mapping[str, str | int] = {"innerRadius": 55}

KNOWN: Mapping[ChartType, frozenset[ChartChannel]] = {
    ChartType.SCATTER: PLAIN | {SIZE},
    ChartType.REGRESSION: PLAIN | {SIZE},
    ChartType.BAR: PLAIN,
    ChartType.LOLLIPOP: PLAIN,
    ChartType.WATERFALL: PLAIN,
    ChartType.GROUPED_BAR: PLAIN | {ChartChannel.GROUP},
    ChartType.STACKED_BAR: PLAIN,
    ChartType.HISTOGRAM: frozenset({X, COLOR}) | FACETS,
    ChartType.DENSITY: frozenset({X, COLOR}) | FACETS,
    ChartType.BOXPLOT: PLAIN,
    ChartType.RANGED_DOT: PLAIN,
    ChartType.LINE: PLAIN | {ChartChannel.STROKE_DASH},
    ChartType.AREA: PLAIN,
    ChartType.STREAMGRAPH: PLAIN,
    ChartType.PIE: frozenset({SIZE, COLOR}) | FACETS,
    ChartType.ROSE: PLAIN,
    ChartType.RADAR: PLAIN,
    ChartType.HEATMAP: PLAIN,
    ChartType.BAR_TABLE: PLAIN,
    ChartType.KPI_CARD: frozenset({ChartChannel.METRIC, ChartChannel.VALUE, ChartChannel.GOAL}),
    ChartType.CANDLESTICK: frozenset({X, *PRICES}) | FACETS,
    ChartType.WORLD_MAP: GEO,
    ChartType.US_MAP: GEO,
    ChartType.PYRAMID: PLAIN,
    ChartType.BUMP: PLAIN,
    ChartType.STRIP: PLAIN,
}
"""The channels of each chart; any other is dropped with a note."""

BOTH_AXES = (X, Y)

NEEDED: Mapping[ChartType, tuple[ChartChannel, ...]] = {
    **dict.fromkeys(ChartType, BOTH_AXES),
    **dict.fromkeys((ChartType.BAR, ChartType.LOLLIPOP, ChartType.STACKED_BAR), (X,)),
    **dict.fromkeys((ChartType.HISTOGRAM, ChartType.DENSITY, ChartType.ROSE), (X,)),
    **dict.fromkeys((ChartType.BOXPLOT, ChartType.STRIP), (Y,)),
    **dict.fromkeys(
        (ChartType.WORLD_MAP, ChartType.US_MAP), (ChartChannel.LONGITUDE, ChartChannel.LATITUDE)
    ),
    ChartType.PIE: (COLOR,),
    ChartType.KPI_CARD: (ChartChannel.VALUE,),
    ChartType.CANDLESTICK: (X, *PRICES),
}
"""Required channels. Bars, wedges and petals without a measure count rows."""

MEASURED: Mapping[ChartType, frozenset[ChartChannel]] = {
    **dict.fromkeys(ChartType, frozenset({X, Y})),
    **dict.fromkeys((ChartType.BAR, ChartType.LOLLIPOP, ChartType.BAR_TABLE), PLAIN - FACETS),
    **dict.fromkeys((ChartType.SCATTER, ChartType.REGRESSION), frozenset({X, Y, COLOR, SIZE})),
    **dict.fromkeys((ChartType.LINE, ChartType.AREA, ChartType.STREAMGRAPH), frozenset({Y})),
    **dict.fromkeys((ChartType.ROSE, ChartType.RADAR, ChartType.BUMP), frozenset({Y})),
    **dict.fromkeys((ChartType.WORLD_MAP, ChartType.US_MAP), frozenset({COLOR, SIZE})),
    **dict.fromkeys((ChartType.HISTOGRAM, ChartType.DENSITY), frozenset()),
    **dict.fromkeys((ChartType.BOXPLOT, ChartType.CANDLESTICK), frozenset()),
    ChartType.PIE: frozenset({SIZE}),
    ChartType.HEATMAP: frozenset({COLOR}),
    ChartType.KPI_CARD: frozenset({ChartChannel.VALUE, ChartChannel.GOAL}),
}
"""The channels whose field may be aggregated; the others divide rows, or show single values."""
BOTH_MEASURED = frozenset({ChartType.SCATTER, ChartType.REGRESSION})
"""Charts of which both axes may be aggregated; of the others one divides rows."""

TURNABLE = frozenset(
    {
        *(ChartType.BAR, ChartType.STACKED_BAR, ChartType.GROUPED_BAR, ChartType.LOLLIPOP),
        *(ChartType.BOXPLOT, ChartType.STRIP),
    }
)
"""Charts that can be horizontal."""

ANY_CHART_OPTIONS = frozenset({"title", "subtitle", "timeUnit", "stack", "stackMode"})
"""Options of `config` that are applied to every chart, or have a note of their own."""
OPTIONS: Mapping[ChartType, frozenset[str]] = {
    **dict.fromkeys(TURNABLE, frozenset({"orientation"})),
    **dict.fromkeys((ChartType.LINE, ChartType.AREA), frozenset({"interpolate"})),
    **dict.fromkeys(
        (ChartType.WORLD_MAP, ChartType.US_MAP), frozenset({"projection", "projectionCenter"})
    ),
    ChartType.STREAMGRAPH: frozenset({"interpolate"}),
    ChartType.SCATTER: frozenset({"opacity"}),
    ChartType.REGRESSION: frozenset({"opacity", "regressionMethod", "polyOrder"}),
    ChartType.HISTOGRAM: frozenset({"binCount", "maxbins"}),
    ChartType.PIE: frozenset({"innerRadius"}),
    ChartType.HEATMAP: frozenset({"colorScheme"}),
}
"""The other options of `config` that each chart has."""

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
    "hbar": ChartType.BAR,
    "barh": ChartType.BAR,
    "horizontalbar": ChartType.BAR,
    "verticalbar": ChartType.BAR,
    "horizontalstackedbar": ChartType.STACKED_BAR,
    "horizontalgroupedbar": ChartType.GROUPED_BAR,
    **dict.fromkeys(("横向柱状", "横向条形", "水平柱状", "水平条形", "横条"), ChartType.BAR),
    "柱状": ChartType.BAR,
    "柱形": ChartType.BAR,
    "条形": ChartType.BAR,
    "lollipop": ChartType.LOLLIPOP,
    "waterfall": ChartType.WATERFALL,
    "groupedbar": ChartType.GROUPED_BAR,
    "groupbar": ChartType.GROUPED_BAR,
    "clusteredbar": ChartType.GROUPED_BAR,
    "stackedbar": ChartType.STACKED_BAR,
    "stackbar": ChartType.STACKED_BAR,
    "100stackedbar": ChartType.STACKED_BAR,
    "normalizedstackedbar": ChartType.STACKED_BAR,
    "percentstackedbar": ChartType.STACKED_BAR,
    "normalisedstackedbar": ChartType.STACKED_BAR,
    **dict.fromkeys(("百分比堆叠柱状", "百分比堆积柱状"), ChartType.STACKED_BAR),
    "堆叠柱状": ChartType.STACKED_BAR,
    "堆积柱状": ChartType.STACKED_BAR,
    "分组柱状": ChartType.GROUPED_BAR,
    "簇状柱形": ChartType.GROUPED_BAR,
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
    "multiline": ChartType.LINE,
    "multiseriesline": ChartType.LINE,
    "折线": ChartType.LINE,
    "散点": ChartType.SCATTER,
    "气泡": ChartType.SCATTER,
    "直方": ChartType.HISTOGRAM,
    "箱线": ChartType.BOXPLOT,
    "箱形": ChartType.BOXPLOT,
    "面积": ChartType.AREA,
    "热力": ChartType.HEATMAP,
    "雷达": ChartType.RADAR,
    "瀑布": ChartType.WATERFALL,
    "饼": ChartType.PIE,
    "饼状": ChartType.PIE,
    "环形": ChartType.PIE,
    "玫瑰": ChartType.ROSE,
    "k线": ChartType.CANDLESTICK,
    "area": ChartType.AREA,
    "stackedarea": ChartType.AREA,
    "normalizedstackedarea": ChartType.AREA,
    "normalisedstackedarea": ChartType.AREA,
    "100stackedarea": ChartType.AREA,
    "percentstackedarea": ChartType.AREA,
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
"""Synonyms of chart types, in lower case, without punctuation, `chart`, `plot` or `graph`."""

TYPE_OPTIONS: Mapping[str, Mapping[str, str | int]] = {
    **dict.fromkeys(("hbar", "barh"), HORIZONTAL),
    **{word: HORIZONTAL for word in TYPE_WORDS if word.startswith(("horizontal", "横", "水平"))},
    **{
        word: {"stack": "normalize"}
        for word in TYPE_WORDS
        if word.startswith(("100", "normali", "percent", "百分比"))
    },
    **dict.fromkeys(("donut", "doughnut", "环形"), DONUT),
}
"""The options that a name of a chart implies, unless the config sets them."""

CHANNEL_WORDS: Mapping[str, ChartChannel] = {
    **{channel.lower(): channel for channel in ChartChannel},
    "facet": ChartChannel.COLUMN,
    "colour": COLOR,
    "hue": COLOR,
    "xoffset": ChartChannel.GROUP,
    "theta": SIZE,
    "angle": SIZE,
    "dash": ChartChannel.STROKE_DASH,
    "lon": ChartChannel.LONGITUDE,
    "lng": ChartChannel.LONGITUDE,
    "lat": ChartChannel.LATITUDE,
    "label": ChartChannel.METRIC,
    "target": ChartChannel.GOAL,
}

MOVED: Mapping[ChartType, Mapping[ChartChannel, ChartChannel]] = {
    ChartType.PIE: {X: COLOR, Y: SIZE, ChartChannel.VALUE: SIZE},
    ChartType.ROSE: {SIZE: Y},
    ChartType.KPI_CARD: {X: ChartChannel.METRIC, Y: ChartChannel.VALUE},
    ChartType.HISTOGRAM: {Y: X},
    ChartType.DENSITY: {Y: X},
    ChartType.WORLD_MAP: {X: ChartChannel.LONGITUDE, Y: ChartChannel.LATITUDE},
    ChartType.US_MAP: {X: ChartChannel.LONGITUDE, Y: ChartChannel.LATITUDE},
}
"""The channel that replaces one the chart type does not have, if it is free."""
