"""KPI cards: one large number each, with its goal if there is one."""

from msgspec.structs import replace

from yarrow.charting.fields import ChartField
from yarrow.charting.frame import ChartFrame, ChartMarks, require_measure
from yarrow.charting.model import ChartChannel, ChartLanguage, PercentScale, ReductionKind, VegaSpec
from yarrow.charting.number_formats import format_short
from yarrow.charting.palette import BLUE, INK, ORANGE
from yarrow.kit.json import JsonObject, JsonValue

COLUMNS = 4
WIDTH, HEIGHT = 170, 96


def draw_cards(frame: ChartFrame) -> ChartMarks:
    """One card for each metric."""
    require_measure(frame, *({ChartChannel.VALUE, ChartChannel.GOAL} & frame.fields.keys()))
    value, metric, goal = (
        frame.need(ChartChannel.VALUE),
        frame.get(ChartChannel.METRIC),
        frame.get(ChartChannel.GOAL),
    )
    language = frame.words.language
    rows = [
        _make_card(row, _scale_value(frame, row), metric, goal, language=language)
        | {"_place": place}
        for place, row in enumerate(frame.rows)
    ]
    if metric is not None and frame.reduction.kind is ReductionKind.AGGREGATED:
        rows = [row | {"_name": f"{row['_name']}: {value.title}"} for row in rows]
    layers = [
        _build_text_layer("_name", y=16, size=12, ink="#6B6B6B"),
        _build_text_layer("_value", y=50, size=30, ink=INK, weight="bold"),
    ]
    if goal is not None:
        layers.append(_build_goal_layer())
    spec: VegaSpec = {"layer": layers, "width": WIDTH, "height": HEIGHT}
    spec |= {"view": {"stroke": "#DDDDDD", "cornerRadius": 6}}
    facet = {"field": "_place", "type": "ordinal", "header": {"labelExpr": "''", "title": None}}
    body: VegaSpec = {"facet": facet, "columns": COLUMNS, "spec": spec, "spacing": 12}
    return ChartMarks(body, frame.with_rows(rows))


def _scale_value(frame: ChartFrame, row: JsonObject) -> ChartField:
    """The value as a fraction, if the row's metric is one."""
    value, metric = frame.need(ChartChannel.VALUE), frame.get(ChartChannel.METRIC)
    if metric is None or str(row.get(metric.key)) not in frame.fraction_metrics:
        return value
    return replace(value, scale=PercentScale.FRACTION)


def _make_card(
    row: JsonObject,
    value: ChartField,
    metric: ChartField | None,
    goal: ChartField | None,
    *,
    language: ChartLanguage,
) -> VegaSpec:
    number = _read_number(row.get(value.key))
    shown = row | {"_value": format_short(number, value, language)}
    shown["_name"] = str(row.get(metric.key)) if metric else value.title
    if goal is None:
        return shown
    target = _read_number(row.get(goal.key))
    met = number is not None and target is not None and number >= target
    share = f" · {number / target:.0%}" if number is not None and target else ""
    aim = format_short(target, value, language)
    shown["_goal"] = f"{goal.title} {aim}{share}"
    return shown | {"_met": met}


def _read_number(value: JsonValue) -> float | None:
    return value if isinstance(value, int | float) else None


def _build_text_layer(key: str, *, y: int, size: int, ink: str, weight: str = "normal") -> VegaSpec:
    mark = {"type": "text", "align": "left", "x": 12, "y": y, "fontSize": size, "color": ink}
    mark |= {"fontWeight": weight, "baseline": "middle", "limit": WIDTH - 20}
    return {"mark": mark, "encoding": {"text": {"field": key, "type": "nominal"}}}


def _build_goal_layer() -> VegaSpec:
    layer = _build_text_layer("_goal", y=80, size=11, ink=INK)
    condition = {"test": "datum._met", "value": BLUE}
    layer["encoding"]["color"] = {"condition": condition, "value": ORANGE}
    return layer
