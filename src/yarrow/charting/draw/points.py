"""Points: two fields against each other, with a trend line or a range between them."""

from yarrow.charting.encode import axis, color, position, powers_of_ten, sized, tooltip, wants_log
from yarrow.charting.fields import Field
from yarrow.charting.frame import (
    Drawing,
    Frame,
    dropped_nulls,
    measured_axis,
    other_axis,
    require_measure,
    require_rows,
)
from yarrow.charting.model import Channel, VegaSpec
from yarrow.charting.palette import BLUE, INK

METHODS = frozenset({"linear", "log", "exp", "pow", "quad", "poly"})
MANY_POINTS = 500


def scatter(frame: Frame) -> Drawing:
    """One dot for each row; a field that spans many sizes gets a logarithmic axis."""
    frame = dropped_nulls(frame, (Channel.X, Channel.Y))
    require_rows(frame, frame.need(Channel.X), frame.need(Channel.Y))
    encoding, frame = _both_axes(frame)
    encoding |= _dressing(frame)
    return Drawing({"mark": _dot(frame), "encoding": encoding} | sized(frame), frame)


def _both_axes(frame: Frame) -> tuple[VegaSpec, Frame]:
    encoding: VegaSpec = {}
    for channel in (Channel.X, Channel.Y):
        field = frame.need(channel)
        encoding[str(channel)] = axis(frame, channel)
        if field.measures and wants_log(frame.numbers(field)):
            encoding[str(channel)]["scale"] = {"type": "log"}
            encoding[str(channel)]["axis"] |= {"values": powers_of_ten(frame.numbers(field))}
            frame = frame.noted(f"{field.title} is drawn on a logarithmic axis")
    return encoding, frame


def _dot(frame: Frame) -> VegaSpec:
    many = len(frame.rows) > MANY_POINTS
    opacity = frame.config.get("opacity")
    found: VegaSpec = {"type": "circle", "opacity": 0.4 if many else 0.75}
    if isinstance(opacity, int | float) and opacity is not True and 0 < opacity <= 1:
        found["opacity"] = opacity
    if Channel.SIZE not in frame.fields:
        found["size"] = 20 if many else 50
    return found if Channel.COLOR in frame.fields else {**found, "color": BLUE}


def _dressing(frame: Frame) -> VegaSpec:
    found: VegaSpec = {"tooltip": tooltip(frame, *frame.fields.values())}
    if field := frame.get(Channel.COLOR):
        found["color"] = color(frame, field)
    if field := frame.get(Channel.SIZE):
        found["size"] = {"field": field.key, "type": str(field.kind), "title": field.title}
        if field.measures:
            found["size"] |= {"scale": {"rangeMin": 15, "rangeMax": 320, "zero": True}}
    return found


def regression(frame: Frame) -> Drawing:
    """The dots, and the line that fits them; the fit is made by Vega from the same rows."""
    frame = dropped_nulls(frame, (Channel.X, Channel.Y))
    x, y = frame.need(Channel.X), frame.need(Channel.Y)
    require_rows(frame, x, y)
    require_measure(frame, Channel.Y)
    if not x.measures and not x.is_time:
        require_measure(frame, Channel.X)
    method, frame = _method(frame, x, y)
    encoding = {"x": axis(frame, Channel.X), "y": axis(frame, Channel.Y)}
    fit: VegaSpec = {"regression": y.key, "on": x.key, "method": method}
    order = frame.config.get("polyOrder")
    if method == "poly" and type(order) is int and 1 <= order <= 10:
        fit["order"] = order
    groups = frame.keys(Channel.COLOR, Channel.COLUMN, Channel.ROW)
    hue = frame.get(Channel.COLOR)
    if groups and (hue is None or not hue.measures):
        fit["groupby"] = groups
    line: VegaSpec = {"mark": {"type": "line", "color": INK, "strokeWidth": 2}}
    line |= {"transform": [fit]}
    if hue is not None and not hue.measures:
        line["encoding"] = {"color": color(frame, hue)}
    dots: VegaSpec = {"mark": _dot(frame), "encoding": _dressing(frame)}
    return Drawing({"encoding": encoding, "layer": [dots, line]} | sized(frame), frame)


def _method(frame: Frame, x: Field, y: Field) -> tuple[str, Frame]:
    """The method asked for, where its mathematics allow it."""
    told = frame.config.get("regressionMethod")
    if told is None:
        return "linear", frame
    if not isinstance(told, str) or told not in METHODS:
        return "linear", frame.noted(f"no regression is called {told!r}; drawn as linear")
    x_values = frame.numbers(x) if x.measures else []
    y_values = frame.numbers(y)
    x_positive = bool(x_values) and min(x_values) > 0
    y_positive = bool(y_values) and min(y_values) > 0
    possible = {"log": x_positive, "pow": x_positive and y_positive, "exp": y_positive}
    if possible.get(told, True):
        return str(told), frame
    return "linear", frame.noted(f"{told} needs values above zero; drawn as linear")


def ranged_dots(frame: Frame) -> Drawing:
    """For each place its dots, and a bar from the least to the greatest."""
    measure = measured_axis(frame)
    require_measure(frame, measure)
    frame = dropped_nulls(frame, (measure,))
    place = other_axis(measure)
    hue = frame.get(Channel.COLOR)
    measured = frame.need(measure)
    shared = axis(frame, place)
    span: VegaSpec = {
        str(measure): {"field": measured.key, "aggregate": "min", "type": "quantitative"},
        f"{measure}2": {"field": measured.key, "aggregate": "max"},
    }
    span[str(measure)] |= {"title": measured.title}
    dots: VegaSpec = {
        str(measure): position(frame, measured),
        "tooltip": tooltip(frame, *frame.fields.values()),
        "color": color(frame, hue) if hue else {"value": BLUE},
    }
    layers: list[VegaSpec] = [
        {"mark": {"type": "rule", "color": "#B8B8B8", "strokeWidth": 2}, "encoding": span},
        {"mark": {"type": "circle", "size": 90, "opacity": 1}, "encoding": dots},
    ]
    return Drawing({"encoding": {str(place): shared}, "layer": layers} | sized(frame), frame)
