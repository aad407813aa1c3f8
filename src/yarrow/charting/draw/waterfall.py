"""A waterfall: each bar begins where the one before ended."""

from yarrow.charting.encode import across, axis_format, extent, position, text_format
from yarrow.charting.fields import Field
from yarrow.charting.frame import (
    Drawing,
    Frame,
    dropped_nulls,
    measured_axis,
    number_in,
    other_axis,
    require_measure,
    with_measure,
)
from yarrow.charting.model import Channel, VegaSpec
from yarrow.charting.palette import BLUE, GREY, INK, ORANGE
from yarrow.charting.words import ChartWords
from yarrow.kit.json import JsonObject, JsonValue

TOTALS = frozenset({"total", "start", "end", "subtotal", "合计", "总计", "期初", "期末", "小计"})


def waterfall(frame: Frame) -> Drawing:
    """Steps in the order of the rows; a place or colour that says `total` stands on zero."""
    measure = measured_axis(frame)
    require_measure(frame, measure)
    frame = dropped_nulls(with_measure(frame, measure), (measure,))
    place, measured = frame.need(other_axis(measure)), frame.need(measure)
    values = frame.numbers(measured)
    frame = frame.having(_stepped(frame, place, measured))
    bottom = position(frame, place) | {"sort": None}
    height: VegaSpec = {"field": "_from", "type": "quantitative", "title": measured.title}
    height |= {"axis": axis_format(measured, values), "scale": _room(frame.rows)}
    written, words = text_format(measured, values), frame.words
    tips = [
        {"field": place.key, "type": "nominal", "title": place.title},
        {"field": measured.key, "type": "quantitative", "title": measured.title, "format": written},
        {
            "field": "_to",
            "type": "quantitative",
            "title": words.running_total,
            "format": written,
        },
    ]
    encoding = {"x": across(bottom, frame.values(place))}
    bar: VegaSpec = {
        "mark": {"type": "bar", "cornerRadius": 1},
        "encoding": {
            "y": height,
            "y2": {"field": "_to"},
            "color": _colors(words),
            "tooltip": tips,
        },
    }
    label: VegaSpec = {
        "mark": {"type": "text", "dy": -6, "fontSize": 10, "color": INK},
        "encoding": {
            "y": {"field": "_top", "type": "quantitative"},
            "text": {"field": measured.key, "type": "quantitative", "format": written},
        },
    }
    size = {"width": extent(frame.placed(Channel.X, place), Channel.X)}
    return Drawing(
        {"encoding": encoding, "layer": [bar, label]} | size | {"height": frame.size.height}, frame
    )


def _colors(words: ChartWords) -> VegaSpec:
    scale = {"domain": [words.increase, words.decrease, words.total], "range": [BLUE, ORANGE, GREY]}
    return {"field": "_step", "type": "nominal", "title": None, "scale": scale}


def _room(rows: list[JsonObject]) -> VegaSpec:
    """Zero below, and room for the label of the highest bar above."""
    top = max(number_in(row, "_top") for row in rows)
    return {"zero": True, "domainMax": top * 1.08} if top > 0 else {"zero": True}


def _stepped(frame: Frame, place: Field, measured: Field) -> list[JsonObject]:
    told, said = frame.get(Channel.COLOR), frame.words
    panels = frame.keys(Channel.COLUMN, Channel.ROW)
    levels: dict[tuple[JsonValue, ...], float] = {}
    rows: list[JsonObject] = []
    for row in frame.rows:
        value = float(number_in(row, measured.key))
        words = {str(row.get(place.key)).strip().lower()}
        words |= {str(row.get(told.key)).strip().lower()} if told else set()
        whole = bool(words & TOTALS)
        panel = tuple(row.get(key) for key in panels)
        before = 0.0 if whole else levels.get(panel, 0.0)
        level = levels[panel] = before + value
        step = said.total if whole else said.increase if value >= 0 else said.decrease
        rows.append(
            row | {"_from": before, "_to": level, "_top": max(before, level), "_step": step}
        )
    return rows
