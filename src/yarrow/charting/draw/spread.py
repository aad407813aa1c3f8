"""How values are spread: histograms, densities, boxes, strips."""

from yarrow.charting.draw.bars import bars
from yarrow.charting.encode import WHOLE, axis, color, sized, tooltip
from yarrow.charting.fields import Field
from yarrow.charting.frame import (
    Drawing,
    Frame,
    dropped_nulls,
    measured_axis,
    other_axis,
    require_measure,
)
from yarrow.charting.model import Channel, VegaSpec
from yarrow.charting.palette import BLUE
from yarrow.kit.json import JsonValue

GOLDEN = 0.6180339887498949
"""Its multiples fall evenly and without a pattern: jitter that is the same each time."""


def histogram(frame: Frame) -> Drawing:
    """How many rows fall into each bin; Vega chooses the bins. Names are counted one by one."""
    x = frame.need(Channel.X)
    if not x.measures:
        return bars(frame)
    require_measure(frame, Channel.X)
    frame = dropped_nulls(frame, (Channel.X,))
    count: VegaSpec = {"aggregate": "count", "type": "quantitative", "title": frame.words.count}
    count |= {"axis": WHOLE}
    binned: VegaSpec = {"field": x.key, "type": "quantitative", "title": x.title}
    binned |= {"bin": _bins(frame), "axis": axis(frame, Channel.X).get("axis", {})}
    encoding: VegaSpec = {"x": binned, "y": count}
    tip = {"field": x.key, "type": "quantitative", "bin": binned["bin"], "title": x.title}
    encoding["tooltip"] = [
        tip,
        {"aggregate": "count", "type": "quantitative", "title": frame.words.count},
    ]
    if hue := frame.get(Channel.COLOR):
        encoding["color"] = color(frame, hue)
        encoding["tooltip"] += tooltip(frame, hue)
    mark: VegaSpec = {"type": "bar", "binSpacing": 1}
    mark |= {} if hue else {"color": BLUE}
    return Drawing({"mark": mark, "encoding": encoding} | _plain_size(frame), frame)


def _bins(frame: Frame) -> JsonValue:
    told = frame.config.get("binCount", frame.config.get("maxbins"))
    return {"maxbins": told} if isinstance(told, int) and 2 <= told <= 200 else True


def _plain_size(frame: Frame) -> VegaSpec:
    return {"width": frame.size.width, "height": frame.size.height}


def density(frame: Frame) -> Drawing:
    """A smooth outline of the same; series lie over each other."""
    require_measure(frame, Channel.X)
    frame = dropped_nulls(frame, (Channel.X,))
    x, hue = frame.need(Channel.X), frame.get(Channel.COLOR)
    values = frame.numbers(x)
    smooth: VegaSpec = {"density": x.key, "as": [x.key, "_density"], "resolve": "shared"}
    smooth |= {"extent": _widened(values)}
    if groups := frame.keys(Channel.COLOR, Channel.COLUMN, Channel.ROW):
        smooth["groupby"] = groups
    encoding: VegaSpec = {
        "x": {"field": x.key, "type": "quantitative", "title": x.title},
        "y": {
            "field": "_density",
            "type": "quantitative",
            "title": frame.words.density,
            "stack": None,
        },
    }
    encoding["x"] |= {"axis": axis(frame, Channel.X)["axis"], "scale": {"zero": False}}
    if hue:
        encoding["color"] = color(frame, hue)
    mark: VegaSpec = {"type": "area", "opacity": 0.45, "line": True}
    mark |= {} if hue else {"color": BLUE}
    body: VegaSpec = {"transform": [smooth], "mark": mark, "encoding": encoding}
    return Drawing(body | _plain_size(frame), frame)


def _widened(values: list[float]) -> list[float]:
    margin = (max(values) - min(values)) * 0.1 or 1.0
    return [min(values) - margin, max(values) + margin]


def boxes(frame: Frame) -> Drawing:
    """Quartiles, whiskers and outliers of each place."""
    measure = measured_axis(frame)
    require_measure(frame, measure)
    frame = dropped_nulls(frame, (measure,))
    place = other_axis(measure)
    encoding: VegaSpec = {str(measure): axis(frame, measure)}
    if place in frame.fields:
        encoding[str(place)] = axis(frame, place)
    hue = frame.get(Channel.COLOR)
    mark: VegaSpec = {
        "type": "boxplot",
        "size": _box_width(frame),
        "outliers": {"size": 14, "opacity": 0.6},
    }
    if hue:
        encoding["color"] = color(frame, hue)
        if place in frame.fields and hue.key != frame.need(place).key:
            encoding[f"{place}Offset"] = {"field": hue.key, "type": str(hue.kind)}
    else:
        mark["color"] = BLUE
    return Drawing({"mark": mark, "encoding": encoding} | sized(frame), frame)


def _box_width(frame: Frame) -> int:
    place = frame.get(other_axis(measured_axis(frame)))
    roomy = place is None or (len(frame.values(place)) <= 8 and Channel.COLOR not in frame.fields)
    return 30 if roomy else 12


def strip(frame: Frame) -> Drawing:
    """Every value as a dot, spread sideways so that equal ones stay visible."""
    measure = measured_axis(frame)
    require_measure(frame, measure)
    place = other_axis(measure)
    frame = dropped_nulls(frame, (measure,))
    rows = [row | {"_jitter": (n * GOLDEN) % 1} for n, row in enumerate(frame.rows, 1)]
    frame = frame.having(rows)
    encoding: VegaSpec = {
        str(measure): axis(frame, measure),
        f"{place}Offset": {"field": "_jitter", "type": "quantitative"},
        "tooltip": tooltip(frame, *frame.fields.values()),
    }
    encoding[f"{place}Offset"] |= {"scale": {"domain": [-0.4, 1.4]}}
    if place in frame.fields:
        encoding[str(place)] = axis(frame, place)
    encoding |= _hue(frame, frame.get(Channel.COLOR))
    mark: VegaSpec = {"type": "circle", "size": 25, "opacity": 0.6}
    return Drawing({"mark": mark, "encoding": encoding} | sized(frame), frame)


def _hue(frame: Frame, hue: Field | None) -> VegaSpec:
    return {"color": color(frame, hue) if hue else {"value": BLUE}}
