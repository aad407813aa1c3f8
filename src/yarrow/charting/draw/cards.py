"""Cards: one large number each, with its goal if there is one."""

from dataclasses import replace

from yarrow.charting.columns import meaning_of_name
from yarrow.charting.encode import written
from yarrow.charting.fields import Field
from yarrow.charting.frame import Drawing, Frame, require_measure
from yarrow.charting.model import Channel, VegaSpec
from yarrow.charting.palette import BLUE, INK, ORANGE
from yarrow.kit.json import JsonObject, JsonValue

CARDS_MAX = 12
COLUMNS = 4
WIDTH, HEIGHT = 170, 96


def cards(frame: Frame) -> Drawing:
    """A card for each row, as the rows come; they are not added up."""
    require_measure(frame, *({Channel.VALUE, Channel.GOAL} & frame.fields.keys()))
    value, metric, goal = (
        frame.need(Channel.VALUE),
        frame.get(Channel.METRIC),
        frame.get(Channel.GOAL),
    )
    if len(frame.rows) > CARDS_MAX:
        left = len(frame.rows) - CARDS_MAX
        frame = frame.having(frame.rows[:CARDS_MAX]).noted(f"{left} items omitted")
    rows = [_card(row, place, value, metric, goal) for place, row in enumerate(frame.rows)]
    layers = [
        _line("_name", y=16, size=12, ink="#6B6B6B"),
        _line("_value", y=50, size=30, ink=INK, weight="bold"),
    ]
    if goal is not None:
        layers.append(_goal_line())
    spec: VegaSpec = {"layer": layers, "width": WIDTH, "height": HEIGHT}
    spec |= {"view": {"stroke": "#DDDDDD", "cornerRadius": 6}}
    facet = {"field": "_place", "type": "ordinal", "header": {"labelExpr": "''", "title": None}}
    body: VegaSpec = {"facet": facet, "columns": COLUMNS, "spec": spec, "spacing": 12}
    return Drawing(body, frame.having(rows))


def _card(
    row: JsonObject, place: int, value: Field, metric: Field | None, goal: Field | None
) -> VegaSpec:
    number = _number(row.get(value.key))
    if metric is not None and value.meaning is None:
        value = replace(value, meaning=meaning_of_name(str(row.get(metric.key))))
    shown = row | {"_place": place, "_value": written(number, value, [number or 0])}
    shown["_name"] = str(row.get(metric.key)) if metric else value.title
    if goal is None:
        return shown
    target = _number(row.get(goal.key))
    met = number is not None and target is not None and number >= target
    share = f" · {number / target:.0%}" if number is not None and target else ""
    shown["_goal"] = f"{goal.title} {written(target, value, [number or 0])}{share}"
    return shown | {"_met": met}


def _number(value: JsonValue) -> float | None:
    return value if isinstance(value, int | float) else None


def _line(key: str, *, y: int, size: int, ink: str, weight: str = "normal") -> VegaSpec:
    mark = {"type": "text", "align": "left", "x": 12, "y": y, "fontSize": size, "color": ink}
    mark |= {"fontWeight": weight, "baseline": "middle", "limit": WIDTH - 20}
    return {"mark": mark, "encoding": {"text": {"field": key, "type": "nominal"}}}


def _goal_line() -> VegaSpec:
    found = _line("_goal", y=80, size=11, ink=INK)
    condition = {"test": "datum._met", "value": BLUE}
    found["encoding"]["color"] = {"condition": condition, "value": ORANGE}
    return found
