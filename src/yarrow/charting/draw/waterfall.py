"""Waterfall charts: each bar begins where the previous one ended."""

from yarrow.charting.encode import (
    LABEL_GAP_PX,
    LETTER_PX,
    STEP,
    angle_labels,
    choose_axis_length,
    compute_longest_side,
    encode_position,
)
from yarrow.charting.fields import ChartField
from yarrow.charting.frame import (
    ChartFrame,
    ChartMarks,
    find_measure_axis,
    other_axis,
    read_number,
    require_measure,
)
from yarrow.charting.model import ChartChannel, VegaSpec
from yarrow.charting.number_formats import choose_axis_format, choose_text_format
from yarrow.charting.palette import BLUE, GREY, INK, ORANGE
from yarrow.kit.json import JsonObject, JsonValue

TOTALS = frozenset({"total", "start", "end", "subtotal", "合计", "总计", "期初", "期末", "小计"})


def draw_waterfall(frame: ChartFrame) -> ChartMarks:
    """Steps in the order of the rows; a row named `total` (or a synonym) starts at zero."""
    measure = find_measure_axis(frame)
    require_measure(frame, measure)
    place, measured = frame.need(other_axis(measure)), frame.need(measure)
    values = frame.numbers(measured)
    frame = frame.with_rows(_add_steps(frame, place, measured))
    bottom = encode_position(frame, place) | {"sort": None}
    height: VegaSpec = {"field": "_from", "type": "quantitative", "title": measured.title}
    height |= {
        "axis": choose_axis_format(measured, values, frame.words.language),
        "scale": _fit_scale(frame.rows),
    }
    number_format, words = choose_text_format(measured, values), frame.words
    tips = [
        {"field": place.key, "type": "nominal", "title": place.title},
        {
            "field": measured.key,
            "type": "quantitative",
            "title": measured.title,
            "format": number_format,
        },
        {
            "field": "_to",
            "type": "quantitative",
            "title": words.running_total,
            "format": number_format,
        },
    ]
    width = _fit_width(frame, place, measured, number_format)
    encoding = {"x": angle_labels(frame, bottom, frame.values(place), width=width)}
    bar: VegaSpec = {
        "mark": {"type": "bar", "cornerRadius": 1},
        "encoding": {
            "y": height,
            "y2": {"field": "_to"},
            "color": _encode_colors(frame),
            "tooltip": tips,
        },
    }
    label: VegaSpec = {
        "mark": {"type": "text", "dy": -6, "fontSize": 10, "color": INK},
        "encoding": {
            "y": {"field": "_top", "type": "quantitative"},
            "text": {"field": measured.key, "type": "quantitative", "format": number_format},
        },
    }
    size = {"width": width, "height": frame.size.height}
    layers = [bar, label] if _has_room(frame, place, width) else [bar]
    return ChartMarks({"encoding": encoding, "layer": layers} | size, frame)


def _fit_width(
    frame: ChartFrame, place: ChartField, measured: ChartField, number_format: str
) -> JsonValue:
    """A width at which the labels of the steps fit beside each other, up to the longest."""
    decimals = 3 if "." in number_format else 0
    longest = max(len(f"{value:,.0f}") for value in frame.numbers(measured)) + decimals
    step = max(STEP, round(longest * LETTER_PX + LABEL_GAP_PX))
    places = len(frame.values(place))
    return (
        frame.size.width
        if places * step <= frame.size.width
        else choose_axis_length(frame, places, step)
    )


def _has_room(frame: ChartFrame, place: ChartField, width: JsonValue) -> bool:
    """Whether numbers fit above the bars; on a crowded axis tooltips have them."""
    return isinstance(width, dict) or len(frame.values(place)) * STEP * 2 <= compute_longest_side(
        frame
    )


def _encode_colors(frame: ChartFrame) -> VegaSpec:
    """Blue, orange and grey for the kinds of steps that there are."""
    words = frame.words
    hues = {words.increase: BLUE, words.decrease: ORANGE, words.total: GREY}
    kinds = [kind for kind in hues if any(row["_step"] == kind for row in frame.rows)]
    scale = {"domain": kinds, "range": [hues[kind] for kind in kinds]}
    return {"field": "_step", "type": "nominal", "title": None, "scale": scale}


def _fit_scale(rows: list[JsonObject]) -> VegaSpec:
    """A scale from zero, with space for the label above the highest bar."""
    top = max(read_number(row, "_top") for row in rows)
    return {"zero": True, "domainMax": top * 1.08} if top > 0 else {"zero": True}


def _add_steps(frame: ChartFrame, place: ChartField, measured: ChartField) -> list[JsonObject]:
    color_field, labels = frame.get(ChartChannel.COLOR), frame.words
    panels = frame.keys(ChartChannel.COLUMN, ChartChannel.ROW)
    levels: dict[tuple[JsonValue, ...], float] = {}
    rows: list[JsonObject] = []
    for row in frame.rows:
        value = float(read_number(row, measured.key))
        words = {str(row.get(place.key)).strip().lower()}
        words |= {str(row.get(color_field.key)).strip().lower()} if color_field else set()
        whole = bool(words & TOTALS)
        panel = tuple(row.get(key) for key in panels)
        before = 0.0 if whole else levels.get(panel, 0.0)
        level = levels[panel] = before + value
        step = labels.total if whole else labels.increase if value >= 0 else labels.decrease
        rows.append(
            row | {"_from": before, "_to": level, "_top": max(before, level), "_step": step}
        )
    return rows
