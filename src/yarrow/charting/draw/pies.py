"""Pie charts and rose charts."""

import math

from yarrow.charting.encode import encode_color, encode_tooltip, list_in_order
from yarrow.charting.errors import ChartWithoutRows
from yarrow.charting.fields import ChartField
from yarrow.charting.frame import (
    ChartFrame,
    ChartMarks,
    read_number,
)
from yarrow.charting.model import ChartChannel, VegaSpec
from yarrow.charting.palette import INK, REST, SAFE
from yarrow.kit.json import JsonObject, JsonValue

LABEL_FROM, LABEL_FROM_SMALL = 0.04, 0.1
"""Wedges below this share have no label, in a large and in a small pie."""
LABEL_ROOM = 200


def draw_pie(frame: ChartFrame) -> ChartMarks:
    """At most seven wedges, the largest first; smaller ones are merged into `Other`."""
    name, size = frame.need(ChartChannel.COLOR), frame.need(ChartChannel.SIZE)
    _require_positive(frame, size)
    frame = _add_shares(frame, size)
    radius = min(frame.size.width, frame.size.height) / 2
    rest = frame.others.get(name.key)
    order = sorted(
        frame.rows,
        key=lambda row: (row[name.key] == rest, -read_number(row, size.key)),
    )
    names = list(dict.fromkeys(row[name.key] for row in order))
    hues = [*SAFE[: len(names) - 1], REST] if rest in names else list(SAFE[: len(names)])
    hue = encode_color(frame, name) | {"sort": names, "scale": {"range": hues}}
    tips = encode_tooltip(frame, *frame.fields.values())
    tips.append(
        {"field": "_share", "type": "quantitative", "title": frame.words.share, "format": ".1%"}
    )
    encoding: VegaSpec = {
        "theta": {"field": size.key, "type": "quantitative", "stack": True},
        "order": {"field": "_order", "type": "quantitative"},
    }
    places = {value: place for place, value in enumerate(names)}
    frame = frame.with_rows([row | {"_order": places[row[name.key]]} for row in frame.rows])
    arc: VegaSpec = {"type": "arc", "outerRadius": radius * 0.8, "stroke": "white"}
    arc |= {"innerRadius": radius * 0.8 * _read_hole(frame)}
    label: VegaSpec = {"type": "text", "radius": radius * 0.92, "fontSize": 11, "fill": INK}
    layers: list[VegaSpec] = [
        {"mark": arc, "encoding": {"color": hue, "tooltip": tips}},
        {"mark": label, "encoding": {"text": {"field": "_label", "type": "nominal"}}},
    ]
    body: VegaSpec = {"encoding": encoding, "layer": layers}
    side = min(frame.size.width, frame.size.height)
    return ChartMarks(body | {"width": side, "height": side}, frame)


def _read_hole(frame: ChartFrame) -> float:
    percent = frame.config.get("innerRadius")
    return min(percent, 95) / 100 if isinstance(percent, int | float) and percent > 0 else 0.0


def _require_positive(frame: ChartFrame, size: ChartField) -> None:
    if not frame.rows:
        raise ChartWithoutRows(f"{size.title} has no value above zero to divide a circle by")


def _add_shares(frame: ChartFrame, size: ChartField) -> ChartFrame:
    facets = frame.keys(ChartChannel.COLUMN, ChartChannel.ROW)
    wholes: dict[tuple[JsonValue, ...], float] = {}
    for row in frame.rows:
        panel = tuple(row.get(key) for key in facets)
        wholes[panel] = wholes.get(panel, 0.0) + read_number(row, size.key)
    least = LABEL_FROM if frame.size.height >= LABEL_ROOM else LABEL_FROM_SMALL
    rows = []
    for row in frame.rows:
        share = read_number(row, size.key) / wholes[tuple(row.get(key) for key in facets)]
        label = f"{share:.0%}" if share >= least else ""
        rows.append(row | {"_share": share, "_label": label})
    return frame.with_rows(rows)


def draw_rose(frame: ChartFrame) -> ChartMarks:
    """Petals of equal angle, whose area is the value."""
    name, size = frame.need(ChartChannel.X), frame.need(ChartChannel.Y)
    hue = frame.get(ChartChannel.COLOR) or name
    _require_positive(frame, size)
    frame = frame.with_rows(_place_petals(frame, name, size))
    radius = min(frame.size.width, frame.size.height) / 2
    longest = max(read_number(row, "_outer") for row in frame.rows)
    scale = {"type": "sqrt", "domain": [0, longest], "range": [0, radius * 0.78]}
    arcs: VegaSpec = {
        "theta": {"field": "_begin", "type": "quantitative", "scale": None},
        "theta2": {"field": "_end"},
        "radius": {"field": "_outer", "type": "quantitative", "scale": scale},
        "radius2": {"field": "_inner"},
        "color": encode_color(frame, hue),
        "tooltip": encode_tooltip(frame, name, size, hue),
    }
    layers: list[VegaSpec] = [
        {"mark": {"type": "arc", "stroke": "white"}, "encoding": arcs},
        _build_name_layer(name, radius),
    ]
    if hue.key == name.key:
        arcs["color"]["legend"] = None
    side = min(frame.size.width, frame.size.height)
    return ChartMarks({"layer": layers, "width": side, "height": side}, frame)


def _place_petals(frame: ChartFrame, name: ChartField, size: ChartField) -> list[JsonObject]:
    """Add the angles and radii of each petal; colours of a petal are stacked outwards."""
    values = frame.values(name)
    order = list_in_order(name, values) or values
    places = {value: place for place, value in enumerate(order)}
    angle = 2 * math.pi / len(order)
    panels = frame.keys(ChartChannel.COLUMN, ChartChannel.ROW)
    grown: dict[tuple[JsonValue, ...], float] = {}
    rows: list[JsonObject] = []
    for row in frame.rows:
        petal = tuple(row.get(key) for key in (name.key, *panels))
        inner = grown.get(petal, 0.0)
        grown[petal] = inner + read_number(row, size.key)
        begin = places[row[name.key]] * angle
        turn = {"_begin": begin, "_end": begin + angle, "_middle": begin + angle / 2}
        rows.append(row | turn | {"_inner": inner, "_outer": grown[petal]})
    return rows


def _build_name_layer(name: ChartField, radius: float) -> VegaSpec:
    return {
        "transform": [{"filter": "datum._inner === 0"}],
        "mark": {"type": "text", "radius": radius * 0.9, "fontSize": 11, "fill": INK, "limit": 140},
        "encoding": {
            "theta": {"field": "_middle", "type": "quantitative", "scale": None},
            "text": {"field": name.key, "type": "nominal"},
        },
    }
