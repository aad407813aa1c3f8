"""Distributions: histograms, densities, box plots, strip plots."""

from yarrow.charting.draw.bars import draw_bars
from yarrow.charting.encode import WHOLE, axis, chart_size, color, tooltip
from yarrow.charting.fields import ChartField
from yarrow.charting.frame import (
    ChartFrame,
    Drawing,
    drop_nulls,
    find_measure_axis,
    other_axis,
    require_measure,
)
from yarrow.charting.model import ChartChannel, VegaSpec
from yarrow.charting.palette import BLUE
from yarrow.kit.json import JsonValue

GOLDEN = 0.6180339887498949
"""Fractional parts of its multiples are evenly distributed: deterministic jitter."""


def draw_histogram(frame: ChartFrame) -> Drawing:
    """The number of rows in each bin, which Vega chooses; a discrete field becomes a bar chart."""
    x = frame.need(ChartChannel.X)
    if not x.measures:
        return draw_bars(frame)
    require_measure(frame, ChartChannel.X)
    frame = drop_nulls(frame, (ChartChannel.X,))
    count: VegaSpec = {"aggregate": "count", "type": "quantitative", "title": frame.words.count}
    count |= {"axis": WHOLE}
    binned: VegaSpec = {"field": x.key, "type": "quantitative", "title": x.title}
    binned |= {"bin": _read_bins(frame), "axis": axis(frame, ChartChannel.X).get("axis", {})}
    encoding: VegaSpec = {"x": binned, "y": count}
    tip = {"field": x.key, "type": "quantitative", "bin": binned["bin"], "title": x.title}
    encoding["tooltip"] = [
        tip,
        {"aggregate": "count", "type": "quantitative", "title": frame.words.count},
    ]
    if hue := frame.get(ChartChannel.COLOR):
        encoding["color"] = color(frame, hue)
        encoding["tooltip"] += tooltip(frame, hue)
    mark: VegaSpec = {"type": "bar", "binSpacing": 1}
    mark |= {} if hue else {"color": BLUE}
    return Drawing({"mark": mark, "encoding": encoding} | _plain_size(frame), frame)


def _read_bins(frame: ChartFrame) -> JsonValue:
    bins = frame.config.get("binCount", frame.config.get("maxbins"))
    return {"maxbins": bins} if isinstance(bins, int) and 2 <= bins <= 200 else True


def _plain_size(frame: ChartFrame) -> VegaSpec:
    return {"width": frame.size.width, "height": frame.size.height}


def draw_density(frame: ChartFrame) -> Drawing:
    """Kernel density estimates; several series overlap."""
    require_measure(frame, ChartChannel.X)
    frame = drop_nulls(frame, (ChartChannel.X,))
    x, hue = frame.need(ChartChannel.X), frame.get(ChartChannel.COLOR)
    values = frame.numbers(x)
    smooth: VegaSpec = {"density": x.key, "as": [x.key, "_density"], "resolve": "shared"}
    smooth |= {"extent": _widen(values)}
    if groups := frame.keys(ChartChannel.COLOR, ChartChannel.COLUMN, ChartChannel.ROW):
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
    encoding["x"] |= {"axis": axis(frame, ChartChannel.X)["axis"], "scale": {"zero": False}}
    if hue:
        encoding["color"] = color(frame, hue)
    mark: VegaSpec = {"type": "area", "opacity": 0.45, "line": True}
    mark |= {} if hue else {"color": BLUE}
    body: VegaSpec = {"transform": [smooth], "mark": mark, "encoding": encoding}
    return Drawing(body | _plain_size(frame), frame)


def _widen(values: list[float]) -> list[float]:
    margin = (max(values) - min(values)) * 0.1 or 1.0
    return [min(values) - margin, max(values) + margin]


def draw_boxplot(frame: ChartFrame) -> Drawing:
    """Quartiles, whiskers and outliers of each category."""
    measure = find_measure_axis(frame)
    require_measure(frame, measure)
    frame = drop_nulls(frame, (measure,))
    place = other_axis(measure)
    encoding: VegaSpec = {str(measure): axis(frame, measure)}
    if place in frame.fields:
        encoding[str(place)] = axis(frame, place)
    hue = frame.get(ChartChannel.COLOR)
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
    return Drawing({"mark": mark, "encoding": encoding} | chart_size(frame), frame)


def _box_width(frame: ChartFrame) -> int:
    place = frame.get(other_axis(find_measure_axis(frame)))
    roomy = place is None or (
        len(frame.values(place)) <= 8 and ChartChannel.COLOR not in frame.fields
    )
    return 30 if roomy else 12


def draw_strip(frame: ChartFrame) -> Drawing:
    """Every value as a dot, with jitter so that equal values stay visible."""
    measure = find_measure_axis(frame)
    require_measure(frame, measure)
    place = other_axis(measure)
    frame = drop_nulls(frame, (measure,))
    rows = [row | {"_jitter": (n * GOLDEN) % 1} for n, row in enumerate(frame.rows, 1)]
    frame = frame.with_rows(rows)
    encoding: VegaSpec = {
        str(measure): axis(frame, measure),
        f"{place}Offset": {"field": "_jitter", "type": "quantitative"},
        "tooltip": tooltip(frame, *frame.fields.values()),
    }
    encoding[f"{place}Offset"] |= {"scale": {"domain": [-0.4, 1.4]}}
    if place in frame.fields:
        encoding[str(place)] = axis(frame, place)
    encoding |= _encode_hue(frame, frame.get(ChartChannel.COLOR))
    mark: VegaSpec = {"type": "circle", "size": 25, "opacity": 0.6}
    return Drawing({"mark": mark, "encoding": encoding} | chart_size(frame), frame)


def _encode_hue(frame: ChartFrame, hue: ChartField | None) -> VegaSpec:
    return {"color": color(frame, hue) if hue else {"value": BLUE}}
