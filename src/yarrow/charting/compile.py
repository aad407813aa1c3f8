"""From a chart that is wished for and a table to a Vega-Lite spec with its data inside."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from yarrow.charting.channels import NEEDED
from yarrow.charting.draw import DRAWN
from yarrow.charting.encode import marked_percent, sort_order
from yarrow.charting.errors import ChartChannelsMissing, ChartFieldsMissing, ChartWithoutRows
from yarrow.charting.fields import Field, resolve_fields, retyped
from yarrow.charting.frame import Drawing, Frame, nulls_named, numbers, project, trimmed
from yarrow.charting.model import (
    Channel,
    ChartIntent,
    ChartType,
    CompiledChart,
    FieldMeaning,
    Size,
    TableShape,
    VegaSpec,
)
from yarrow.charting.question_words import ChartLanguage
from yarrow.charting.words import LOCALES, WORDS
from yarrow.kit.json import JsonMapping, JsonObject

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
FONT = "Noto Sans SC, Noto Sans CJK SC, system-ui, sans-serif"
FACET_COLUMNS = 6
WITHOUT_NULLS = frozenset(
    {
        *(ChartType.SCATTER, ChartType.REGRESSION, ChartType.LINE, ChartType.AREA),
        *(ChartType.STREAMGRAPH, ChartType.RADAR, ChartType.BUMP, ChartType.CANDLESTICK),
    }
)
"""Charts that leave out rows without a value on their axes."""
STYLE: VegaSpec = {
    "font": FONT,
    "view": {"stroke": None},
    "axis": {
        "gridColor": "#E6E6E6",
        "domainColor": "#9A9A9A",
        "tickColor": "#9A9A9A",
        "titleLimit": 300,
    },
    "title": {"anchor": "start", "fontSize": 14, "fontWeight": 600, "limit": 800},
    "header": {"labelFontSize": 11, "titleFontSize": 12, "labelLimit": 180, "titleLimit": 400},
}


def compile_chart(
    intent: ChartIntent,
    shape: TableShape,
    rows: Sequence[JsonMapping],
    *,
    meanings: Mapping[str, FieldMeaning] | None = None,
    display_names: Mapping[str, str] | None = None,
    size: Size | None = None,
    language: ChartLanguage = ChartLanguage.EN,
) -> CompiledChart:
    """A spec that can be drawn as it is; raises `ChartImpossible` where none would be true.

    The rows are not changed. The spec holds only the fields it shows.
    """
    if not rows:
        raise ChartWithoutRows
    intent = _with_encodings(intent, shape)
    _require(intent, shape)
    _require_values(intent, rows)
    known = resolve_fields(
        tuple(intent.encodings.values()),
        shape,
        meanings=meanings or {},
        display_names=display_names or {},
    )
    fields = {channel: known[name] for channel, name in intent.encodings.items()}
    frame = _frame(intent, retyped(intent.chart_type, fields), rows, size or Size())
    drawing = DRAWN[intent.chart_type](trimmed(replace(frame, words=WORDS[language])))
    return CompiledChart(_spec(drawing, LOCALES[language]), drawing.frame.notes)


def _with_encodings(intent: ChartIntent, shape: TableShape) -> ChartIntent:
    if intent.encodings:
        return intent
    first = dict(zip((Channel.X, Channel.Y), shape.names, strict=False))
    note = "no encodings were given; the first two columns are drawn"
    return replace(
        intent, chart_type=ChartType.SCATTER, encodings=first, notes=(*intent.notes, note)
    )


def _require(intent: ChartIntent, shape: TableShape) -> None:
    missing = [name for name in intent.encodings.values() if name not in shape.names]
    if missing:
        raise ChartFieldsMissing(missing=tuple(dict.fromkeys(missing)), available=shape.names)
    empty = [str(c) for c in NEEDED[intent.chart_type] if c not in intent.encodings]
    if empty:
        raise ChartChannelsMissing(chart_type=str(intent.chart_type), channels=tuple(empty))


def _require_values(intent: ChartIntent, rows: Sequence[JsonMapping]) -> None:
    """A column on an axis that holds nothing is not a reason to count the rows instead."""
    drawn = {Channel.X, Channel.Y, *NEEDED[intent.chart_type]} & intent.encodings.keys()
    names = dict.fromkeys(intent.encodings[channel] for channel in sorted(drawn))
    empty = [name for name in names if all(row.get(name) is None for row in rows)]
    if empty:
        raise ChartWithoutRows(f"no row has a value for {', '.join(empty)}")


def _frame(
    intent: ChartIntent,
    fields: Mapping[Channel, Field],
    rows: Sequence[JsonMapping],
    size: Size,
) -> Frame:
    fields = _apart(fields)
    plain = project(rows, list({field.key: field for field in fields.values()}.values()))
    plain = nulls_named(plain, _nameable(intent.chart_type, fields))
    dressed = {
        channel: marked_percent(field, numbers(plain, field.key)) if field.measures else field
        for channel, field in fields.items()
    }
    panels = {Channel.COLUMN, Channel.ROW} & dressed.keys()
    room = _panel_size(size, max((_count(plain, dressed[c]) for c in panels), default=1))
    return Frame(intent.chart_type, dressed, plain, intent.config, room, intent.notes)


def _nameable(chart_type: ChartType, fields: Mapping[Channel, Field]) -> list[str]:
    """The keys whose missing values are a place; where rows without them go, they are not."""
    axes = NEEDED[chart_type] if chart_type in WITHOUT_NULLS else ()
    left_out = {fields[channel].key for channel in axes}
    named = {field.key for field in fields.values() if field.has_places}
    return sorted(named - left_out)


def _apart(fields: Mapping[Channel, Field]) -> dict[Channel, Field]:
    """A column that is a place here and a measure there has two keys, one for each."""
    read_as: dict[str, bool] = {}
    found: dict[Channel, Field] = {}
    for channel, field in fields.items():
        as_measure = read_as.setdefault(field.key, field.measures)
        other = as_measure is not field.measures
        found[channel] = replace(field, key=f"{field.key}_") if other else field
    return found


def _count(rows: Sequence[JsonObject], field: Field) -> int:
    return len({row[field.key] for row in rows})


def _panel_size(size: Size, panels: int) -> Size:
    """Panels shrink as they become more, so that six of them still fit a page."""
    share = 1.0 if panels <= 1 else 0.7 if panels == 2 else 0.5 if panels <= 4 else 0.38
    return Size(int(size.width * share), int(size.height * share))


def _spec(drawing: Drawing, locale: VegaSpec) -> VegaSpec:
    frame, body = drawing.frame, drawing.body
    spec: VegaSpec = {"$schema": SCHEMA, "data": {"values": frame.rows}}
    title = frame.config.get("title")
    if isinstance(title, str) and title:
        spec["title"] = title
    if facet := _facet(frame):
        spec |= {"facet": facet, "spec": body}
        if Channel.ROW not in frame.fields:
            spec["columns"] = FACET_COLUMNS
    else:
        spec |= body
    return spec | {"config": {**STYLE, "locale": locale} if locale else STYLE}


def _facet(frame: Frame) -> VegaSpec:
    row, column = frame.get(Channel.ROW), frame.get(Channel.COLUMN)
    if row is None and column is not None:
        return _panels(frame, column)
    found = {"row": row, "column": column}
    return {side: _panels(frame, field) for side, field in found.items() if field}


def _panels(frame: Frame, field: Field) -> VegaSpec:
    values = frame.values(field)
    order = sort_order(field, values) or values
    return {"field": field.key, "type": str(field.kind), "title": field.title, "sort": order}
