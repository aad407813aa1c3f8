"""Vega-Lite channel definitions: axes, number formats, colours, tooltips."""

import math
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from yarrow.charting.columns import SIGNED
from yarrow.charting.dates import are_years
from yarrow.charting.fields import Field
from yarrow.charting.frame import Frame
from yarrow.charting.model import Channel, FieldKind, SemanticType, VegaSpec
from yarrow.charting.palette import DIVERGING, SAFE, SEQUENTIAL
from yarrow.charting.value_order import in_order
from yarrow.kit.json import JsonValue

SHARES: Final = frozenset({SemanticType.PERCENTAGE, SemanticType.PERCENTAGE_CHANGE})
MONEY: Final = frozenset({SemanticType.AMOUNT, SemanticType.PRICE, SemanticType.PROFIT})
FRACTION_MAX = 1.5
"""Shares up to here are fractions of one; growth may pass it a little."""
NARROW_SHARES = 0.1
LONG_NUMBER = 10_000
SMALL_NUMBER = 0.01
"""With two digits after the point it would be nothing."""
ROUNDED_UP = 0.99995
"""From here on one digit after the point makes a number the next size: 999,950 is 1M."""
HALVES_UNTOLD = "datum.value % 1 ? '' : datum.label"
"""Vega takes no step below one, but half of it; rounded, its label would be there twice."""
WHOLE: Final[VegaSpec] = {"format": ",d", "tickMinStep": 1, "labelExpr": HALVES_UNTOLD}
SHORT_LABELS = "replace(format(datum.value, '~s'), 'G', 'B')"


def marked_percent(field: Field, values: Sequence[float]) -> Field:
    """A share that is told in hundredths says so in its title."""
    if field.meaning not in SHARES or is_fraction(field, values) or "%" in field.title:
        return field
    return replace(field, title=f"{field.title} (%)")


def is_fraction(field: Field, values: Sequence[float]) -> bool:
    """Whether a share is told as 0.25 and not as 25."""
    if field.meaning not in SHARES:
        return False
    if field.domain is not None:
        return field.domain[1] <= FRACTION_MAX
    return all(abs(value) <= FRACTION_MAX for value in values)


def axis_format(field: Field, values: Sequence[float]) -> VegaSpec:
    """What an axis or a legend of this measure is labelled by."""
    if is_fraction(field, values):
        return {"format": ".0%" if max(map(abs, values), default=0) >= NARROW_SHARES else ".1%"}
    if values and max(map(abs, values)) >= LONG_NUMBER:
        return {"labelExpr": SHORT_LABELS}
    if values and all(float(value).is_integer() for value in values):
        spread = max(values) - min(values)
        found: VegaSpec = dict(WHOLE) if spread < 10 else {"format": ",d"}
        return found | {"format": "d"} if _are_years(field, values) else found
    return {}


def _are_years(field: Field, values: Sequence[float]) -> bool:
    """A year that is measured is still written as one: 2020, not 2,020."""
    return field.meaning in {None, SemanticType.YEAR} and are_years(values)


def text_format(field: Field, values: Sequence[float]) -> str:
    """The exact value, for tooltips and labels."""
    if is_fraction(field, values):
        return "+.1%" if field.meaning is SemanticType.PERCENTAGE_CHANGE else ".1%"
    if values and all(float(value).is_integer() for value in values):
        return "d" if _are_years(field, values) else ",d"
    if field.meaning in MONEY or (values and max(map(abs, values)) >= 1):
        return ",.2f" if field.meaning in MONEY else ",.2~f"
    return ",.3~g"


def written(value: float | None, field: Field, values: Sequence[float]) -> str:
    """A number as the text on a card: short when it is long."""
    if value is None:
        return "–"
    if is_fraction(field, values):
        return f"{value:.1%}"
    if 0 < abs(value) < SMALL_NUMBER:
        return f"{value:.3g}"
    for size, letter in ((1e9, "B"), (1e6, "M"), (1e4, "k")):
        if abs(value) >= size * ROUNDED_UP:
            scaled = value / (1e3 if letter == "k" else size)
            return f"{scaled:,.1f}".removesuffix(".0") + letter
    return f"{value:,.2f}".rstrip("0").rstrip(".")


STEP_FROM = 12
STEP = 20
TURN_FROM = 8
TURN_LONG_FROM = 4
LONG_LABEL = 10
LEGEND_MAX = 20
ORDER_MAX = 200
LABELS_MAX = 40
LONGEST = 4
"""An axis grows with its places up to so many times the chart's width; then they move closer."""
LOG_SPAN = 10_000
POWERS_MAX = 6
FEW_STEPS = 3
"""More values in an order are shaded from one end to the other."""
NEAR = 0.5
"""A range of less than this share of its largest value is drawn without zero."""


def position(frame: Frame, field: Field, *, zero: bool | None = None) -> VegaSpec:
    """A field on an axis. `zero` forces the baseline in or lets it go; else the values decide."""
    base: VegaSpec = {"field": field.key, "type": str(field.kind), "title": field.title}
    match field.kind:
        case FieldKind.QUANTITATIVE:
            return base | _measure_axis(field, frame.numbers(field), zero=zero)
        case FieldKind.TEMPORAL:
            return base | _time_axis(field, frame.values(field))
        case FieldKind.ORDINAL | FieldKind.NOMINAL:
            return base | _places_axis(frame, field)


def unbounded(definition: VegaSpec) -> VegaSpec:
    """Without the range of its values: what lies on top of each other reaches beyond it."""
    scale = {key: value for key, value in definition.get("scale", {}).items() if key != "domain"}
    return definition | {"scale": scale}


def across(definition: VegaSpec, values: Sequence[JsonValue]) -> VegaSpec:
    """A discrete axis along the bottom, with labels turned where they would not fit."""
    axis = {**definition.get("axis", {}), "labelAngle": _angle(values), "labelLimit": 140}
    return definition | {"axis": axis}


def axis(frame: Frame, channel: Channel, *, zero: bool | None = None) -> VegaSpec:
    """The x or y of a plain chart."""
    field = frame.need(channel)
    definition = position(frame, field, zero=zero)
    if channel is Channel.X and field.has_places:
        return across(definition, frame.values(field))
    return definition


def _measure_axis(field: Field, values: Sequence[float], *, zero: bool | None) -> VegaSpec:
    scale: VegaSpec = {}
    if zero is None and values:
        zero = min(values) <= 0 <= max(values) or _spread(values) >= NEAR
    if zero is not None:
        scale["zero"] = zero
    if field.domain is not None and values and _inside(values, field.domain):
        scale["domain"] = list(field.domain)
    found: VegaSpec = {"axis": axis_format(field, values)}
    return found | {"scale": scale} if scale else found


def _inside(values: Sequence[float], domain: tuple[float, float]) -> bool:
    return domain[0] <= min(values) and max(values) <= domain[1]


def _spread(values: Sequence[float]) -> float:
    largest = max(map(abs, values))
    return (max(values) - min(values)) / largest if largest else 1.0


def wants_log(values: Sequence[float]) -> bool:
    """Whether the values span so many sizes that all but the largest would lie on zero."""
    return bool(values) and min(values) > 0 and max(values) / min(values) > LOG_SPAN


def powers_of_ten(values: Sequence[float]) -> list[JsonValue]:
    """Where a logarithmic axis is labelled; Vega would choose 900, 8k and 70k."""
    first, last = (round(math.log10(end)) for end in (min(values), max(values)))
    step = max(1, (last - first) // POWERS_MAX)
    return [float(f"1e{power}") for power in range(first, last + 1, step)]


def _time_axis(field: Field, values: Sequence[JsonValue]) -> VegaSpec:
    found: VegaSpec = {"axis": {"labelOverlap": True, "grid": False}}
    if _whole_days(values):
        found["scale"] = {"type": "utc"}
    if _only_years(field, values):
        count = len(values)
        found["axis"] = found["axis"] | {"format": "%Y", "tickCount": min(max(count - 1, 1), 10)}
    return found


def _whole_days(values: Iterable[JsonValue]) -> bool:
    return all(isinstance(value, str) and "T" not in value for value in values)


def _only_years(field: Field, values: Sequence[JsonValue]) -> bool:
    short = all(isinstance(value, str) and len(value) == 4 for value in values)
    return short or field.meaning is SemanticType.YEAR


def _places_axis(frame: Frame, field: Field) -> VegaSpec:
    found: VegaSpec = {"axis": {"grid": False, "labelLimit": 160}}
    places = frame.domains.get(field.key) or sort_order(field, frame.values(field))
    places = places or frame.values(field)
    if _is_crowded(frame, len(places)):
        found["axis"] |= {"values": some_of(places), "labelOverlap": "greedy"}
    if domain := frame.domains.get(field.key):
        return found | {"sort": None, "scale": {"domain": domain}}
    return found | {"sort": _axis_order(field, frame.values(field))}


def _axis_order(field: Field, values: Sequence[JsonValue]) -> JsonValue:
    """Vega-Lite makes a condition in a condition of every value it is to sort by, and overflows."""
    plain = field.dated or field.numeric
    return "ascending" if plain and len(values) > ORDER_MAX else sort_order(field, values)


def some_of(places: list[JsonValue], most: int = LABELS_MAX) -> list[JsonValue]:
    """The places that are labelled where not all can be: to choose takes Vega seconds."""
    return places[:: max(1, -(-len(places) // most))]


def sort_order(field: Field, values: Sequence[JsonValue]) -> list[JsonValue] | None:
    """Calendar and size where a field has them; else the order of the rows."""
    return in_order(values, field.meaning) if field.has_order else None


def by_size(frame: Frame, field: Field, measure: Field) -> VegaSpec:
    """Largest first: how names without an order of their own are best read."""
    if field.has_order or field.key in frame.domains:
        return {}
    return {"sort": {"field": measure.key, "op": "sum", "order": "descending"}}


def _angle(values: Sequence[JsonValue]) -> int:
    longest = max((width_of(value) for value in values), default=0)
    crowded = len(values) > TURN_FROM
    return -45 if crowded or (len(values) > TURN_LONG_FROM and longest > LONG_LABEL) else 0


def width_of(value: JsonValue) -> int:
    """The width of a label in Latin letters; a Chinese character takes two."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in str(value))


def extent(frame: Frame, channel: Channel) -> JsonValue:
    """The length of an axis: the chart's size, or a step for each of many places."""
    across_x = channel is Channel.X
    plain = frame.size.width if across_x else frame.size.height
    field = frame.get(channel)
    if field is None or not field.has_places or len(frame.values(field)) <= STEP_FROM:
        return plain
    return room(frame, len(frame.values(field)))


def room(frame: Frame, places: int, step: int = STEP) -> JsonValue:
    """A step for each place; where that would be longer than any page, a length for all."""
    return longest_side(frame) if _is_crowded(frame, places, step) else {"step": step}


def longest_side(frame: Frame) -> int:
    return LONGEST * frame.size.width


def _is_crowded(frame: Frame, places: int, step: int = STEP) -> bool:
    return places * step > longest_side(frame)


def sized(frame: Frame) -> VegaSpec:
    return {"width": extent(frame, Channel.X), "height": extent(frame, Channel.Y)}


def color(frame: Frame, field: Field) -> VegaSpec:
    """Separate hues for names, one ramp for sizes, two away from zero for gains and losses."""
    base: VegaSpec = {"field": field.key, "type": str(field.kind), "title": field.title}
    if field.measures:
        values = frame.numbers(field)
        return base | {"scale": ramp(field, values), "legend": axis_format(field, values)}
    if field.is_time:
        utc: VegaSpec = {"type": "utc"} if _whole_days(frame.values(field)) else {}
        return base | {"scale": {**utc, "scheme": SEQUENTIAL}}
    names = frame.values(field)
    hues: VegaSpec = {"range": list(SAFE[: max(len(names), 1)])}
    if field.has_order and len(names) > FEW_STEPS:
        hues = {"scheme": SEQUENTIAL}
    found = base | {"scale": hues, "sort": _axis_order(field, names)}
    return found | ({"legend": {"symbolLimit": LEGEND_MAX}} if len(names) > LEGEND_MAX else {})


def ramp(field: Field, values: Sequence[float], scheme: str | None = None) -> VegaSpec:
    """A continuous colour scale; signed measures meet in the middle at zero."""
    signed = field.meaning in SIGNED and values and min(values) < 0 < max(values)
    found: VegaSpec = {"scheme": scheme or (DIVERGING if signed else SEQUENTIAL)}
    return found | {"domainMid": 0} if signed else found


def tooltip(frame: Frame, *fields: Field | None) -> list[VegaSpec]:
    """Every shown field once, written out in full."""
    shown = {field.key: field for field in fields if field is not None}
    return [_told(frame, field) for field in shown.values()]


def _told(frame: Frame, field: Field) -> VegaSpec:
    base: VegaSpec = {"field": field.key, "title": field.title}
    if field.measures:
        return base | {"type": "quantitative", "format": text_format(field, frame.numbers(field))}
    if field.is_time and not _whole_days(frame.values(field)):
        return base | {"type": "temporal", "format": "%Y-%m-%d %H:%M"}
    return base | {"type": "nominal"}


def all_tips(frame: Frame) -> list[VegaSpec]:
    return tooltip(frame, *frame.fields.values())
