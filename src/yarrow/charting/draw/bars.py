"""Bars and their kin: one axis of places, one that measures from zero."""

from yarrow.charting.encode import (
    STEP_FROM,
    across,
    all_tips,
    by_size,
    color,
    longest_side,
    position,
    room,
    sized,
    sort_order,
    tooltip,
    unbounded,
)
from yarrow.charting.fields import Field
from yarrow.charting.frame import (
    Drawing,
    Frame,
    measured_axis,
    number_in,
    other_axis,
    require_measure,
    require_rows,
    totals,
    with_measure,
)
from yarrow.charting.model import Channel, VegaSpec
from yarrow.charting.palette import BLUE, ORANGE

ROUND = {"type": "bar", "cornerRadiusEnd": 2}
OFFSETS = {Channel.X: "xOffset", Channel.Y: "yOffset"}
GROUP_WIDTH = 12
STACKS = frozenset({"normalize", "zero", "center"})


def bars(frame: Frame) -> Drawing:
    """Plain bars, or stacked ones where a colour divides them."""
    measure = measured_axis(frame)
    frame = with_measure(frame, measure)
    encoding = axes(frame, measure) | {"tooltip": all_tips(frame)}
    if field := frame.get(Channel.COLOR):
        encoding["color"] = color(frame, field)
        encoding[measure] = unbounded(encoding[measure])
        frame, order = _stacked(frame, field)
        encoding |= order
    stack = frame.config.get("stack", frame.config.get("stackMode"))
    if isinstance(stack, str) and stack in STACKS:
        encoding[measure]["stack"] = stack
    mark: VegaSpec = dict(ROUND) if frame.get(Channel.COLOR) else {**ROUND, "color": BLUE}
    return Drawing({"mark": mark, "encoding": encoding} | sized(frame), frame)


def _stacked(frame: Frame, hue: Field) -> tuple[Frame, VegaSpec]:
    """Parts lie in the order of the legend, where Vega would go by the alphabet."""
    if hue.measures:
        return frame, {}
    values = frame.values(hue)
    places = {value: place for place, value in enumerate(sort_order(hue, values) or values)}
    rows = [row | {"_stack": places.get(row.get(hue.key), len(places))} for row in frame.rows]
    return frame.having(rows), {"order": {"field": "_stack", "type": "quantitative"}}


def axes(frame: Frame, measure: Channel) -> VegaSpec:
    """Both axes of a bar-like chart, names sorted by size."""
    place = other_axis(measure)
    field, measured = frame.need(place), frame.need(measure)
    definition = position(frame, field) | by_size(frame, field, measured)
    if place is Channel.X:
        definition = across(definition, frame.domains.get(field.key) or frame.values(field))
    return {str(place): definition, str(measure): position(frame, measured, zero=True)}


def grouped(frame: Frame) -> Drawing:
    """Bars of a group side by side."""
    measure = measured_axis(frame)
    place = other_axis(measure)
    group = frame.get(Channel.GROUP) or frame.get(Channel.COLOR)
    if group is None:
        return bars(frame)
    frame = with_measure(frame, measure)
    hue = frame.get(Channel.COLOR) or group
    encoding = axes(frame, measure) | {
        OFFSETS[place]: {
            "field": group.key,
            "type": str(group.kind),
            "sort": color(frame, group)["sort"],
        },
        "color": color(frame, hue),
        "tooltip": all_tips(frame),
    }
    return Drawing({"mark": dict(ROUND), "encoding": encoding} | _wide(frame, group), frame)


def _wide(frame: Frame, group: Field) -> VegaSpec:
    """Room for every bar of every group, where the plain size would squeeze them."""
    place = other_axis(measured_axis(frame))
    side = "width" if place is Channel.X else "height"
    bar_count = len(frame.values(group)) * len(frame.values(frame.need(place)))
    plain = frame.size.width if place is Channel.X else frame.size.height
    found: VegaSpec = {"width": frame.size.width, "height": frame.size.height}
    if bar_count * GROUP_WIDTH > longest_side(frame):
        found[side] = longest_side(frame)
    elif bar_count * GROUP_WIDTH > plain:
        found[side] = {"step": GROUP_WIDTH, "for": "offset"}
    return found


def lollipop(frame: Frame) -> Drawing:
    """A thin stem from zero and a dot where the value is."""
    measure = measured_axis(frame)
    frame = with_measure(frame, measure)
    shared = axes(frame, measure)
    tips = all_tips(frame)
    hue: VegaSpec = {"value": BLUE}
    if field := frame.get(Channel.COLOR):
        hue = color(frame, field)
    stem = {"mark": {"type": "rule", "strokeWidth": 1.5, "color": "#9A9A9A"}}
    stem |= {"encoding": {f"{measure}2": {"datum": 0}}}
    dot = {"mark": {"type": "circle", "size": 90, "opacity": 1}}
    dot |= {"encoding": {"color": hue, "tooltip": tips}}
    return Drawing({"encoding": shared, "layer": [stem, dot]} | sized(frame), frame)


def pyramid(frame: Frame) -> Drawing:
    """Two groups back to back over the same places."""
    measure = measured_axis(frame)
    require_measure(frame, measure)
    frame = with_measure(frame, measure)
    hue = frame.get(Channel.COLOR)
    if hue is None:
        return bars(frame)
    place, measured = frame.need(other_axis(measure)), frame.need(measure)
    sides = _two_sides(frame, hue, measured)
    frame = _mirrored(frame, hue, measured, sides)
    require_rows(frame, hue, measured)
    end = max(abs(value) for value in frame.numbers(measured))
    across_x = position(frame, measured) | {"scale": {"domain": [-end, end], "nice": True}}
    across_x["axis"] = {"labelExpr": "replace(format(abs(datum.value), '~s'), 'G', 'B')"}
    up = position(frame, place)
    up["sort"] = list(reversed(sort_order(place, frame.values(place)) or ())) or None
    tips = tooltip(frame, place, hue)
    tips.append({"field": "_size", "type": "quantitative", "title": measured.title})
    encoding = {
        "y": up,
        "x": across_x,
        "color": color(frame, hue) | {"scale": {"domain": sides, "range": [BLUE, ORANGE]}},
        "tooltip": tips,
    }
    body: VegaSpec = {"mark": dict(ROUND), "encoding": encoding}
    places = len(frame.values(place))
    height = frame.size.height if places <= STEP_FROM else room(frame, places)
    return Drawing(body | {"width": frame.size.width, "height": height}, frame)


def _two_sides(frame: Frame, hue: Field, measured: Field) -> list[object]:
    weights = totals(frame.rows, hue.key, measured.key)
    largest = sorted(weights, key=lambda side: -weights[side])[:2]
    return [side for side in weights if side in largest]


def _mirrored(frame: Frame, hue: Field, measured: Field, sides: list[object]) -> Frame:
    left = sides[0] if sides else None
    rows = [
        row | {"_size": row[measured.key], measured.key: -number_in(row, measured.key)}
        if row[hue.key] == left
        else row | {"_size": row[measured.key]}
        for row in frame.rows
        if row.get(hue.key) in sides and row.get(measured.key) is not None
    ]
    others = len(frame.values(hue)) - len(sides)
    frame = frame.having(rows)
    return (
        frame.noted(f"{hue.title}: a pyramid has two sides, {others} omitted") if others else frame
    )
