"""Heatmaps, and tables with bars."""

from collections.abc import Sequence

from yarrow.charting.draw.bars import encode_axes
from yarrow.charting.encode import (
    angle_labels,
    choose_axis_length,
    encode_all_tooltips,
    encode_color,
    encode_color_scale,
    encode_length,
    encode_position,
    measure_label,
)
from yarrow.charting.fields import ChartField
from yarrow.charting.frame import (
    ChartFrame,
    ChartMarks,
    find_measure_axis,
    other_axis,
    require_measure,
)
from yarrow.charting.model import ChartChannel, ChartLanguage, VegaSpec
from yarrow.charting.notes import Note
from yarrow.charting.number_formats import choose_axis_format, choose_text_format, shorten_numbers
from yarrow.charting.palette import BLUE, INK, SCHEMES
from yarrow.kit.json import JsonValue

DARK = 0.75
"""From this share of its smallest and of its largest value on, a diverging scale is dark."""
WRITTEN_CELLS = 120
WRITTEN_PX = 40
"""The width of a cell that its number fits in."""
ROW_HEIGHT = 24
NAME_WIDTH = 400
TEN, TEN_THOUSAND = 10, 10_000
LABEL_ROOM = 60


def draw_heatmap(frame: ChartFrame) -> ChartMarks:
    """A coloured cell for each pair of x and y, with its number if there are few cells."""
    x, y, heat = (frame.need(c) for c in (ChartChannel.X, ChartChannel.Y, ChartChannel.COLOR))
    values = frame.numbers(heat)
    scheme, frame = _read_scheme(frame)
    is_written = bool(values) and _has_room(frame, x, y)
    width = _choose_written_width(frame, x) if is_written else encode_length(frame, ChartChannel.X)
    cells: VegaSpec = {
        "x": angle_labels(frame, encode_position(frame, x), frame.values(x), width=width),
        "y": encode_position(frame, y),
    }
    shade: VegaSpec = {"field": heat.key, "type": "quantitative", "title": heat.title}
    shade |= {
        "scale": encode_color_scale(heat, values, scheme),
        "legend": choose_axis_format(heat, values, frame.words.language),
    }
    rect: VegaSpec = {"mark": {"type": "rect", "stroke": "white", "strokeWidth": 1}}
    rect |= {"encoding": {"color": shade, "tooltip": encode_all_tooltips(frame)}}
    layers = [rect]
    if is_written:
        layers.append(_build_number_layer(heat, values, scheme, frame.words.language))
    body: VegaSpec = {"encoding": cells, "layer": layers}
    return ChartMarks(
        body | {"width": width, "height": encode_length(frame, ChartChannel.Y)}, frame
    )


def _has_room(frame: ChartFrame, x: ChartField, y: ChartField) -> bool:
    """Whether every cell can hold its number on a chart of at most twice the width."""
    columns = len(frame.values(x))
    few = columns * len(frame.values(y)) <= WRITTEN_CELLS
    return few and columns * WRITTEN_PX <= 2 * frame.size.width


def _choose_written_width(frame: ChartFrame, x: ChartField) -> JsonValue:
    fits = len(frame.values(x)) * WRITTEN_PX <= frame.size.width
    return frame.size.width if fits else {"step": WRITTEN_PX}


def _read_scheme(frame: ChartFrame) -> tuple[str | None, ChartFrame]:
    scheme = frame.config.get("colorScheme")
    if scheme is None or (isinstance(scheme, str) and scheme in SCHEMES):
        return scheme, frame
    return None, frame.with_note(Note.NO_SCHEME, name=repr(scheme))


def _build_number_layer(
    heat: ChartField, values: Sequence[float], scheme: str | None, language: ChartLanguage
) -> VegaSpec:
    """Numbers in black or white by contrast: viridis runs from dark to light, others do not."""
    middle = (min(values) + max(values)) / 2
    below, above = (
        ("white", "black")
        if encode_color_scale(heat, values, scheme)["scheme"] == "viridis"
        else (
            "black",
            "white",
        )
    )
    test = f"datum[{heat.key!r}] < {middle!r}"
    ink = {"condition": {"test": test, "value": below}, "value": above}
    if encode_color_scale(heat, values, scheme).get("domainMid") is not None:
        value = f"datum[{heat.key!r}]"
        dark = f"{value} < {DARK * min(values)!r} || {value} > {DARK * max(values)!r}"
        ink = {"condition": {"test": dark, "value": "white"}, "value": "black"}
    layer: VegaSpec = {"mark": {"type": "text", "fontSize": 10}}
    if max(map(abs, values)) >= TEN_THOUSAND:
        value = f"datum[{heat.key!r}]"
        digits = ".3~r" if language is ChartLanguage.EN else ".4~r"
        short = shorten_numbers(value, language, digits=digits)
        layer["transform"] = [{"calculate": f"isValid({value}) ? {short} : ''", "as": "_short"}]
        text: VegaSpec = {"field": "_short", "type": "nominal"}
    else:
        text = {
            "field": heat.key,
            "type": "quantitative",
            "format": _choose_cell_format(heat, values),
        }
    return layer | {"encoding": {"text": text, "color": ink}}


def _choose_cell_format(heat: ChartField, values: Sequence[float]) -> str:
    """At most six characters."""
    exact = choose_text_format(heat, values)
    return ",.1f" if exact.endswith("f") and max(map(abs, values)) >= TEN else exact


def draw_bar_table(frame: ChartFrame) -> ChartMarks:
    """One row for each name, with a bar and the exact value."""
    measure = find_measure_axis(frame)
    require_measure(frame, measure)
    place, measured = frame.need(other_axis(measure)), frame.need(measure)
    frame = frame.with_field(ChartChannel.Y, place).with_field(ChartChannel.X, measured)
    both = encode_axes(frame, ChartChannel.X)
    longest = max((measure_label(value) for value in frame.values(place)), default=0)
    both["y"] |= {
        "axis": {"domain": False, "ticks": False, "labelLimit": min(40 + 7 * longest, NAME_WIDTH)}
    }
    both["x"] |= {"axis": None}
    if min(frame.numbers(measured)) < 0:
        both["x"]["scale"] |= {"padding": LABEL_ROOM}
    hue = frame.get(ChartChannel.COLOR)
    bar: VegaSpec = {"mark": {"type": "bar", "height": {"band": 0.7}, "cornerRadiusEnd": 2}}
    bar |= {"encoding": {"tooltip": encode_all_tooltips(frame)}}
    bar["encoding"]["color"] = encode_color(frame, hue) if hue else {"value": BLUE}
    layers = [bar]
    if hue is None or hue.measures or hue.key == place.key:
        layers.append(_build_label_layer(measured, frame.numbers(measured)))
    rows = len(frame.values(place)) + (1 if place.key in frame.domains else 0)
    height: JsonValue = choose_axis_length(frame, rows, ROW_HEIGHT) if rows else frame.size.height
    body: VegaSpec = {"encoding": both, "layer": layers, "height": height}
    title = {"text": measured.title, "anchor": "start", "fontSize": 11, "fontWeight": "normal"}
    if not {ChartChannel.COLUMN, ChartChannel.ROW} & frame.fields.keys() and not frame.config.get(
        "title"
    ):
        body["title"] = title
    return ChartMarks(body | {"width": frame.size.width}, frame)


def _build_label_layer(measured: ChartField, values: Sequence[float]) -> VegaSpec:
    text = {"field": measured.key, "type": "quantitative"}
    text |= {"format": choose_text_format(measured, values)}
    below = f"datum[{measured.key!r}] < 0"
    mark: VegaSpec = {"type": "text", "fontSize": 11, "color": INK}
    mark |= {"align": {"expr": f"{below} ? 'right' : 'left'"}, "dx": {"expr": f"{below} ? -4 : 4"}}
    return {"mark": mark, "encoding": {"text": text}}
