"""Lines, areas, streams, and lines of ranks."""

from collections import defaultdict

from yarrow.charting.encode import (
    across,
    all_tips,
    axis,
    color,
    position,
    sized,
    sort_order,
    tooltip,
    unbounded,
)
from yarrow.charting.fields import Field, made_field
from yarrow.charting.frame import (
    Drawing,
    Frame,
    dropped_nulls,
    number_in,
    once_each,
    require_measure,
    require_rows,
)
from yarrow.charting.model import Channel, SemanticType, VegaSpec
from yarrow.charting.palette import BLUE
from yarrow.kit.json import JsonObject, JsonValue

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
    mark: VegaSpec = {"type": "line", "strokeWidth": 2}
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
    mark: VegaSpec = {"type": "area", "opacity": 0.85 if hue else 0.6, "line": hue is None}
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


def _base(frame: Frame, *, zero: bool | None = None) -> VegaSpec:
    found: VegaSpec = {
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


RANK_KEY = "_rank"


def bump(frame: Frame) -> Drawing:
    """Ranks as they are given, or else made from the values: the largest is first."""
    require_measure(frame, Channel.Y)
    frame = once_each(dropped_nulls(frame, (Channel.X, Channel.Y)), Channel.Y)
    require_rows(frame, frame.need(Channel.X), frame.need(Channel.Y))
    x, y, hue = frame.need(Channel.X), frame.need(Channel.Y), frame.get(Channel.COLOR)
    rank = y
    if y.meaning is not SemanticType.RANK:
        frame = frame.having(_ranked(frame, x, y)).noted(f"ranks are made from {y.title}")
        rank = made_field(RANK_KEY, frame.words.rank)
    last = max(frame.numbers(rank))
    up: VegaSpec = {"field": rank.key, "type": "quantitative", "title": rank.title}
    up |= {"scale": {"reverse": True, "zero": False, "domain": [0.5, last + 0.5], "nice": False}}
    up |= {"axis": {"tickMinStep": 1, "format": "d", "grid": False}}
    encoding: VegaSpec = {
        "x": across(position(frame, x), frame.values(x)),
        "y": up,
        "tooltip": tooltip(frame, x, hue, rank, y),
    }
    if hue is not None:
        encoding["color"] = color(frame, hue)
    mark: VegaSpec = {"type": "line", "interpolate": "monotone", "strokeWidth": 3}
    mark |= {"point": {"size": 110, "filled": True}}
    body: VegaSpec = {"mark": mark, "encoding": encoding}
    return Drawing(body | {"width": frame.size.width, "height": frame.size.height}, frame)


def _ranked(frame: Frame, x: Field, y: Field) -> list[JsonObject]:
    panels = frame.keys(Channel.COLUMN, Channel.ROW)
    moments: dict[tuple[JsonValue, ...], list[JsonObject]] = defaultdict(list)
    for row in frame.rows:
        moments[tuple(row.get(key) for key in (x.key, *panels))].append(row)
    return [
        row | {RANK_KEY: place}
        for rows in moments.values()
        for place, row in enumerate(sorted(rows, key=lambda row: -number_in(row, y.key)), 1)
    ]
