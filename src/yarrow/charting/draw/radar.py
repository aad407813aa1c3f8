"""Radar charts: one spoke for each value of x, one closed line for each series.

Vega-Lite has no such mark, so the corners are computed here and drawn as lines.
"""

import math
from collections.abc import Sequence

from msgspec import Struct

from yarrow.charting.encode import encode_color, encode_tooltip, list_in_order, measure_label
from yarrow.charting.errors import ChartImpossible, ChartWithoutRows
from yarrow.charting.fields import ChartField
from yarrow.charting.frame import (
    ChartFrame,
    ChartMarks,
    read_number,
    require_measure,
)
from yarrow.charting.model import ChartChannel, VegaSpec
from yarrow.charting.notes import Note
from yarrow.charting.number_formats import format_short
from yarrow.charting.palette import BLUE, INK
from yarrow.kit.json import JsonObject, JsonValue

RINGS = 4
SPOKES_MIN = 3
NAME_WIDTH, LETTER_WIDTH = 140, 6
OUTWARD: VegaSpec = {
    "expr": "datum._x > 0.1 ? 'left' : datum._x < -0.1 ? 'right' : 'center'",
}
"""Labels are aligned away from the centre, so that long ones do not cover the grid."""
UNEVEN = 20
"""If the largest values of spokes differ by more than this factor, each spoke has its own scale."""


class RadarWheel(Struct, frozen=True):
    """The spokes, and the value at the end of each."""

    spokes: tuple[JsonValue, ...]
    reach: dict[JsonValue, float]

    def at(self, spoke: JsonValue, share: float) -> tuple[float, float]:
        angle = 2 * math.pi * self.spokes.index(spoke) / len(self.spokes)
        return round(share * math.sin(angle), 4), round(share * math.cos(angle), 4)


def draw_radar(frame: ChartFrame) -> ChartMarks:
    """x names the spoke, y is the value, the colour field is the series."""
    require_measure(frame, ChartChannel.Y)
    name, size = frame.need(ChartChannel.X), frame.need(ChartChannel.Y)
    spokes = _choose_spokes(frame, name)
    wheel, frame = _make_wheel(frame, name, size, spokes)
    frame = frame.with_rows(_place_corners(frame, wheel, name, size))
    layers = [*_build_grid_layers(wheel, size, frame), *_build_series_layers(frame, name, size)]
    side = min(frame.size.width, frame.size.height)
    body: VegaSpec = {"layer": layers, "width": side, "height": side}
    return ChartMarks(body | {"view": {"stroke": None}}, frame)


def _choose_spokes(frame: ChartFrame, name: ChartField) -> list[JsonValue]:
    values = frame.values(name)
    ordered = list_in_order(name, values) or values
    if len(ordered) < SPOKES_MIN:
        raise ChartWithoutRows(f"a radar needs {SPOKES_MIN} values of {name.title} or more")
    return ordered


def _make_wheel(
    frame: ChartFrame, name: ChartField, size: ChartField, spokes: Sequence[JsonValue]
) -> tuple[RadarWheel, ChartFrame]:
    reach: dict[JsonValue, float] = dict.fromkeys(spokes, 0.0)
    for row in frame.rows:
        if row[name.key] in reach:
            reach[row[name.key]] = max(reach[row[name.key]], read_number(row, size.key))
    if min(frame.numbers(size)) < 0:
        raise ChartImpossible(f"a radar has no place for values below zero of {size.title}")
    largest = max(reach.values())
    if largest <= 0:
        raise ChartWithoutRows(f"{size.title} has no value above zero")
    smallest = min((value for value in reach.values() if value > 0), default=largest)
    if largest / smallest <= UNEVEN:
        return RadarWheel(tuple(spokes), dict.fromkeys(spokes, _round_up(largest))), frame
    each = {spoke: value or 1.0 for spoke, value in reach.items()}
    return RadarWheel(tuple(spokes), each), frame.with_note(Note.OWN_SCALES, field=name.title)


def _round_up(value: float) -> float:
    """The next larger number whose quarters are round."""
    power = 10.0 ** math.floor(math.log10(value))
    return next(n * power for n in (1, 1.2, 1.6, 2, 4, 6, 8, 10) if n * power >= value)


def _place_corners(
    frame: ChartFrame, wheel: RadarWheel, name: ChartField, size: ChartField
) -> list[JsonObject]:
    rows = []
    for row in frame.rows:
        spoke = row[name.key]
        if spoke not in wheel.reach:
            continue
        share = read_number(row, size.key) / wheel.reach[spoke]
        x, y = wheel.at(spoke, share)
        rows.append(row | {"_x": x, "_y": y, "_spoke": wheel.spokes.index(spoke)})
    return rows


def _encode_coordinate(key: str) -> VegaSpec:
    scale = {"domain": [-1.3, 1.3], "nice": False, "zero": False}
    return {"field": key, "type": "quantitative", "axis": None, "scale": scale}


PLACE: VegaSpec = {"x": _encode_coordinate("_x"), "y": _encode_coordinate("_y")}


def _build_grid_layers(wheel: RadarWheel, size: ChartField, frame: ChartFrame) -> list[VegaSpec]:
    rings = [
        _place_point(wheel, spoke, ring / RINGS) | {"_ring": ring, "_spoke": place}
        for ring in range(1, RINGS + 1)
        for place, spoke in enumerate(wheel.spokes)
    ]
    ends = [_place_point(wheel, spoke, 1.0) | {"_zero": 0} for spoke in wheel.spokes]
    names = [_place_point(wheel, spoke, 1.1) | {"_name": str(spoke)} for spoke in wheel.spokes]
    line = {"type": "line", "interpolate": "linear-closed", "color": "#D0D0D0", "strokeWidth": 1}
    parts: list[VegaSpec] = [
        {"data": {"values": rings}, "mark": line, "encoding": PLACE | _encode_ring("_ring")},
        {
            "data": {"values": ends},
            "mark": {"type": "rule", "color": "#D0D0D0"},
            "encoding": PLACE | {"x2": {"datum": 0}, "y2": {"datum": 0}},
        },
        {
            "data": {"values": names},
            "mark": {
                "type": "text",
                "fontSize": 11,
                "color": INK,
                "limit": NAME_WIDTH,
                "align": OUTWARD,
            },
            "encoding": PLACE | {"text": {"field": "_name", "type": "nominal"}},
        },
    ]
    reaches = set(wheel.reach.values())
    if len(reaches) == 1:
        parts.append(_build_scale_layer(reaches.pop(), size, frame))
    return parts


def _place_point(wheel: RadarWheel, spoke: JsonValue, share: float) -> VegaSpec:
    x, y = wheel.at(spoke, share)
    return {"_x": x, "_y": y}


def _encode_ring(detail: str) -> VegaSpec:
    return {
        "detail": {"field": detail, "type": "nominal"},
        "order": {"field": "_spoke", "type": "quantitative"},
    }


def _build_scale_layer(largest: float, size: ChartField, frame: ChartFrame) -> VegaSpec:
    marks = [
        {
            "_x": 0,
            "_y": ring / RINGS,
            "_mark": format_short(largest * ring / RINGS, size, frame.words.language),
        }
        for ring in range(1, RINGS + 1)
    ]
    text = {"type": "text", "fontSize": 9, "dx": 3, "align": "left", "color": "#8C8C8C"}
    shown = PLACE | {"text": {"field": "_mark", "type": "nominal"}}
    return {"data": {"values": marks}, "mark": text, "encoding": shown}


def _compute_legend_offset(names: Sequence[JsonValue]) -> int:
    """The offset of the legend; Vega does not reserve space for the labels of spokes."""
    longest = max(measure_label(name) for name in names)
    return min(NAME_WIDTH, longest * LETTER_WIDTH)


def _build_series_layers(frame: ChartFrame, name: ChartField, size: ChartField) -> list[VegaSpec]:
    hue = frame.get(ChartChannel.COLOR)
    shades: VegaSpec = {"color": {"value": BLUE}, "fill": {"value": BLUE}}
    if hue is not None:
        shade = encode_color(frame, hue)
        legend = {**shade.get("legend", {}), "offset": _compute_legend_offset(frame.values(name))}
        shades = {"color": shade | {"legend": legend}, "fill": shade | {"legend": None}}
    line: VegaSpec = {"type": "line", "interpolate": "linear-closed", "strokeWidth": 2}
    line |= {"fillOpacity": 0.12}
    order: VegaSpec = {"order": {"field": "_spoke", "type": "quantitative"}}
    tips = encode_tooltip(frame, hue, name, size)
    dot = {"type": "circle", "size": 40, "opacity": 1}
    return [
        {"mark": line, "encoding": PLACE | shades | order},
        {"mark": dot, "encoding": PLACE | {"color": shades["color"], "tooltip": tips}},
    ]
