"""Resolve columns as fields of a chart, and adapt their kinds to the chart type."""

import re
from collections.abc import Callable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from yarrow.charting.chart_types import FACETS, PRICES
from yarrow.charting.columns import KIND_OF, ChartColumn, TableShape, choose_meaning, field_kind
from yarrow.charting.model import (
    NUMERIC,
    Aggregate,
    ChartChannel,
    ChartType,
    DType,
    FieldKind,
    FieldMeaning,
    PercentScale,
    SemanticType,
)
from yarrow.kit.json import JsonValue

SPECIAL = str.maketrans(dict.fromkeys(".[]\\'\"\n\r\t\u2028\u2029", "_"))
"""Characters that Vega parses as a path, or that end a line of its generated code."""
INHERITED = frozenset(
    {
        *("constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable"),
        *("toLocaleString", "toString", "valueOf"),
    }
)
"""Properties that every JavaScript object inherits."""


class ChartField(Struct, frozen=True):
    """A column as a field of a chart."""

    name: str
    key: str
    """Its name in the spec's rows, without characters that Vega parses as a path."""
    kind: FieldKind
    title: str
    numeric: bool
    dated: bool = False
    """Its values are dates, even if its axis is discrete."""
    meaning: SemanticType | None = None
    unit: str | None = None
    domain: tuple[float, float] | None = None
    is_registered: bool = False
    """The meaning was registered by the request, not guessed."""
    aggregate: Aggregate | None = None
    """The aggregate that the request names."""
    dtype: DType = DType.STRING
    low: JsonValue = None
    high: JsonValue = None
    distinct: int = 0
    nulls: int = 0
    distinct_found: int = 0
    scale: PercentScale | None = None
    """Of percentages, by all rows of the table, whichever are drawn; None if it is not known."""
    is_scale_guessed: bool = False
    days_first: bool | None = None
    """Of dates as text, by all rows of the table; None if none has the form 31/12/2024."""
    is_order_open: bool = False
    """No value decides the order of day and month, or there are both."""

    @property
    def measures(self) -> bool:
        return self.kind is FieldKind.QUANTITATIVE

    @property
    def is_time(self) -> bool:
        return self.kind is FieldKind.TEMPORAL

    @property
    def is_discrete(self) -> bool:
        """Whether its axis has a separate position for each value."""
        return self.kind in {FieldKind.NOMINAL, FieldKind.ORDINAL}

    @property
    def has_order(self) -> bool:
        """Whether its values have an order of their own, whatever its kind in the chart."""
        ordered = self.meaning is not None and KIND_OF[self.meaning] is FieldKind.ORDINAL
        return self.dated or self.numeric or ordered or self.kind is FieldKind.ORDINAL

    def as_kind(self, kind: FieldKind) -> "ChartField":
        """The field as another kind; a quantitative year is a number and not a date."""
        return replace(self, kind=kind, dated=self.dated and kind is not FieldKind.QUANTITATIVE)


def make_field(key: str, title: str) -> ChartField:
    """A computed number, such as a count, a rank or a running sum."""
    return ChartField(key, key, FieldKind.QUANTITATIVE, title, numeric=True)


def resolve_fields(
    names: tuple[str, ...],
    shape: TableShape,
    *,
    meanings: Mapping[str, FieldMeaning],
    display_names: Mapping[str, str],
) -> dict[str, ChartField]:
    """The named columns as fields, with unique keys."""
    fields: dict[str, ChartField] = {}
    for name in names:
        column = shape.column(name)
        if column is None or name in fields:
            continue
        taken = {field.key for field in fields.values()}
        fields[name] = _make_field(
            column, _make_key(name, taken), shape.row_count, meanings.get(name)
        )
    return {
        name: replace(field, title=_make_title(display_names.get(name) or name, field.unit))
        for name, field in fields.items()
    }


def narrow_fields(fields: Mapping[str, ChartField], shape: TableShape) -> dict[str, ChartField]:
    """The fields with the ranges and counts of this shape; what they are stays."""
    return {
        name: replace(
            field,
            low=column.low,
            high=column.high,
            distinct=column.distinct,
            nulls=column.nulls,
            distinct_found=column.distinct_found,
        )
        for name, field in fields.items()
        if (column := shape.column(name)) is not None
    }


def _make_field(
    column: ChartColumn, key: str, row_count: int, meaning: FieldMeaning | None
) -> ChartField:
    kind = field_kind(column, row_count=row_count, meaning=meaning)
    return ChartField(
        column.name,
        key,
        kind,
        column.name,
        numeric=column.dtype in NUMERIC,
        dated=kind is FieldKind.TEMPORAL,
        meaning=choose_meaning(column, meaning),
        unit=meaning.unit if meaning else None,
        domain=meaning.domain if meaning else None,
        is_registered=meaning is not None and meaning.semantic_type is not SemanticType.UNKNOWN,
        dtype=column.dtype,
        low=column.low,
        high=column.high,
        distinct=column.distinct,
        nulls=column.nulls,
        distinct_found=column.distinct_found,
    )


def _make_key(name: str, taken: set[str]) -> str:
    # Keys with a leading underscore are those that drawing adds to the rows.
    key = name.translate(SPECIAL).lstrip("_") or "field"
    while key in taken or key in INHERITED:
        key += "_"
    return key


def _make_title(name: str, unit: str | None) -> str:
    """A title of one line that is no inherited property: Vega puts titles into generated code."""
    name = " ".join(name.split())
    name += " " * (name in INHERITED)
    if not unit or (unit in name and (len(unit) > 1 or not unit.isascii())):
        return name
    return name if unit in WORD.findall(name) else f"{name} ({unit})"


WORD = re.compile(r"\w+|%")
Fields = dict[ChartChannel, ChartField]

X, Y, COLOR = ChartChannel.X, ChartChannel.Y, ChartChannel.COLOR
PLACE_NAMES = frozenset({SemanticType.ID, SemanticType.ZIP_CODE})
YEARS_IN_LEGEND = 12
RAMPED = frozenset(
    {
        *(ChartType.SCATTER, ChartType.REGRESSION, ChartType.HEATMAP, ChartType.WORLD_MAP),
        *(ChartType.US_MAP, ChartType.BAR, ChartType.LOLLIPOP, ChartType.BAR_TABLE),
    }
)
"""Charts whose colour may be quantitative; in others it is discrete."""


def retype_fields(chart_type: ChartType, fields: Mapping[ChartChannel, ChartField]) -> Fields:
    """The fields with the kinds that the chart type needs."""
    retyped = RULES.get(chart_type, _keep_kinds)(dict(fields))
    for channel in FACETS & retyped.keys():
        retyped[channel] = _to_place(retyped[channel])
    if COLOR in retyped:
        retyped[COLOR] = _retype_color(chart_type, retyped[COLOR])
    for channel in {ChartChannel.GROUP, ChartChannel.STROKE_DASH} & retyped.keys():
        retyped[channel] = _to_place(retyped[channel])
    if ChartChannel.SIZE in retyped:
        retyped[ChartChannel.SIZE] = _to_measure(retyped[ChartChannel.SIZE])
    return retyped


def _retype_color(chart_type: ChartType, field: ChartField) -> ChartField:
    """Few years are separate colours, many a gradient of numbers; neither is one of dates."""
    if chart_type not in RAMPED:
        return _to_place(field)
    if field.meaning is SemanticType.YEAR and field.is_time:
        is_many = field.distinct > YEARS_IN_LEGEND and field.numeric
        return _to_measure(field) if is_many else _to_place(field)
    return field


def _to_place(field: ChartField) -> ChartField:
    return field if field.kind is FieldKind.NOMINAL else field.as_kind(FieldKind.ORDINAL)


def _to_measure(field: ChartField) -> ChartField:
    return field.as_kind(FieldKind.QUANTITATIVE) if field.numeric else field


def _can_measure(field: ChartField) -> bool:
    return field.measures or (
        field.numeric and not field.dated and field.meaning not in PLACE_NAMES
    )


def _keep_kinds(fields: Fields) -> Fields:
    return fields


def _retype_bars(fields: Fields) -> Fields:
    """One axis is quantitative, the other discrete; of two measures, x becomes discrete."""
    measure = _find_measure_axis(fields)
    for channel in (X, Y):
        if channel in fields:
            field = fields[channel]
            fields[channel] = _to_measure(field) if channel is measure else _to_place(field)
    return fields


def _find_measure_axis(fields: Fields) -> ChartChannel | None:
    x, y = fields.get(X), fields.get(Y)
    if (aggregated := _find_aggregated(fields)) is not None:
        return aggregated
    if y is not None and y.measures:
        return Y
    if x is not None and x.measures and y is not None:
        return X
    return next((c for c in (Y, X) if c in fields and y and _can_measure(fields[c])), None)


def _find_aggregated(fields: Fields) -> ChartChannel | None:
    """The axis that the request aggregates, if it is one."""
    axes = [c for c in (X, Y) if c in fields and fields[c].aggregate is not None]
    return axes[0] if len(axes) == 1 else None


def _retype_pyramid(fields: Fields) -> Fields:
    """Of two numeric axes the one with fewer values is discrete: ages, not people."""
    x, y = fields.get(X), fields.get(Y)
    if _find_aggregated(fields) is not None or x is None or y is None:
        return _retype_bars(fields)
    if not (_can_measure(x) and y.measures and y.distinct < x.distinct):
        return _retype_bars(fields)
    return fields | {X: _to_measure(x), Y: _to_place(y)}


def _retype_spread(fields: Fields) -> Fields:
    """The discrete axis is nominal, even if its values are numbers."""
    fields = _retype_bars(fields)
    return {
        channel: field if field.measures or channel not in (X, Y) else _to_nominal(field)
        for channel, field in fields.items()
    }


def _to_nominal(field: ChartField) -> ChartField:
    return field.as_kind(FieldKind.NOMINAL)


def _retype_histogram(fields: Fields) -> Fields:
    return fields | {X: _to_measure(fields[X])}


def _retype_heatmap(fields: Fields) -> Fields:
    fields |= {X: _to_nominal(fields[X]), Y: _to_nominal(fields[Y])}
    if COLOR in fields:
        fields[COLOR] = _to_measure(fields[COLOR])
    return fields


def _retype_pie(fields: Fields) -> Fields:
    return fields | {COLOR: _to_nominal(fields[COLOR])}


def _retype_lines(fields: Fields) -> Fields:
    return fields | {Y: _to_measure(fields[Y])}


def _retype_petals(fields: Fields) -> Fields:
    fields[X] = _to_place(fields[X])
    return fields | ({Y: _to_measure(fields[Y])} if Y in fields else {})


def _retype_bump(fields: Fields) -> Fields:
    return fields | {X: _to_place(fields[X]), Y: _to_measure(fields[Y])}


def _retype_regression(fields: Fields) -> Fields:
    return fields | {
        channel: _to_measure(fields[channel]) for channel in (X, Y) if not fields[channel].dated
    }


def _retype_cards(fields: Fields) -> Fields:
    return {
        channel: _to_place(field) if channel is ChartChannel.METRIC else _to_measure(field)
        for channel, field in fields.items()
    }


def _retype_candles(fields: Fields) -> Fields:
    fields[X] = _to_place(fields[X])
    return fields | {channel: _to_measure(fields[channel]) for channel in PRICES}


def _retype_map(fields: Fields) -> Fields:
    places = (ChartChannel.LONGITUDE, ChartChannel.LATITUDE)
    return fields | {channel: _to_measure(fields[channel]) for channel in places}


RULES: Mapping[ChartType, Callable[[Fields], Fields]] = {
    **dict.fromkeys((ChartType.BAR, ChartType.LOLLIPOP, ChartType.WATERFALL), _retype_bars),
    **dict.fromkeys((ChartType.GROUPED_BAR, ChartType.STACKED_BAR), _retype_bars),
    ChartType.PYRAMID: _retype_pyramid,
    **dict.fromkeys((ChartType.BAR_TABLE, ChartType.RANGED_DOT), _retype_bars),
    **dict.fromkeys((ChartType.BOXPLOT, ChartType.STRIP), _retype_spread),
    **dict.fromkeys((ChartType.HISTOGRAM, ChartType.DENSITY), _retype_histogram),
    **dict.fromkeys((ChartType.LINE, ChartType.AREA, ChartType.STREAMGRAPH), _retype_lines),
    **dict.fromkeys((ChartType.ROSE, ChartType.RADAR), _retype_petals),
    **dict.fromkeys((ChartType.WORLD_MAP, ChartType.US_MAP), _retype_map),
    ChartType.REGRESSION: _retype_regression,
    ChartType.HEATMAP: _retype_heatmap,
    ChartType.PIE: _retype_pie,
    ChartType.BUMP: _retype_bump,
    ChartType.KPI_CARD: _retype_cards,
    ChartType.CANDLESTICK: _retype_candles,
}
