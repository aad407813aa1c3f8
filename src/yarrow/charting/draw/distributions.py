"""Distributions: histograms, densities, box plots, strip plots."""

from yarrow.charting.encode import encode_axis, encode_chart_size, encode_color, encode_tooltip
from yarrow.charting.fields import ChartField, make_field
from yarrow.charting.frame import (
    ChartFrame,
    ChartMarks,
    find_measure_axis,
    list_numbers,
    other_axis,
    read_number,
    require_measure,
)
from yarrow.charting.model import ChartChannel, VegaSpec
from yarrow.charting.number_formats import choose_axis_format
from yarrow.charting.palette import BLUE
from yarrow.charting.row_keys import (
    BIN_END,
    BIN_STEP,
    BOX_ROWS,
    COUNT_KEY,
    DENSITY,
    HIGH,
    LOW,
    MEDIAN,
    Q1,
    Q3,
)

HALF = 0.5
WHOLE = "_whole"
"""The key of the whole number that a bin holds."""
GOLDEN = 0.6180339887498949
"""Fractional parts of its multiples are evenly distributed: deterministic jitter."""


def draw_histogram(frame: ChartFrame) -> ChartMarks:
    """Bars over bins that were counted."""
    require_measure(frame, ChartChannel.X)
    frame, low = _encode_bins(frame)
    count: VegaSpec = {"field": COUNT_KEY, "type": "quantitative", "title": frame.words.count}
    counts = [read_number(row, COUNT_KEY) for row in frame.rows]
    axis = choose_axis_format(make_field(COUNT_KEY, ""), counts, frame.words.language)
    encoding: VegaSpec = {"x": low["x"], "x2": {"field": BIN_END}, "y": count | {"axis": axis}}
    encoding["tooltip"] = [low["tooltip"], {**count, "format": ",d"}]
    if hue := frame.get(ChartChannel.COLOR):
        encoding["color"] = encode_color(frame, hue)
        encoding["tooltip"] += encode_tooltip(frame, hue)
    mark: VegaSpec = {"type": "bar", "binSpacing": 1}
    mark |= {} if hue else {"color": BLUE}
    return ChartMarks({"mark": mark, "encoding": encoding} | _encode_size(frame), frame)


def _encode_bins(frame: ChartFrame) -> tuple[ChartFrame, VegaSpec]:
    """The x axis and the tooltip of bins; those of one whole number each are named by it."""
    x, lows = frame.need(ChartChannel.X), frame.numbers(frame.need(ChartChannel.X))
    step = frame.rows[0][BIN_STEP]
    axis = choose_axis_format(x, lows, frame.words.language)
    tip: VegaSpec = {"field": x.key, "type": "quantitative", "title": f"{x.title} ≥"}
    if step == 1 and all(low % 1 == HALF for low in lows):
        frame = frame.with_rows(
            [row | {WHOLE: read_number(row, x.key) + HALF} for row in frame.rows]
        )
        wholes = list_numbers(frame.rows, WHOLE)
        axis = choose_axis_format(x, wholes, frame.words.language)
        if "format" in axis:  # descriptions of bars have their edges in the same format
            axis["format"] = axis["format"].replace("d", ".1~f")
        axis["values"] = list(range(int(min(wholes)), int(max(wholes)) + 1))
        tip |= {"field": WHOLE, "title": x.title}
    axis["labelOverlap"] = "greedy"
    binned: VegaSpec = {"field": x.key, "type": "quantitative", "title": x.title}
    return frame, {
        "x": binned | {"bin": {"binned": True, "step": step}, "axis": axis},
        "tooltip": tip,
    }


def _encode_size(frame: ChartFrame) -> VegaSpec:
    return {"width": frame.size.width, "height": frame.size.height}


def draw_density(frame: ChartFrame) -> ChartMarks:
    """Curves of the density; several series overlap."""
    require_measure(frame, ChartChannel.X)
    x, hue = frame.need(ChartChannel.X), frame.get(ChartChannel.COLOR)
    height: VegaSpec = {"field": DENSITY, "type": "quantitative", "stack": None}
    encoding: VegaSpec = {
        "x": {"field": x.key, "type": "quantitative", "title": x.title},
        "y": height | {"title": frame.words.density},
    }
    encoding["x"] |= {"axis": encode_axis(frame, ChartChannel.X)["axis"], "scale": {"zero": False}}
    if hue:
        encoding["color"] = encode_color(frame, hue)
    mark: VegaSpec = {"type": "area", "opacity": 0.45, "line": True}
    mark |= {} if hue else {"color": BLUE}
    return ChartMarks({"mark": mark, "encoding": encoding} | _encode_size(frame), frame)


def draw_boxplot(frame: ChartFrame) -> ChartMarks:
    """Quartiles, whiskers and outliers of each category, which were computed over all rows."""
    measure = find_measure_axis(frame)
    place, measured = other_axis(measure), frame.need(measure)
    hue = frame.get(ChartChannel.COLOR)
    shared: VegaSpec = {}
    if place in frame.fields:
        shared[str(place)] = encode_axis(frame, place)
        if hue and hue.key != frame.need(place).key:
            shared[f"{place}Offset"] = {"field": hue.key, "type": str(hue.kind)}
    shades: VegaSpec = {"color": encode_color(frame, hue) if hue else {"value": BLUE}}
    ends = (LOW, Q1, MEDIAN, Q3, HIGH)
    shown = [read_number(row, key) for row in frame.rows for key in ends if key in row]
    scale: VegaSpec = {"zero": False}
    height: VegaSpec = {"type": "quantitative", "title": measured.title, "scale": scale}
    height |= {"axis": choose_axis_format(measured, shown, frame.words.language)}
    tips = encode_tooltip(
        frame, *(field for field in frame.fields.values() if field is not measured)
    )
    tips += [{"field": key, "type": "quantitative", "title": key[1:]} for key in (*ends, BOX_ROWS)]
    box: VegaSpec = {"type": "bar", "size": _choose_box_width(frame)}
    layers: list[VegaSpec] = [
        _build_span_layer(measure, height, LOW, HIGH, {"type": "rule"}, shades),
        _build_span_layer(measure, height, Q1, Q3, box, {**shades, "tooltip": tips}),
        {
            "transform": [{"filter": "isValid(datum._middle)"}],
            "mark": {"type": "tick", "size": _choose_box_width(frame), "thickness": 2},
            "encoding": {
                str(measure): {"field": MEDIAN, **height},
                "color": _encode_median(shades["color"]),
            },
        },
        {
            "transform": [{"filter": f"isValid(datum[{measured.key!r}])"}],
            "mark": {"type": "point", "size": 14, "opacity": 0.6, "filled": True},
            "encoding": {str(measure): {"field": measured.key, **height}, **shades},
        },
    ]
    rows = [row | {measured.key: row.get(measured.key)} for row in frame.rows]
    body: VegaSpec = {"encoding": shared, "layer": layers}
    return ChartMarks(body | encode_chart_size(frame), frame.with_rows(rows))


def _encode_median(shade: VegaSpec) -> VegaSpec:
    """White in a box; where all quartiles are equal there is none, so in its colour."""
    return {"condition": {"test": "datum._q3 > datum._q1", "value": "white"}, **shade}


def _build_span_layer(
    measure: ChartChannel, height: VegaSpec, low: str, high: str, mark: VegaSpec, extra: VegaSpec
) -> VegaSpec:
    ends = {str(measure): {"field": low, **height}, f"{measure}2": {"field": high}}
    transform = [{"filter": "isValid(datum._middle)"}]
    return {"transform": transform, "mark": mark, "encoding": {**ends, **extra}}


def _choose_box_width(frame: ChartFrame) -> int:
    place = frame.get(other_axis(find_measure_axis(frame)))
    roomy = place is None or (
        len(frame.values(place)) <= 8 and ChartChannel.COLOR not in frame.fields
    )
    return 30 if roomy else 12


def draw_strip(frame: ChartFrame) -> ChartMarks:
    """Every value as a dot, with jitter so that equal values stay visible."""
    measure = find_measure_axis(frame)
    require_measure(frame, measure)
    place = other_axis(measure)
    rows = [row | {"_jitter": (n * GOLDEN) % 1} for n, row in enumerate(frame.rows, 1)]
    frame = frame.with_rows(rows)
    encoding: VegaSpec = {
        str(measure): encode_axis(frame, measure),
        f"{place}Offset": {"field": "_jitter", "type": "quantitative"},
        "tooltip": encode_tooltip(frame, *frame.fields.values()),
    }
    encoding[f"{place}Offset"] |= {"scale": {"domain": [-0.4, 1.4]}}
    if place in frame.fields:
        encoding[str(place)] = encode_axis(frame, place)
    encoding |= _encode_hue(frame, frame.get(ChartChannel.COLOR))
    mark: VegaSpec = {"type": "circle", "size": 25, "opacity": 0.6}
    return ChartMarks({"mark": mark, "encoding": encoding} | encode_chart_size(frame), frame)


def _encode_hue(frame: ChartFrame, hue: ChartField | None) -> VegaSpec:
    return {"color": encode_color(frame, hue) if hue else {"value": BLUE}}
