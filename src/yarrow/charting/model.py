"""The values of charting: what a table looks like, what is to be drawn, what comes out."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeAlias

from yarrow.kit.json import JsonObject

VegaSpec: TypeAlias = dict[str, Any]
"""A Vega-Lite spec or a part of one; its grammar is checked by Vega's schema, not by types."""


class ChartLanguage(StrEnum):
    """A language of titles, labels and questions; any other code is English."""

    EN = "en"
    ZH = "zh"

    @classmethod
    def _missing_(cls, _code: object) -> "ChartLanguage":
        return cls.EN


class ChartType(StrEnum):
    """Every chart by the full name that agents and clients use."""

    SCATTER = "Scatter Plot"
    REGRESSION = "Regression"
    BAR = "Bar Chart"
    LOLLIPOP = "Lollipop"
    WATERFALL = "Waterfall"
    GROUPED_BAR = "Grouped Bar"
    STACKED_BAR = "Stacked Bar"
    HISTOGRAM = "Histogram"
    DENSITY = "Density"
    BOXPLOT = "Boxplot"
    RANGED_DOT = "Ranged Dot"
    LINE = "Line"
    AREA = "Area"
    STREAMGRAPH = "Streamgraph"
    PIE = "Pie"
    ROSE = "Rose"
    RADAR = "Radar"
    HEATMAP = "Heatmap"
    BAR_TABLE = "Bar Table"
    KPI_CARD = "KPI Card"
    CANDLESTICK = "Candlestick"
    WORLD_MAP = "World Map"
    US_MAP = "US Map"
    PYRAMID = "Pyramid"
    BUMP = "Bump"
    STRIP = "Strip"


class Channel(StrEnum):
    """A place in a chart that a field can fill. `facet` on the wire is `column` here."""

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
    """Vega-Lite's four ways to read a field."""

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


@dataclass(frozen=True, slots=True)
class FieldMeaning:
    """What somebody has registered about a field; it beats every guess of ours."""

    semantic_type: SemanticType
    unit: str | None = None
    domain: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class ChartIntent:
    """What to draw, without saying how: a type, and which field fills which channel."""

    chart_type: ChartType
    encodings: Mapping[Channel, str] = field(default_factory=dict)
    config: JsonObject = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    """What was left out or replaced while the wish was read."""


@dataclass(frozen=True, slots=True)
class Size:
    """The plotting area in pixels, without axes and legends."""

    width: int = 400
    height: int = 300


@dataclass(frozen=True, slots=True)
class CompiledChart:
    """A Vega-Lite spec with its data inside, and what a reader should know about it."""

    spec: VegaSpec
    notes: tuple[str, ...] = ()
