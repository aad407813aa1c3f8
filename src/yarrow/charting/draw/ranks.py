"""A bump chart: who stands where, and how that changes."""

from collections import defaultdict

from yarrow.charting.draw.require import require_measure, require_rows
from yarrow.charting.encode import across, color, position, tooltip
from yarrow.charting.fields import Field, made_field
from yarrow.charting.frame import Drawing, Frame
from yarrow.charting.model import Channel, SemanticType
from yarrow.charting.reduce import dropped_nulls, once_each
from yarrow.kit.json import JsonObject, JsonValue

RANK_KEY = "_rank"


def bump(frame: Frame) -> Drawing:
    """Ranks as they are given, or else made from the values: the largest is first."""
    require_measure(frame, Channel.Y)
    frame = once_each(dropped_nulls(frame, (Channel.X, Channel.Y)), Channel.Y)
    require_rows(frame, frame.need(Channel.X), frame.need(Channel.Y))
    x, y, hue = frame.need(Channel.X), frame.need(Channel.Y), frame.get(Channel.COLOR)
    rank = y
    if y.meaning is not SemanticType.RANK:
        frame = frame.having(_ranked(frame, x, y)).noted(f"ranks are made from {y.title}")
        rank = made_field(RANK_KEY, frame.words.rank)
    last = max(frame.numbers(rank))
    up: JsonObject = {"field": rank.key, "type": "quantitative", "title": rank.title}
    up |= {"scale": {"reverse": True, "zero": False, "domain": [0.5, last + 0.5], "nice": False}}
    up |= {"axis": {"tickMinStep": 1, "format": "d", "grid": False}}
    encoding: JsonObject = {
        "x": across(position(frame, x), frame.values(x)),
        "y": up,
        "tooltip": tooltip(frame, x, hue, rank, y),
    }
    if hue is not None:
        encoding["color"] = color(frame, hue)
    mark: JsonObject = {"type": "line", "interpolate": "monotone", "strokeWidth": 3}
    mark |= {"point": {"size": 110, "filled": True}}
    body: JsonObject = {"mark": mark, "encoding": encoding}
    return Drawing(body | {"width": frame.size.width, "height": frame.size.height}, frame)


def _ranked(frame: Frame, x: Field, y: Field) -> list[JsonObject]:
    panels = frame.keys(Channel.COLUMN, Channel.ROW)
    moments: dict[tuple[JsonValue, ...], list[JsonObject]] = defaultdict(list)
    for row in frame.rows:
        moments[tuple(row.get(key) for key in (x.key, *panels))].append(row)
    return [
        row | {RANK_KEY: place}
        for rows in moments.values()
        for place, row in enumerate(sorted(rows, key=lambda row: -row[y.key]), 1)
    ]
