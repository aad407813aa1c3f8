"""Bar-like charts: one discrete axis, and one quantitative axis that begins at zero."""

from yarrow.charting.encode import (
    STEP_FROM,
    angle_labels,
    choose_axis_length,
    compute_longest_side,
    drop_domain,
    encode_all_tooltips,
    encode_chart_size,
    encode_color,
    encode_position,
    encode_tooltip,
    list_in_order,
    sort_by_size,
)
from yarrow.charting.errors import ChartImpossible
from yarrow.charting.fields import ChartField
from yarrow.charting.frame import (
    ChartFrame,
    ChartMarks,
    find_measure_axis,
    other_axis,
    read_number,
    require_measure,
    require_rows,
)
from yarrow.charting.model import ChartChannel, VegaSpec
from yarrow.charting.number_formats import shorten_numbers
from yarrow.charting.palette import BLUE, ORANGE
from yarrow.charting.stacks import STACK_MODES
from yarrow.kit.json import JsonValue

ROUND = {"type": "bar", "cornerRadiusEnd": 2}
OFFSETS = {ChartChannel.X: "xOffset", ChartChannel.Y: "yOffset"}
GROUP_WIDTH = 12


def draw_bars(frame: ChartFrame) -> ChartMarks:
    """Plain bars; stacked bars if there is a colour field."""
    measure = find_measure_axis(frame)
    encoding = encode_axes(frame, measure) | {"tooltip": encode_all_tooltips(frame)}
    if field := frame.get(ChartChannel.COLOR):
        encoding["color"] = encode_color(frame, field)
        encoding[measure] = drop_domain(encoding[measure])
        frame, order = _order_stack(frame, field)
        encoding |= order
    stack = frame.config.get("stack")
    if stack in STACK_MODES:
        encoding[measure]["stack"] = stack
    if stack == "normalize":
        title = frame.words.share_of.format(frame.need(measure).title)
        encoding[measure] |= {"axis": {"format": ".0%"}, "title": title}
    mark: VegaSpec = dict(ROUND) if frame.get(ChartChannel.COLOR) else {**ROUND, "color": BLUE}
    return ChartMarks({"mark": mark, "encoding": encoding} | encode_chart_size(frame), frame)


def _order_stack(frame: ChartFrame, hue: ChartField) -> tuple[ChartFrame, VegaSpec]:
    """Stack parts in the order of the legend; Vega would sort them alphabetically."""
    if hue.measures:
        return frame, {}
    other = frame.others.get(hue.key)
    values = sorted(frame.values(hue), key=lambda value: value == other)
    places = {value: place for place, value in enumerate(list_in_order(hue, values) or values)}
    rows = [row | {"_stack": places.get(row.get(hue.key), len(places))} for row in frame.rows]
    return frame.with_rows(rows), {"order": {"field": "_stack", "type": "quantitative"}}


def encode_axes(frame: ChartFrame, measure: ChartChannel, *, width: JsonValue = None) -> VegaSpec:
    """Both axes of a bar-like chart, names sorted by their value."""
    place = other_axis(measure)
    field, measured = frame.need(place), frame.need(measure)
    definition = encode_position(frame, field) | sort_by_size(frame, field, measured)
    if place is ChartChannel.X:
        places = frame.domains.get(field.key) or frame.values(field)
        definition = angle_labels(frame, definition, places, width=width)
    return {str(place): definition, str(measure): encode_position(frame, measured, zero=True)}


def draw_grouped_bars(frame: ChartFrame) -> ChartMarks:
    """The bars of a group side by side."""
    measure = find_measure_axis(frame)
    place = other_axis(measure)
    group = frame.get(ChartChannel.GROUP) or frame.get(ChartChannel.COLOR)
    if group is None:
        return draw_bars(frame)
    hue = frame.get(ChartChannel.COLOR) or group
    places = len(frame.values(frame.need(place)))
    bars_px = GROUP_WIDTH * places * len(frame.values(group))
    width = max(frame.size.width, min(bars_px, compute_longest_side(frame)))
    encoding = encode_axes(frame, measure, width=width) | {
        OFFSETS[place]: {
            "field": group.key,
            "type": str(group.kind),
            "sort": list_in_order(group, frame.values(group)),
        },
        "color": encode_color(frame, hue),
        "tooltip": encode_all_tooltips(frame),
    }
    return ChartMarks(
        {"mark": dict(ROUND), "encoding": encoding} | _build_group_size(frame, group), frame
    )


def _build_group_size(frame: ChartFrame, group: ChartField) -> VegaSpec:
    """A chart size at which every bar of every group has its minimum width."""
    place = other_axis(find_measure_axis(frame))
    side = "width" if place is ChartChannel.X else "height"
    bar_count = len(frame.values(group)) * len(frame.values(frame.need(place)))
    plain = frame.size.width if place is ChartChannel.X else frame.size.height
    size: VegaSpec = {"width": frame.size.width, "height": frame.size.height}
    if bar_count * GROUP_WIDTH > compute_longest_side(frame):
        size[side] = compute_longest_side(frame)
    elif bar_count * GROUP_WIDTH > plain:
        size[side] = {"step": GROUP_WIDTH, "for": "offset"}
    return size


def draw_lollipop(frame: ChartFrame) -> ChartMarks:
    """A thin stem from zero and a dot where the value is."""
    measure = find_measure_axis(frame)
    shared = encode_axes(frame, measure)
    tips = encode_all_tooltips(frame)
    hue: VegaSpec = {"value": BLUE}
    if field := frame.get(ChartChannel.COLOR):
        hue = encode_color(frame, field)
    stem = {"mark": {"type": "rule", "strokeWidth": 1.5, "color": "#9A9A9A"}}
    stem |= {"encoding": {f"{measure}2": {"datum": 0}}}
    dot = {"mark": {"type": "circle", "size": 90, "opacity": 1}}
    dot |= {"encoding": {"color": hue, "tooltip": tips}}
    return ChartMarks({"encoding": shared, "layer": [stem, dot]} | encode_chart_size(frame), frame)


def draw_pyramid(frame: ChartFrame) -> ChartMarks:
    """Two groups, one drawn to the left and one to the right of zero."""
    measure = find_measure_axis(frame)
    require_measure(frame, measure)
    hue = frame.get(ChartChannel.COLOR)
    if hue is None:
        return draw_bars(frame)
    place, measured = frame.need(other_axis(measure)), frame.need(measure)
    if min(frame.numbers(measured)) < 0:
        raise ChartImpossible(f"a pyramid has no side for values below zero of {measured.title}")
    sides = frame.values(hue)[:2]
    frame = _mirror_left_side(frame, hue, measured, sides)
    require_rows(frame, hue, measured)
    end = max(abs(value) for value in frame.numbers(measured))
    across_x = encode_position(frame, measured) | {"scale": {"domain": [-end, end], "nice": True}}
    labels = shorten_numbers("abs(datum.value)", frame.words.language)
    across_x["axis"] = {"labelExpr": labels}
    up = encode_position(frame, place)
    up["sort"] = list(reversed(list_in_order(place, frame.values(place)) or ())) or None
    tips = encode_tooltip(frame, place, hue)
    tips.append({"field": "_size", "type": "quantitative", "title": measured.title})
    encoding = {
        "y": up,
        "x": across_x,
        "color": encode_color(frame, hue) | {"scale": {"domain": sides, "range": [BLUE, ORANGE]}},
        "tooltip": tips,
    }
    body: VegaSpec = {"mark": dict(ROUND), "encoding": encoding}
    places = len(frame.values(place))
    height = frame.size.height if places <= STEP_FROM else choose_axis_length(frame, places)
    return ChartMarks(body | {"width": frame.size.width, "height": height}, frame)


def _mirror_left_side(
    frame: ChartFrame, hue: ChartField, measured: ChartField, sides: list[JsonValue]
) -> ChartFrame:
    left = sides[0] if sides else None
    rows = [
        row | {"_size": row[measured.key], measured.key: -read_number(row, measured.key)}
        if row[hue.key] == left
        else row | {"_size": row[measured.key]}
        for row in frame.rows
        if row.get(hue.key) in sides and row.get(measured.key) is not None
    ]
    return frame.with_rows(rows)
