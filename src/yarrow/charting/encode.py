"""Vega-Lite channel definitions: axes, colours, tooltips."""

import math
import unicodedata
from collections.abc import Iterable, Sequence

from yarrow.charting.columns import SIGNED
from yarrow.charting.fields import ChartField
from yarrow.charting.frame import ChartFrame
from yarrow.charting.model import ChartChannel, FieldKind, SemanticType, VegaSpec
from yarrow.charting.number_formats import choose_axis_format, choose_text_format
from yarrow.charting.palette import DIVERGING, REST, SAFE, SAFE_NAMES, SEQUENTIAL
from yarrow.charting.value_order import sort_values
from yarrow.kit.json import JsonValue

STEP_FROM = 12
STEP = 20
LETTER_PX = 5.6
"""Mean width of a Latin letter in a label."""
LABEL_GAP_PX = 6
LABEL_PX, LONG_LABEL_PX = 140, 260
"""A label is cut beyond the first; beyond the second if labels would look alike."""
LEGEND_MAX = 20
ORDER_MAX = 200
LABELS_MAX = 40
LONGEST = 4
"""An axis grows with its values up to this multiple of the chart's width."""
LOG_SPAN = 10_000
POWERS_MAX = 6
FEW_STEPS = 3
"""More ordered values than this get a sequential colour scheme."""
NEAR = 0.5
"""A range of less than this share of its largest value is drawn without zero."""


def encode_position(frame: ChartFrame, field: ChartField, *, zero: bool | None = None) -> VegaSpec:
    """A field on an axis; `zero` includes or excludes zero, None decides by the values."""
    base: VegaSpec = {"field": field.key, "type": str(field.kind), "title": field.title}
    match field.kind:
        case FieldKind.QUANTITATIVE:
            return base | _encode_measure(frame, field, zero=zero)
        case FieldKind.TEMPORAL:
            return base | _encode_time(field, frame.values(field))
        case FieldKind.ORDINAL | FieldKind.NOMINAL:
            return base | _encode_places(frame, field)


def drop_domain(definition: VegaSpec) -> VegaSpec:
    """Drop the scale's domain: stacked values exceed it."""
    scale = {key: value for key, value in definition.get("scale", {}).items() if key != "domain"}
    return definition | {"scale": scale}


def angle_labels(
    frame: ChartFrame,
    definition: VegaSpec,
    values: Sequence[JsonValue],
    *,
    width: JsonValue = None,
) -> VegaSpec:
    """A discrete x axis whose labels are rotated if they do not fit beside each other."""
    axis = definition.get("axis", {})
    shown = axis.get("values", values)
    room = _measure_axis(frame, len(values), width) / max(len(shown), 1)
    angle = 0 if _measure_longest_label(shown) + LABEL_GAP_PX <= room else -45
    return definition | {
        "axis": {**axis, "labelAngle": angle, "labelLimit": choose_label_limit(values)}
    }


def _measure_axis(frame: ChartFrame, count: int, width: JsonValue) -> float:
    """The length of the x axis in pixels, if it has `count` values."""
    if isinstance(width, dict):
        return float(width["step"]) * count
    if isinstance(width, int | float):
        return float(width)
    if count <= STEP_FROM:
        return frame.size.width
    return min(count * STEP, compute_longest_side(frame))


def _measure_longest_label(values: Sequence[JsonValue]) -> float:
    return max((measure_label(value) for value in values), default=0) * LETTER_PX


def choose_label_limit(values: Sequence[JsonValue]) -> int:
    """The width at which labels are cut, so that two of them do not look alike."""
    letters = int(LABEL_PX / LETTER_PX) - 1
    texts = {str(value) for value in values}
    is_ambiguous = len({text[:letters] for text in texts}) < len(texts)
    return LONG_LABEL_PX if is_ambiguous else LABEL_PX


def encode_axis(frame: ChartFrame, channel: ChartChannel, *, zero: bool | None = None) -> VegaSpec:
    """The definition of x or y."""
    field = frame.need(channel)
    definition = encode_position(frame, field, zero=zero)
    if channel is ChartChannel.X and field.is_discrete:
        return angle_labels(frame, definition, frame.values(field))
    return definition


def _encode_measure(frame: ChartFrame, field: ChartField, *, zero: bool | None) -> VegaSpec:
    scale: VegaSpec = {}
    values = frame.numbers(field)
    if zero is None and values:
        zero = min(values) <= 0 <= max(values) or _compute_relative_spread(values) >= NEAR
    if zero is not None:
        scale["zero"] = zero
    if field.domain is not None and values and _is_inside(values, field.domain):
        scale["domain"] = list(field.domain)
    definition: VegaSpec = {"axis": choose_axis_format(field, values, frame.words.language)}
    return definition | {"scale": scale} if scale else definition


def _is_inside(values: Sequence[float], domain: tuple[float, float]) -> bool:
    return domain[0] <= min(values) and max(values) <= domain[1]


def _compute_relative_spread(values: Sequence[float]) -> float:
    largest = max(map(abs, values))
    return (max(values) - min(values)) / largest if largest else 1.0


def needs_log_scale(values: Sequence[float]) -> bool:
    """Whether the values span so many magnitudes that small ones would be drawn at zero."""
    return bool(values) and min(values) > 0 and max(values) / min(values) > LOG_SPAN


def list_log_ticks(values: Sequence[float]) -> list[JsonValue]:
    """Ticks of a logarithmic axis; Vega would choose 900, 8k and 70k."""
    first, last = (round(math.log10(end)) for end in (min(values), max(values)))
    step = max(1, (last - first) // POWERS_MAX)
    return [float(f"1e{power}") for power in range(first, last + 1, step)]


def _encode_time(field: ChartField, values: Sequence[JsonValue]) -> VegaSpec:
    definition: VegaSpec = {"axis": {"labelOverlap": True, "grid": False}}
    if _are_whole_days(values):
        definition["scale"] = {"type": "utc"}
    if _are_only_years(field, values):
        count = len(values)
        definition["axis"] = definition["axis"] | {
            "format": "%Y",
            "tickCount": min(max(count - 1, 1), 10),
        }
    return definition


def _are_whole_days(values: Iterable[JsonValue]) -> bool:
    return all(isinstance(value, str) and "T" not in value for value in values)


def _are_only_years(field: ChartField, values: Sequence[JsonValue]) -> bool:
    short = all(isinstance(value, str) and len(value) == 4 for value in values)
    return short or field.meaning is SemanticType.YEAR


def _encode_places(frame: ChartFrame, field: ChartField) -> VegaSpec:
    limit = choose_label_limit(frame.values(field))
    definition: VegaSpec = {"axis": {"grid": False, "labelLimit": limit}}
    places = frame.domains.get(field.key) or list_in_order(field, frame.values(field))
    places = places or frame.values(field)
    if _is_crowded(frame, len(places)):
        definition["axis"] |= {"values": pick_labels(places), "labelOverlap": "greedy"}
    if domain := frame.domains.get(field.key):
        return definition | {"sort": None, "scale": {"domain": domain}}
    return definition | {"sort": _choose_axis_order(field, frame.values(field))}


def _choose_axis_order(field: ChartField, values: Sequence[JsonValue]) -> JsonValue:
    """Avoid long sort lists: Vega-Lite compiles them to nested conditions, and overflows."""
    plain = field.dated or field.numeric
    return "ascending" if plain and len(values) > ORDER_MAX else list_in_order(field, values)


def pick_labels(places: list[JsonValue], most: int = LABELS_MAX) -> list[JsonValue]:
    """A subset of labels for crowded axes; Vega would take seconds to choose one."""
    return places[:: max(1, -(-len(places) // most))]


def list_in_order(field: ChartField, values: Sequence[JsonValue]) -> list[JsonValue] | None:
    """Values in their own order (calendar, size); None if the field has none."""
    return sort_values(values, field.meaning) if field.has_order else None


def sort_by_size(frame: ChartFrame, field: ChartField, measure: ChartField) -> VegaSpec:
    """Sort names without an order of their own by value, the largest first."""
    if field.has_order or field.key in frame.domains:
        return {}
    return {"sort": {"field": measure.key, "op": "sum", "order": "descending"}}


def measure_label(value: JsonValue) -> int:
    """The width of a label in Latin letters; a Chinese character counts as two."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in str(value))


def encode_length(frame: ChartFrame, channel: ChartChannel) -> JsonValue:
    """The length of an axis: the chart's size, or a step for each of many values."""
    across_x = channel is ChartChannel.X
    plain = frame.size.width if across_x else frame.size.height
    field = frame.get(channel)
    if field is None or not field.is_discrete or len(frame.values(field)) <= STEP_FROM:
        return plain
    return choose_axis_length(frame, len(frame.values(field)))


def choose_axis_length(frame: ChartFrame, places: int, step: int = STEP) -> JsonValue:
    """A step for each value, up to a maximum length."""
    return compute_longest_side(frame) if _is_crowded(frame, places, step) else {"step": step}


def compute_longest_side(frame: ChartFrame) -> int:
    return LONGEST * frame.size.width


def _is_crowded(frame: ChartFrame, places: int, step: int = STEP) -> bool:
    return places * step > compute_longest_side(frame)


def encode_chart_size(frame: ChartFrame) -> VegaSpec:
    return {
        "width": encode_length(frame, ChartChannel.X),
        "height": encode_length(frame, ChartChannel.Y),
    }


def encode_color(frame: ChartFrame, field: ChartField) -> VegaSpec:
    """Distinct hues for names, a sequential scheme for numbers, diverging if they are signed."""
    base: VegaSpec = {"field": field.key, "type": str(field.kind), "title": field.title}
    if field.measures:
        values = frame.numbers(field)
        return base | {
            "scale": encode_color_scale(field, values),
            "legend": choose_axis_format(field, values, frame.words.language),
        }
    if field.is_time:
        utc: VegaSpec = {"type": "utc"} if _are_whole_days(frame.values(field)) else {}
        legend = {"format": "%Y-%m-%d" if utc else "%Y-%m-%d %H:%M"}
        return base | {"scale": {**utc, "scheme": SEQUENTIAL}, "legend": legend}
    names = frame.values(field)
    hues: VegaSpec = {"range": list(SAFE[: max(len(names), 1)])}
    if field.has_order and len(names) > FEW_STEPS:
        hues = {"scheme": SEQUENTIAL}
    definition = base | {"scale": hues, "sort": _choose_axis_order(field, names)}
    if (other := frame.others.get(field.key)) in names:
        # The gathered rest comes last and is grey: it is no series among the others.
        named = [name for name in names if name != other]
        colors = [*(SAFE_NAMES[: len(named)]), REST]
        definition |= {"scale": {"domain": [*named, other], "range": colors}, "sort": None}
    return definition | ({"legend": {"symbolLimit": LEGEND_MAX}} if len(names) > LEGEND_MAX else {})


def encode_color_scale(
    field: ChartField, values: Sequence[float], scheme: str | None = None
) -> VegaSpec:
    """A continuous colour scale; for signed measures a diverging one with zero in the middle."""
    signed = field.meaning in SIGNED and values and min(values) < 0 < max(values)
    definition: VegaSpec = {"scheme": scheme or (DIVERGING if signed else SEQUENTIAL)}
    return definition | {"domainMid": 0} if signed else definition


def encode_tooltip(frame: ChartFrame, *fields: ChartField | None) -> list[VegaSpec]:
    """One tooltip entry for each field, with exact values."""
    shown = {field.key: field for field in fields if field is not None}
    return [_encode_tip(frame, field) for field in shown.values()]


def _encode_tip(frame: ChartFrame, field: ChartField) -> VegaSpec:
    base: VegaSpec = {"field": field.key, "title": field.title}
    if field.measures:
        return base | {
            "type": "quantitative",
            "format": choose_text_format(field, frame.numbers(field)),
        }
    if field.is_time and not _are_whole_days(frame.values(field)):
        return base | {"type": "temporal", "format": "%Y-%m-%d %H:%M"}
    return base | {"type": "nominal"}


def encode_all_tooltips(frame: ChartFrame) -> list[VegaSpec]:
    return encode_tooltip(frame, *frame.fields.values())
