"""Fields: table columns as a chart reads them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from yarrow.charting.channels import FACETS, PRICES
from yarrow.charting.columns import KIND_OF, ChartColumn, TableShape, field_kind, guess_meaning
from yarrow.charting.model import NUMERIC, Channel, ChartType, FieldKind, FieldMeaning, SemanticType

SPECIAL = str.maketrans(dict.fromkeys(".[]\\'\"\n\r\t\u2028\u2029", "_"))
"""Characters by which Vega means a path into an object, and those that end a line of its code."""
INHERITED = frozenset(
    {
        *("constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable"),
        *("toLocaleString", "toString", "valueOf"),
    }
)
"""Names that every object of JavaScript has already."""


@dataclass(frozen=True, slots=True)
class Field:
    """One column as a chart sees it."""

    name: str
    key: str
    """Its name in the spec's rows, free of characters that Vega reads as a path."""
    kind: FieldKind
    title: str
    numeric: bool
    dated: bool = False
    """Its values are moments, also where it stands on an axis of separate places."""
    meaning: SemanticType | None = None
    unit: str | None = None
    domain: tuple[float, float] | None = None

    @property
    def measures(self) -> bool:
        return self.kind is FieldKind.QUANTITATIVE

    @property
    def is_time(self) -> bool:
        return self.kind is FieldKind.TEMPORAL

    @property
    def has_places(self) -> bool:
        """Its values stand side by side, each with a place of its own."""
        return self.kind in {FieldKind.NOMINAL, FieldKind.ORDINAL}

    @property
    def has_order(self) -> bool:
        """Its values have an order of their own, whatever the chart makes of them."""
        ordered = self.meaning is not None and KIND_OF[self.meaning] is FieldKind.ORDINAL
        return self.dated or self.numeric or ordered or self.kind is FieldKind.ORDINAL

    def as_kind(self, kind: FieldKind) -> "Field":
        """Read otherwise; a year that is measured is a number and no moment any more."""
        return replace(self, kind=kind, dated=self.dated and kind is not FieldKind.QUANTITATIVE)


def made_field(key: str, title: str, *, kind: FieldKind = FieldKind.QUANTITATIVE) -> Field:
    """A field that the table does not have: a count, a rank, a running sum."""
    numeric = kind is FieldKind.QUANTITATIVE
    return Field(key, key, kind, title, numeric=numeric)


def resolve_fields(
    names: tuple[str, ...],
    shape: TableShape,
    *,
    meanings: Mapping[str, FieldMeaning],
    display_names: Mapping[str, str],
) -> dict[str, Field]:
    """The named columns as fields; keys stay apart even where cleaned names would meet."""
    fields: dict[str, Field] = {}
    for name in names:
        column = shape.column(name)
        if column is None or name in fields:
            continue
        taken = {field.key for field in fields.values()}
        fields[name] = _field(column, _key(name, taken), shape.row_count, meanings.get(name))
    return {
        name: replace(field, title=_title(display_names.get(name) or name, field.unit))
        for name, field in fields.items()
    }


def _field(column: ChartColumn, key: str, row_count: int, told: FieldMeaning | None) -> Field:
    kind = field_kind(column, row_count=row_count, meaning=told)
    return Field(
        column.name,
        key,
        kind,
        column.name,
        numeric=column.dtype in NUMERIC,
        dated=kind is FieldKind.TEMPORAL,
        meaning=told.semantic_type if told else guess_meaning(column),
        unit=told.unit if told else None,
        domain=told.domain if told else None,
    )


def _key(name: str, taken: set[str]) -> str:
    # A leading underscore marks what drawings add to the rows.
    key = name.translate(SPECIAL).lstrip("_") or "field"
    while key in taken or key in INHERITED:
        key += "_"
    return key


def _title(name: str, unit: str | None) -> str:
    """On one line, and none that Vega would look up and find: it takes titles into its code."""
    name = " ".join(name.split())
    name += " " * (name in INHERITED)
    return f"{name} ({unit})" if unit and unit not in name else name


Fields = dict[Channel, Field]

X, Y, COLOR = Channel.X, Channel.Y, Channel.COLOR
PLACE_NAMES = frozenset({SemanticType.ID, SemanticType.ZIP_CODE})
RAMPED = frozenset(
    {
        *(ChartType.SCATTER, ChartType.REGRESSION, ChartType.HEATMAP, ChartType.WORLD_MAP),
        *(ChartType.US_MAP, ChartType.BAR, ChartType.LOLLIPOP, ChartType.BAR_TABLE),
    }
)
"""Charts in which a colour may be a quantity; elsewhere colours tell series apart."""


def retyped(chart_type: ChartType, fields: Mapping[Channel, Field]) -> Fields:
    """The fields as this chart reads them."""
    found = RULES.get(chart_type, _as_told)(dict(fields))
    for channel in FACETS & found.keys():
        found[channel] = _place(found[channel])
    if chart_type not in RAMPED and COLOR in found:
        found[COLOR] = _place(found[COLOR])
    for channel in {Channel.GROUP, Channel.STROKE_DASH} & found.keys():
        found[channel] = _place(found[channel])
    if Channel.SIZE in found:
        found[Channel.SIZE] = _measure(found[Channel.SIZE])
    return found


def _place(field: Field) -> Field:
    return field if field.kind is FieldKind.NOMINAL else field.as_kind(FieldKind.ORDINAL)


def _measure(field: Field) -> Field:
    return field.as_kind(FieldKind.QUANTITATIVE) if field.numeric else field


def _could_measure(field: Field) -> bool:
    return field.measures or (
        field.numeric and not field.dated and field.meaning not in PLACE_NAMES
    )


def _as_told(fields: Fields) -> Fields:
    return fields


def _bars(fields: Fields) -> Fields:
    """One axis measures, the other names places. With two measures the first is the place."""
    measure = _measured_axis(fields)
    for channel in (X, Y):
        if channel in fields:
            field = fields[channel]
            fields[channel] = _measure(field) if channel is measure else _place(field)
    return fields


def _measured_axis(fields: Fields) -> Channel | None:
    x, y = fields.get(X), fields.get(Y)
    if y is not None and y.measures:
        return Y
    if x is not None and x.measures and y is not None:
        return X
    return next((c for c in (Y, X) if c in fields and y and _could_measure(fields[c])), None)


def _spread(fields: Fields) -> Fields:
    """A box or a strip: the places are names, even where they are numbers."""
    fields = _bars(fields)
    return {
        channel: field if field.measures or channel not in (X, Y) else _named(field)
        for channel, field in fields.items()
    }


def _named(field: Field) -> Field:
    return field.as_kind(FieldKind.NOMINAL)


def _one_measure(fields: Fields) -> Fields:
    return fields | {X: _measure(fields[X])}


def _grid(fields: Fields) -> Fields:
    fields |= {X: _named(fields[X]), Y: _named(fields[Y])}
    if COLOR in fields:
        fields[COLOR] = _measure(fields[COLOR])
    return fields


def _wedges(fields: Fields) -> Fields:
    return fields | {COLOR: _named(fields[COLOR])}


def _over_x(fields: Fields) -> Fields:
    return fields | {Y: _measure(fields[Y])}


def _petals(fields: Fields) -> Fields:
    fields[X] = _place(fields[X])
    return fields | ({Y: _measure(fields[Y])} if Y in fields else {})


def _ranks(fields: Fields) -> Fields:
    return fields | {X: _place(fields[X]), Y: _measure(fields[Y])}


def _both_measured(fields: Fields) -> Fields:
    return fields | {
        channel: _measure(fields[channel]) for channel in (X, Y) if not fields[channel].dated
    }


def _cards(fields: Fields) -> Fields:
    return {
        channel: _place(field) if channel is Channel.METRIC else _measure(field)
        for channel, field in fields.items()
    }


def _candles(fields: Fields) -> Fields:
    fields[X] = _place(fields[X])
    return fields | {channel: _measure(fields[channel]) for channel in PRICES}


def _points_on_earth(fields: Fields) -> Fields:
    places = (Channel.LONGITUDE, Channel.LATITUDE)
    return fields | {channel: _measure(fields[channel]) for channel in places}


RULES: Mapping[ChartType, Callable[[Fields], Fields]] = {
    **dict.fromkeys((ChartType.BAR, ChartType.LOLLIPOP, ChartType.WATERFALL), _bars),
    **dict.fromkeys((ChartType.GROUPED_BAR, ChartType.STACKED_BAR, ChartType.PYRAMID), _bars),
    **dict.fromkeys((ChartType.BAR_TABLE, ChartType.RANGED_DOT), _bars),
    **dict.fromkeys((ChartType.BOXPLOT, ChartType.STRIP), _spread),
    **dict.fromkeys((ChartType.HISTOGRAM, ChartType.DENSITY), _one_measure),
    **dict.fromkeys((ChartType.LINE, ChartType.AREA, ChartType.STREAMGRAPH), _over_x),
    **dict.fromkeys((ChartType.ROSE, ChartType.RADAR), _petals),
    **dict.fromkeys((ChartType.WORLD_MAP, ChartType.US_MAP), _points_on_earth),
    ChartType.REGRESSION: _both_measured,
    ChartType.HEATMAP: _grid,
    ChartType.PIE: _wedges,
    ChartType.BUMP: _ranks,
    ChartType.KPI_CARD: _cards,
    ChartType.CANDLESTICK: _candles,
}
