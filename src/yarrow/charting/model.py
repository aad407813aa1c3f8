"""Types of charting: chart types, channels, meanings of fields, requests and compiled charts."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, TypeAlias

from msgspec import Struct, field

from yarrow.kit.json import JsonObject

VegaSpec: TypeAlias = dict[str, Any]
"""A Vega-Lite spec or a part of one; its grammar is checked by Vega's schema, not by types."""


class ChartLanguage(StrEnum):
    """A language of titles, labels and questions; any other code is English."""

    EN = "en"
    ZH = "zh"
    HANT = "zh-Hant"
    """Chinese in traditional script; its texts are converted from those of `ZH`."""

    @classmethod
    def _missing_(cls, _code: object) -> "ChartLanguage":
        return cls.EN


class ChartType(StrEnum):
    """Chart types, by the names of Data Formulator's client."""

    SCATTER = "Scatter Plot"
    REGRESSION = "Regression"
    BAR = "Bar Chart"
    LOLLIPOP = "Lollipop Chart"
    WATERFALL = "Waterfall Chart"
    GROUPED_BAR = "Grouped Bar Chart"
    STACKED_BAR = "Stacked Bar Chart"
    HISTOGRAM = "Histogram"
    DENSITY = "Density Plot"
    BOXPLOT = "Boxplot"
    RANGED_DOT = "Ranged Dot Plot"
    LINE = "Line Chart"
    AREA = "Area Chart"
    STREAMGRAPH = "Streamgraph"
    PIE = "Pie Chart"
    ROSE = "Rose Chart"
    RADAR = "Radar Chart"
    HEATMAP = "Heatmap"
    BAR_TABLE = "Bar Table"
    KPI_CARD = "KPI Card"
    CANDLESTICK = "Candlestick Chart"
    WORLD_MAP = "World Map"
    US_MAP = "US Map"
    PYRAMID = "Pyramid Chart"
    BUMP = "Bump Chart"
    STRIP = "Strip Plot"


class ChartChannel(StrEnum):
    """An encoding channel of a chart. `facet` on the wire is `column` here."""

    X = "x"
    Y = "y"
    COLOR = "color"
    SIZE = "size"
    GROUP = "group"
    STROKE_DASH = "strokeDash"
    COLUMN = "column"
    ROW = "row"
    METRIC = "metric"
    VALUE = "value"
    GOAL = "goal"
    OPEN = "open"
    HIGH = "high"
    LOW = "low"
    CLOSE = "close"
    LONGITUDE = "longitude"
    LATITUDE = "latitude"


class DType(StrEnum):
    """How the values of a column are stored."""

    DATETIME = "datetime"
    DATE = "date"
    TIME = "time"
    DURATION = "duration"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    STRING = "string"


NUMERIC = frozenset({DType.INTEGER, DType.NUMBER, DType.DURATION})


class FieldKind(StrEnum):
    """Vega-Lite's four types of fields."""

    QUANTITATIVE = "quantitative"
    TEMPORAL = "temporal"
    ORDINAL = "ordinal"
    NOMINAL = "nominal"


class SemanticType(StrEnum):
    """What the values of a field mean."""

    DATETIME = "DateTime"
    DATE = "Date"
    TIME = "Time"
    TIMESTAMP = "Timestamp"
    YEAR = "Year"
    QUARTER = "Quarter"
    MONTH = "Month"
    WEEK = "Week"
    DAY = "Day"
    HOUR = "Hour"
    YEAR_MONTH = "YearMonth"
    YEAR_QUARTER = "YearQuarter"
    YEAR_WEEK = "YearWeek"
    DECADE = "Decade"
    DURATION = "Duration"
    AMOUNT = "Amount"
    PRICE = "Price"
    QUANTITY = "Quantity"
    TEMPERATURE = "Temperature"
    PERCENTAGE = "Percentage"
    PROFIT = "Profit"
    PERCENTAGE_CHANGE = "PercentageChange"
    SENTIMENT = "Sentiment"
    CORRELATION = "Correlation"
    COUNT = "Count"
    NUMBER = "Number"
    RANK = "Rank"
    SCORE = "Score"
    ID = "ID"
    LATITUDE = "Latitude"
    LONGITUDE = "Longitude"
    COUNTRY = "Country"
    STATE = "State"
    CITY = "City"
    REGION = "Region"
    ADDRESS = "Address"
    ZIP_CODE = "ZipCode"
    CATEGORY = "Category"
    NAME = "Name"
    STATUS = "Status"
    BOOLEAN = "Boolean"
    DIRECTION = "Direction"
    RANGE = "Range"
    UNKNOWN = "Unknown"


class PercentScale(StrEnum):
    """How percentages are stored."""

    FRACTION = "fraction"
    PERCENT = "percent"


class Aggregate(StrEnum):
    """How the values of several rows become one; the names are Vega-Lite's."""

    SUM = "sum"
    MEAN = "mean"
    MEDIAN = "median"
    MIN = "min"
    MAX = "max"
    COUNT = "count"
    DISTINCT = "distinct"
    STDEV = "stdev"


class FieldMeaning(Struct, frozen=True):
    """Registered meaning of a field; it overrides what is inferred."""

    semantic_type: SemanticType
    unit: str | None = None
    domain: tuple[float, float] | None = None


class ChartIntent(Struct, frozen=True):
    """A parsed chart request: the chart type, and the field of each channel."""

    chart_type: ChartType
    encodings: Mapping[ChartChannel, str] = field(default_factory=dict)
    config: JsonObject = field(default_factory=dict)
    aggregates: Mapping[ChartChannel, Aggregate] = field(default_factory=dict)
    """The aggregates that the request names; a count may have no field."""
    notes: tuple[str, ...] = ()
    """What was ignored or replaced when the request was parsed."""


class ChartSize(Struct, frozen=True):
    """The plotting area in pixels, without axes and legends."""

    width: int = 400
    height: int = 300


class ReductionKind(StrEnum):
    """How the rows of a table became those of a chart."""

    NONE = "none"
    AGGREGATED = "aggregated"
    SAMPLED = "sampled"


class ChartReduction(Struct, frozen=True):
    """How many rows a chart is made of, and how they became fewer."""

    kind: ReductionKind = ReductionKind.NONE
    table_rows: int = 0
    by: tuple[str, ...] = ()
    """Columns by which rows were grouped."""
    aggregates: Mapping[str, str] = field(default_factory=dict)
    """The aggregate of each measured column; a count of rows has the name of its key."""


class CompiledChart(Struct, frozen=True):
    """A Vega-Lite spec with its data inside; `notes` say what was omitted or aggregated."""

    spec: VegaSpec
    intent: ChartIntent
    """What is drawn: the type and the fields of the spec, also if the request left them open."""
    rows: list[JsonObject]
    """The rows of the spec by names of columns, for clients that draw the chart themselves."""
    reduction: ChartReduction
    notes: tuple[str, ...] = ()
    is_sample: bool = False
    """Whether `rows` are rows of the table instead, of many an even sample: those of a histogram, a
    density or a box plot, whose bins and quartiles cannot be drawn again."""
