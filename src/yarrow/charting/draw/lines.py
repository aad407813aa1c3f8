"""Lines and areas over an axis, mostly of time."""

from yarrow.charting.draw.require import require_rows
from yarrow.charting.encode import all_tips, axis, color, sized, sort_order, unbounded
from yarrow.charting.frame import Drawing, Frame
from yarrow.charting.model import Channel
from yarrow.charting.palette import BLUE
from yarrow.charting.reduce import dropped_nulls, once_each
from yarrow.kit.json import JsonObject

SHAPES = frozenset(
    {
        *("linear", "monotone", "step", "step-before", "step-after", "basis", "cardinal"),
        *("catmull-rom", "natural", "bundle"),
    }
)
DOTS_MAX = 30
"""Lines with at most so many places show where their values are."""


def line(frame: Frame) -> Drawing:
    """One line for each colour and dash; rows without a value leave no hole."""
    frame = _over(frame)
    encoding = _base(frame)
    if dash := frame.get(Channel.STROKE_DASH):
        sort = sort_order(dash, frame.values(dash))
        encoding["strokeDash"] = {"field": dash.key, "type": str(dash.kind), "title": dash.title}
        encoding["strokeDash"] |= {"sort": sort}
    mark: JsonObject = {"type": "line", "strokeWidth": 2}
    if shape := _shape(frame):
        mark["interpolate"] = shape
    if len(frame.values(frame.need(Channel.X))) <= DOTS_MAX:
        mark["point"] = {"size": 35}
    if Channel.COLOR not in frame.fields:
        mark["color"] = BLUE
    return Drawing({"mark": mark, "encoding": encoding} | sized(frame), frame)


def area(frame: Frame) -> Drawing:
    """One filled area, or areas on top of each other."""
    return _filled(frame, stack="zero")


def streamgraph(frame: Frame) -> Drawing:
    """Areas around a middle line: how the parts swell, not how large the whole is."""
    drawing = _filled(frame, stack="center")
    drawing.body["encoding"]["y"] |= {"axis": None}
    return drawing


def _filled(frame: Frame, *, stack: str) -> Drawing:
    frame = _over(frame)
    encoding = _base(frame, zero=True)
    hue = frame.get(Channel.COLOR)
    if hue is not None:
        encoding["y"] = unbounded(encoding["y"])
        told = frame.config.get("stack", frame.config.get("stackMode"))
        encoding["y"]["stack"] = "normalize" if told == "normalize" else stack
    mark: JsonObject = {"type": "area", "opacity": 0.85 if hue else 0.6, "line": hue is None}
    if hue is None:
        mark["color"] = BLUE
    if shape := _shape(frame) or ("monotone" if stack == "center" else None):
        mark["interpolate"] = shape
    return Drawing({"mark": mark, "encoding": encoding} | sized(frame), frame)


def _over(frame: Frame) -> Frame:
    x, y = frame.need(Channel.X), frame.need(Channel.Y)
    frame = dropped_nulls(frame, (Channel.X, Channel.Y))
    require_rows(frame, x, y)
    return once_each(frame, Channel.Y) if y.measures else frame


def _base(frame: Frame, *, zero: bool | None = None) -> JsonObject:
    found: JsonObject = {
        "x": axis(frame, Channel.X),
        "y": axis(frame, Channel.Y, zero=zero),
        "tooltip": all_tips(frame),
    }
    if hue := frame.get(Channel.COLOR):
        found["color"] = color(frame, hue)
    return found


def _shape(frame: Frame) -> str | None:
    told = frame.config.get("interpolate")
    return told if isinstance(told, str) and told in SHAPES else None
