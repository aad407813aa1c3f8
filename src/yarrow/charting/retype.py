"""How a chart wants its fields read, whatever they would be elsewhere.

A histogram needs quantities, a heatmap needs places, and bars stand side by side even over time.
"""

from collections.abc import Callable, Mapping

from yarrow.charting.channels import FACETS, PRICES
from yarrow.charting.fields import Field
from yarrow.charting.model import Channel, ChartType, FieldKind, SemanticType

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
