"""Candlesticks: open, high, low and close of each period."""

from yarrow.charting.chart_types import PRICES
from yarrow.charting.encode import (
    angle_labels,
    choose_axis_length,
    encode_position,
    encode_tooltip,
    list_in_order,
    pick_labels,
)
from yarrow.charting.frame import (
    ChartFrame,
    ChartMarks,
    read_number,
    require_measure,
    require_rows,
)
from yarrow.charting.model import ChartChannel, VegaSpec
from yarrow.charting.number_formats import choose_axis_format
from yarrow.charting.palette import BLUE, ORANGE

STEP_MIN = 7
LABELS_MAX = 16
RISE, FALL = "rise", "fall"


def draw_candlestick(frame: ChartFrame) -> ChartMarks:
    """x is discrete, so weekends leave no gaps; a rise is blue, a fall orange."""
    require_measure(frame, *PRICES)
    require_rows(frame, *(frame.need(channel) for channel in PRICES))
    x = frame.need(ChartChannel.X)
    first, high, low, last = (frame.need(channel) for channel in PRICES)
    rows = [
        row | {"_move": RISE if read_number(row, last.key) >= read_number(row, first.key) else FALL}
        for row in frame.rows
    ]
    frame = frame.with_rows(rows)
    bottom = encode_position(frame, x)
    if len(frame.values(x)) > LABELS_MAX:
        places = frame.domains.get(x.key) or frame.values(x)
        shown = list_in_order(x, places) or places
        bottom["axis"] |= {"labelOverlap": "greedy", "values": pick_labels(shown, LABELS_MAX)}
    count = len(frame.values(x))
    crowded = count * STEP_MIN > frame.size.width
    width = choose_axis_length(frame, count, STEP_MIN) if crowded else frame.size.width
    bottom = angle_labels(frame, bottom, frame.values(x), width=width)
    prices = frame.numbers(low) + frame.numbers(high)
    height: VegaSpec = {"type": "quantitative", "scale": {"zero": False}, "title": last.title}
    height |= {"axis": choose_axis_format(last, prices, frame.words.language)}
    scale = {"domain": [RISE, FALL], "range": [BLUE, ORANGE]}
    shared: VegaSpec = {
        "x": bottom,
        "color": {"field": "_move", "type": "nominal", "scale": scale, "legend": None},
        "tooltip": encode_tooltip(frame, x, first, high, low, last),
    }
    wick = {"y": {"field": low.key, **height}, "y2": {"field": high.key}}
    body = {"y": {"field": first.key, **height}, "y2": {"field": last.key}}
    layers: list[VegaSpec] = [
        {"mark": "rule", "encoding": wick},
        {"mark": {"type": "bar", "width": {"band": 0.6}}, "encoding": body},
    ]
    size = {"width": width, "height": frame.size.height}
    drawn = {"encoding": shared, "layer": layers} | size
    return ChartMarks(drawn, frame)
