"""Line charts, areas, streamgraphs and bump charts."""

from yarrow.charting.encode import (
    angle_labels,
    drop_domain,
    encode_all_tooltips,
    encode_axis,
    encode_chart_size,
    encode_color,
    encode_position,
    encode_tooltip,
    list_in_order,
)
from yarrow.charting.fields import make_field
from yarrow.charting.frame import (
    ChartFrame,
    ChartMarks,
    require_measure,
    require_rows,
)
from yarrow.charting.model import ChartChannel, ChartType, SemanticType, VegaSpec
from yarrow.charting.notes import Note
from yarrow.charting.palette import BLUE
from yarrow.charting.row_keys import RANK_KEY
from yarrow.charting.stacks import NO_STACK

SHAPES = frozenset(
    {
        *("linear", "monotone", "step", "step-before", "step-after", "basis", "cardinal"),
        *("catmull-rom", "natural", "bundle"),
    }
)
DOTS_MAX = 30
"""Lines with at most this many points show them."""


def draw_line(frame: ChartFrame) -> ChartMarks:
    """One line for each colour and dash; rows without a value are skipped."""
    frame = _require_axis_values(frame)
    encoding = _encode_base(frame)
    if dash := frame.get(ChartChannel.STROKE_DASH):
        sort = list_in_order(dash, frame.values(dash))
        encoding["strokeDash"] = {"field": dash.key, "type": str(dash.kind), "title": dash.title}
        encoding["strokeDash"] |= {"sort": sort}
    mark: VegaSpec = {"type": "line", "strokeWidth": 2}
    if shape := _read_interpolation(frame):
        mark["interpolate"] = shape
    if len(frame.values(frame.need(ChartChannel.X))) <= DOTS_MAX:
        mark["point"] = {"size": 35}
    if ChartChannel.COLOR not in frame.fields:
        mark["color"] = BLUE
    return ChartMarks({"mark": mark, "encoding": encoding} | encode_chart_size(frame), frame)


def draw_area(frame: ChartFrame) -> ChartMarks:
    """One filled area, or stacked areas."""
    return _draw_filled(frame, stack="zero")


def draw_streamgraph(frame: ChartFrame) -> ChartMarks:
    """Stacked areas around a centre line, without a y axis."""
    drawing = _draw_filled(frame, stack="center")
    drawing.body["encoding"]["y"] |= {"axis": None}
    return drawing


def _draw_filled(frame: ChartFrame, *, stack: str) -> ChartMarks:
    frame = _require_axis_values(frame)
    encoding = _encode_base(frame, zero=True)
    hue, is_layered = frame.get(ChartChannel.COLOR), False
    if hue is not None:
        encoding["y"] = drop_domain(encoding["y"])
        option = frame.config.get("stack")
        is_layered = option == NO_STACK and frame.chart_type is ChartType.AREA
        encoding["y"]["stack"] = "normalize" if option == "normalize" else stack
        if is_layered:
            encoding["y"]["stack"] = None
        if option == "normalize":
            title = frame.words.share_of.format(frame.need(ChartChannel.Y).title)
            encoding["y"] |= {"axis": {"format": ".0%"}, "title": title}
    mark: VegaSpec = {"type": "area", "opacity": 0.85 if hue else 0.6, "line": hue is None}
    if is_layered:
        mark |= {"opacity": 0.35, "line": True}
    if hue is None:
        mark["color"] = BLUE
    if shape := _read_interpolation(frame) or ("monotone" if stack == "center" else None):
        mark["interpolate"] = shape
    return ChartMarks({"mark": mark, "encoding": encoding} | encode_chart_size(frame), frame)


def _require_axis_values(frame: ChartFrame) -> ChartFrame:
    require_rows(frame, frame.need(ChartChannel.X), frame.need(ChartChannel.Y))
    return frame


def _encode_base(frame: ChartFrame, *, zero: bool | None = None) -> VegaSpec:
    encoding: VegaSpec = {
        "x": encode_axis(frame, ChartChannel.X),
        "y": encode_axis(frame, ChartChannel.Y, zero=zero),
        "tooltip": encode_all_tooltips(frame),
    }
    if hue := frame.get(ChartChannel.COLOR):
        encoding["color"] = encode_color(frame, hue)
    return encoding


def _read_interpolation(frame: ChartFrame) -> str | None:
    option = frame.config.get("interpolate")
    return option if isinstance(option, str) and option in SHAPES else None


def draw_bump(frame: ChartFrame) -> ChartMarks:
    """Ranks over x; if y is not a rank, values are ranked, the largest first."""
    require_measure(frame, ChartChannel.Y)
    require_rows(frame, frame.need(ChartChannel.X), frame.need(ChartChannel.Y))
    x, y, hue = (
        frame.need(ChartChannel.X),
        frame.need(ChartChannel.Y),
        frame.get(ChartChannel.COLOR),
    )
    rank = y
    if y.meaning is not SemanticType.RANK:
        frame = frame.with_note(Note.RANKED, field=y.title)
        rank = make_field(RANK_KEY, frame.words.rank)
    last = max(frame.numbers(rank))
    up: VegaSpec = {"field": rank.key, "type": "quantitative", "title": rank.title}
    up |= {"scale": {"reverse": True, "zero": False, "domain": [0.5, last + 0.5], "nice": False}}
    up |= {"axis": {"tickMinStep": 1, "format": "d", "grid": False}}
    encoding: VegaSpec = {
        "x": angle_labels(
            frame, encode_position(frame, x), frame.values(x), width=frame.size.width
        ),
        "y": up,
        "tooltip": encode_tooltip(frame, x, hue, rank, y),
    }
    if hue is not None:
        encoding["color"] = encode_color(frame, hue)
    mark: VegaSpec = {"type": "line", "interpolate": "monotone", "strokeWidth": 3}
    mark |= {"point": {"size": 110, "filled": True}}
    body: VegaSpec = {"mark": mark, "encoding": encoding}
    return ChartMarks(body | {"width": frame.size.width, "height": frame.size.height}, frame)
