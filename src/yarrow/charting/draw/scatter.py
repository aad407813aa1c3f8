"""Scatter plots, regressions and ranged dot plots."""

from yarrow.charting.encode import (
    encode_axis,
    encode_chart_size,
    encode_color,
    encode_position,
    encode_tooltip,
    list_log_ticks,
    needs_log_scale,
)
from yarrow.charting.fields import ChartField
from yarrow.charting.frame import (
    ChartFrame,
    ChartMarks,
    find_measure_axis,
    other_axis,
    require_measure,
    require_rows,
)
from yarrow.charting.model import ChartChannel, ReductionKind, VegaSpec
from yarrow.charting.notes import Note
from yarrow.charting.number_formats import choose_axis_format
from yarrow.charting.palette import BLUE, INK

METHODS = frozenset({"linear", "log", "exp", "pow", "quad", "poly"})
MANY_POINTS = 500


def draw_scatter(frame: ChartFrame) -> ChartMarks:
    """One dot for each row; a field that spans many magnitudes gets a logarithmic axis."""
    require_rows(frame, frame.need(ChartChannel.X), frame.need(ChartChannel.Y))
    encoding, frame = _encode_axes(frame)
    encoding |= _encode_style(frame)
    return ChartMarks(
        {"mark": _build_dot_mark(frame), "encoding": encoding} | encode_chart_size(frame), frame
    )


def _encode_axes(frame: ChartFrame) -> tuple[VegaSpec, ChartFrame]:
    encoding: VegaSpec = {}
    for channel in (ChartChannel.X, ChartChannel.Y):
        field = frame.need(channel)
        encoding[str(channel)] = encode_axis(frame, channel)
        if field.measures and needs_log_scale(frame.numbers(field)):
            encoding[str(channel)]["scale"] = {"type": "log"}
            encoding[str(channel)]["axis"] |= {"values": list_log_ticks(frame.numbers(field))}
            frame = frame.with_note(Note.LOGARITHMIC, field=field.title)
    return encoding, frame


def _build_dot_mark(frame: ChartFrame) -> VegaSpec:
    many = len(frame.rows) > MANY_POINTS
    opacity = frame.config.get("opacity")
    definition: VegaSpec = {"type": "circle", "opacity": 0.4 if many else 0.75}
    if isinstance(opacity, int | float) and opacity is not True and 0 < opacity <= 1:
        definition["opacity"] = opacity
    if ChartChannel.SIZE not in frame.fields:
        definition["size"] = 20 if many else 50
    return definition if ChartChannel.COLOR in frame.fields else {**definition, "color": BLUE}


def _encode_style(frame: ChartFrame) -> VegaSpec:
    definition: VegaSpec = {"tooltip": encode_tooltip(frame, *frame.fields.values())}
    if field := frame.get(ChartChannel.COLOR):
        definition["color"] = encode_color(frame, field)
    if field := frame.get(ChartChannel.SIZE):
        definition["size"] = {"field": field.key, "type": str(field.kind), "title": field.title}
        if field.measures:
            definition["size"] |= {"scale": {"rangeMin": 15, "rangeMax": 700, "zero": True}}
            definition["size"] |= {
                "legend": choose_axis_format(field, frame.numbers(field), frame.words.language)
            }
    return definition


def draw_regression(frame: ChartFrame) -> ChartMarks:
    """Dots and a regression line, which Vega computes."""
    x, y = frame.need(ChartChannel.X), frame.need(ChartChannel.Y)
    require_rows(frame, x, y)
    require_measure(frame, ChartChannel.Y)
    if not x.measures and not x.is_time:
        require_measure(frame, ChartChannel.X)
    method, frame = _choose_method(frame, x, y)
    if frame.reduction.kind is ReductionKind.SAMPLED:
        frame = frame.with_note(Note.FITTED_TO_SAMPLE)
    encoding = {"x": encode_axis(frame, ChartChannel.X), "y": encode_axis(frame, ChartChannel.Y)}
    fit: VegaSpec = {"regression": y.key, "on": x.key, "method": method}
    order = frame.config.get("polyOrder")
    if method == "poly" and type(order) is int and 1 <= order <= 10:
        fit["order"] = order
    groups = frame.keys(ChartChannel.COLOR, ChartChannel.COLUMN, ChartChannel.ROW)
    hue = frame.get(ChartChannel.COLOR)
    if groups and (hue is None or not hue.measures):
        fit["groupby"] = groups
    line: VegaSpec = {"mark": {"type": "line", "color": INK, "strokeWidth": 2}}
    line |= {"transform": [fit]}
    if hue is not None and not hue.measures:
        line["encoding"] = {"color": encode_color(frame, hue)}
    dots: VegaSpec = {"mark": _build_dot_mark(frame), "encoding": _encode_style(frame)}
    return ChartMarks(
        {"encoding": encoding, "layer": [dots, line]} | encode_chart_size(frame), frame
    )


def _choose_method(frame: ChartFrame, x: ChartField, y: ChartField) -> tuple[str, ChartFrame]:
    """The requested regression method, or linear if it cannot be computed for these values."""
    method = frame.config.get("regressionMethod")
    if method is None:
        return "linear", frame
    if not isinstance(method, str) or method not in METHODS:
        return "linear", frame.with_note(Note.NO_REGRESSION, name=repr(method))
    x_values = frame.numbers(x) if x.measures else []
    y_values = frame.numbers(y)
    x_positive = bool(x_values) and min(x_values) > 0
    y_positive = bool(y_values) and min(y_values) > 0
    possible = {"log": x_positive, "pow": x_positive and y_positive, "exp": y_positive}
    if possible.get(method, True):
        return str(method), frame
    return "linear", frame.with_note(Note.NOT_ABOVE_ZERO, name=method)


def draw_ranged_dots(frame: ChartFrame) -> ChartMarks:
    """The dots of each category, and a line from the smallest to the largest."""
    measure = find_measure_axis(frame)
    require_measure(frame, measure)
    place = other_axis(measure)
    hue = frame.get(ChartChannel.COLOR)
    measured = frame.need(measure)
    shared = encode_axis(frame, place)
    span: VegaSpec = {
        str(measure): {"field": measured.key, "aggregate": "min", "type": "quantitative"},
        f"{measure}2": {"field": measured.key, "aggregate": "max"},
    }
    span[str(measure)] |= {"title": measured.title}
    dots: VegaSpec = {
        str(measure): encode_position(frame, measured),
        "tooltip": encode_tooltip(frame, *frame.fields.values()),
        "color": encode_color(frame, hue) if hue else {"value": BLUE},
    }
    layers: list[VegaSpec] = [
        {"mark": {"type": "rule", "color": "#B8B8B8", "strokeWidth": 2}, "encoding": span},
        {"mark": {"type": "circle", "size": 90, "opacity": 1}, "encoding": dots},
    ]
    return ChartMarks(
        {"encoding": {str(place): shared}, "layer": layers} | encode_chart_size(frame), frame
    )
