"""Parse a chart request, and compile it with a table to a Vega-Lite spec that holds its data.

Parsing is tolerant, because models spell freely: case, punctuation and short names do not matter,
an unknown chart becomes a scatter plot, and what is ignored is named in the notes. Whether the
fields exist is checked when the request is compiled, with the table.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from yarrow.charting.channels import CHANNEL_WORDS, KNOWN, MOVED, NEEDED, TYPE_WORDS
from yarrow.charting.columns import TableShape
from yarrow.charting.draw import DRAWN
from yarrow.charting.encode import marked_percent, sort_order
from yarrow.charting.errors import ChartChannelsMissing, ChartFieldsMissing, ChartWithoutRows
from yarrow.charting.fields import Field, resolve_fields, retyped
from yarrow.charting.frame import Drawing, Frame, nulls_named, numbers, project, trimmed
from yarrow.charting.model import (
    Channel,
    ChartIntent,
    ChartLanguage,
    ChartType,
    CompiledChart,
    FieldMeaning,
    SemanticType,
    Size,
    VegaSpec,
)
from yarrow.charting.words import LOCALES, WORDS
from yarrow.kit.json import JsonMapping, JsonObject, JsonValue

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
NOISE = re.compile(r"[\W_]+")
SUFFIXES = ("chart", "plot", "graph", "图")
FIELD_KEYS = ("field", "name", "column")


def parse_intent(raw: JsonObject) -> ChartIntent:
    """The chart that is wished for; `{}` is a scatter plot without encodings."""
    chart_type, notes = _chart_type(_first(raw, ("chart_type", "chartType", "type", "mark")))
    told = _first(raw, ("encodings", "encoding", "channels"))
    wished = dict(_wished(told))
    encodings, dropped = _placed(wished, chart_type)
    notes = (*notes, *_not_heeded(told, wished))
    config = raw.get("config")
    return ChartIntent(
        chart_type,
        encodings,
        config if isinstance(config, dict) else {},
        (*notes, *dropped),
    )


def read_meanings(raw: JsonObject) -> dict[str, FieldMeaning]:
    """`field_metadata` as agents write it: a semantic type, or an object that names one.

    Types that are not registered are left out, so the guesses apply.
    """
    found = {name: _meaning(told) for name, told in raw.items()}
    return {name: meaning for name, meaning in found.items() if meaning}


def _first(raw: JsonObject, keys: Iterable[str]) -> JsonValue:
    return next((raw[key] for key in keys if raw.get(key)), None)


def _chart_type(told: JsonValue) -> tuple[ChartType, tuple[str, ...]]:
    if isinstance(told, dict):  # as Vega-Lite writes a mark
        told = told.get("type")
    word = _plain(told if isinstance(told, str) else "")
    found = TYPE_NAMES.get(word) or TYPE_NAMES.get(_bare(word))
    if found is not None:
        return found, ()
    return ChartType.SCATTER, (f"no chart is called {told!r}; drawn as a scatter plot",)


def _plain(word: str) -> str:
    return NOISE.sub("", word).lower()


def _bare(word: str) -> str:
    for suffix in SUFFIXES:
        if word.endswith(suffix) and word != suffix:
            return word.removesuffix(suffix)
    return word


TYPE_NAMES: Mapping[str, ChartType] = {
    **TYPE_WORDS,
    **{_plain(chart): chart for chart in ChartType},
}


def _wished(raw: JsonValue) -> Iterable[tuple[str, str]]:
    if not isinstance(raw, dict):
        return
    for channel, told in raw.items():
        if field := _field(told):
            yield channel, field


def _field(told: JsonValue) -> str:
    match told:
        case str():
            return told
        case [str() as only]:
            return only
        case dict():
            found = (told.get(key) for key in FIELD_KEYS)
            return next((name for name in found if isinstance(name, str) and name), "")
        case _:
            return ""


def _not_heeded(raw: JsonValue, wished: Mapping[str, str]) -> list[str]:
    """What was asked of the channels and is not done, so that whoever asked can do it."""
    if not isinstance(raw, dict):
        return ["encodings must be an object of channels and fields"] if raw else []
    notes = [
        f"{channel} names no field: {told!r}"[:200]
        for channel, told in raw.items()
        if told and channel not in wished
    ]
    notes += [
        f"{channel} is not aggregated by {told['aggregate']!r}: aggregate the table itself"[:200]
        for channel, told in raw.items()
        if isinstance(told, dict) and told.get("aggregate")
    ]
    return notes


def _placed(
    wished: Mapping[str, str], chart_type: ChartType
) -> tuple[dict[Channel, str], tuple[str, ...]]:
    """Fields in channels the chart knows, and a note for each that has no place."""
    known, moved = KNOWN[chart_type], MOVED.get(chart_type, {})
    named = {word: CHANNEL_WORDS.get(_plain(word)) for word in wished}
    placed: dict[Channel, str] = {}
    for word, field in wished.items():
        if (channel := named[word]) in known and channel is not None:
            placed.setdefault(channel, field)
    dropped: list[str] = []
    for word, field in wished.items():
        channel = named[word]
        if channel in known:
            continue
        other = moved.get(channel) if channel else None
        if other is not None and other not in placed:
            placed[other] = field
        else:
            dropped.append(f"{chart_type} has no channel {word}; {field} is not shown by it")
    return placed, tuple(dropped)


def _meaning(told: JsonValue) -> FieldMeaning | None:
    detail = told if isinstance(told, dict) else {"semantic_type": told}
    semantic_type = SEMANTIC_NAMES.get(_plain(str(detail.get("semantic_type") or "")))
    if semantic_type is None:
        return None
    unit = detail.get("unit")
    return FieldMeaning(
        semantic_type,
        unit if isinstance(unit, str) and unit else None,
        _domain(detail.get("intrinsic_domain")),
    )


SEMANTIC_NAMES: Mapping[str, SemanticType] = {_plain(kind): kind for kind in SemanticType}


def _domain(told: JsonValue) -> tuple[float, float] | None:
    match told:
        case [int() | float() as low, int() | float() as high] if low < high:
            return float(low), float(high)
        case _:
            return None


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
