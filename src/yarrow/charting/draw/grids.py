"""Tables that are looked at: heatmaps and bars with their numbers beside them."""

from collections.abc import Sequence

from yarrow.charting.draw.bars import axes
from yarrow.charting.encode import (
    across,
    all_tips,
    axis_format,
    color,
    extent,
    position,
    ramp,
    room,
    text_format,
    width_of,
)
from yarrow.charting.fields import Field
from yarrow.charting.frame import (
    Drawing,
    Frame,
    measured_axis,
    other_axis,
    require_measure,
    with_measure,
)
from yarrow.charting.model import Channel, VegaSpec
from yarrow.charting.palette import BLUE, INK, SCHEMES
from yarrow.kit.json import JsonValue

WRITTEN_CELLS = 120
ROW_HEIGHT = 24
NAME_WIDTH = 400
LABEL_ROOM = 60


def heatmap(frame: Frame) -> Drawing:
    """A coloured cell for each pair; numbers are written in while there is room."""
    frame = with_measure(frame, Channel.COLOR)
    x, y, heat = (frame.need(c) for c in (Channel.X, Channel.Y, Channel.COLOR))
    values = frame.numbers(heat)
    scheme, frame = _scheme(frame)
    cells: VegaSpec = {
        "x": across(position(frame, x), frame.values(x)),
        "y": position(frame, y),
    }
    shade: VegaSpec = {"field": heat.key, "type": "quantitative", "title": heat.title}
    shade |= {"scale": ramp(heat, values, scheme), "legend": axis_format(heat, values)}
    rect: VegaSpec = {"mark": {"type": "rect", "stroke": "white", "strokeWidth": 1}}
    rect |= {"encoding": {"color": shade, "tooltip": all_tips(frame)}}
    layers = [rect]
    if len(frame.values(x)) * len(frame.values(y)) <= WRITTEN_CELLS and values:
        layers.append(_numbers(heat, values, scheme))
    body: VegaSpec = {"encoding": cells, "layer": layers}
    width, height = extent(frame, Channel.X), extent(frame, Channel.Y)
    return Drawing(body | {"width": width, "height": height}, frame)


def _scheme(frame: Frame) -> tuple[str | None, Frame]:
    told = frame.config.get("colorScheme")
    if told is None or (isinstance(told, str) and told in SCHEMES):
        return told, frame
    return None, frame.noted(f"no colour scheme is called {told!r}")


def _numbers(heat: Field, values: Sequence[float], scheme: str | None) -> VegaSpec:
    """Ink that can be read on its cell: viridis runs from dark to light, most others do not."""
    middle = (min(values) + max(values)) / 2
    below, above = (
        ("white", "black")
        if ramp(heat, values, scheme)["scheme"] == "viridis"
        else (
            "black",
            "white",
        )
    )
    test = f"datum[{heat.key!r}] < {middle!r}"
    ink = {"condition": {"test": test, "value": below}, "value": above}
    if ramp(heat, values, scheme).get("domainMid") is not None:
        ink = {"value": "black"}
    text = {"field": heat.key, "type": "quantitative", "format": _cell_format(heat, values)}
    return {"mark": {"type": "text", "fontSize": 10}, "encoding": {"text": text, "color": ink}}


def _cell_format(heat: Field, values: Sequence[float]) -> str:
    return ".3~s" if max(map(abs, values)) >= 10_000 else text_format(heat, values)


def bar_table(frame: Frame) -> Drawing:
    """Names, bars and exact values in rows, like a table one can see."""
    measure = measured_axis(frame)
    require_measure(frame, measure)
    frame = with_measure(frame, measure)
    place, measured = frame.need(other_axis(measure)), frame.need(measure)
    frame = frame.placed(Channel.Y, place).placed(Channel.X, measured)
    both = axes(frame, Channel.X)
    longest = max((width_of(value) for value in frame.values(place)), default=0)
    both["y"] |= {
        "axis": {"domain": False, "ticks": False, "labelLimit": min(40 + 7 * longest, NAME_WIDTH)}
    }
    both["x"] |= {"axis": None}
    if min(frame.numbers(measured)) < 0:
        both["x"]["scale"] |= {"padding": LABEL_ROOM}
    hue = frame.get(Channel.COLOR)
    bar: VegaSpec = {"mark": {"type": "bar", "height": {"band": 0.7}, "cornerRadiusEnd": 2}}
    bar |= {"encoding": {"tooltip": all_tips(frame)}}
    bar["encoding"]["color"] = color(frame, hue) if hue else {"value": BLUE}
    layers = [bar]
    if hue is None or hue.measures or hue.key == place.key:
        layers.append(_value_labels(measured, frame.numbers(measured)))
    rows = len(frame.values(place)) + (1 if place.key in frame.domains else 0)
    height: JsonValue = room(frame, rows, ROW_HEIGHT) if rows else frame.size.height
    body: VegaSpec = {"encoding": both, "layer": layers, "height": height}
    title = {"text": measured.title, "anchor": "start", "fontSize": 11, "fontWeight": "normal"}
    if not {Channel.COLUMN, Channel.ROW} & frame.fields.keys() and not frame.config.get("title"):
        body["title"] = title
    return Drawing(body | {"width": frame.size.width}, frame)


def _value_labels(measured: Field, values: Sequence[float]) -> VegaSpec:
    text = {"field": measured.key, "type": "quantitative"}
    text |= {"format": text_format(measured, values)}
    below = f"datum[{measured.key!r}] < 0"
    mark: VegaSpec = {"type": "text", "fontSize": 11, "color": INK}
    mark |= {"align": {"expr": f"{below} ? 'right' : 'left'"}, "dx": {"expr": f"{below} ? -4 : 4"}}
    return {"mark": mark, "encoding": {"text": text}}
