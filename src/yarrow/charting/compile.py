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
from yarrow.charting.draw import DRAW
from yarrow.charting.encode import add_percent_sign, sort_order
from yarrow.charting.errors import ChartChannelsMissing, ChartFieldsMissing, ChartWithoutRows
from yarrow.charting.fields import ChartField, resolve_fields, retype_fields
from yarrow.charting.frame import ChartFrame, Drawing, name_nulls, numbers, project, trim
from yarrow.charting.model import (
    ChartChannel,
    ChartIntent,
    ChartLanguage,
    ChartSize,
    ChartType,
    CompiledChart,
    FieldMeaning,
    SemanticType,
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
    """Parse a request; `{}` is a scatter plot without encodings."""
    chart_type, notes = _parse_chart_type(
        _first_present(raw, ("chart_type", "chartType", "type", "mark"))
    )
    channels = _first_present(raw, ("encodings", "encoding", "channels"))
    requested = dict(_read_channels(channels))
    encodings, dropped = _assign_channels(requested, chart_type)
    notes = (*notes, *_list_ignored(channels, requested))
    config = raw.get("config")
    return ChartIntent(
        chart_type,
        encodings,
        config if isinstance(config, dict) else {},
        (*notes, *dropped),
    )


def read_meanings(raw: JsonObject) -> dict[str, FieldMeaning]:
    """Parse `field_metadata`: for each field a semantic type, or an object that names one.

    Unknown types are ignored, so that the meaning is inferred.
    """
    meanings = {name: _parse_meaning(value) for name, value in raw.items()}
    return {name: meaning for name, meaning in meanings.items() if meaning}


def _first_present(raw: JsonObject, keys: Iterable[str]) -> JsonValue:
    return next((raw[key] for key in keys if raw.get(key)), None)


def _parse_chart_type(value: JsonValue) -> tuple[ChartType, tuple[str, ...]]:
    if isinstance(value, dict):  # as Vega-Lite writes a mark
        value = value.get("type")
    word = _normalise_word(value if isinstance(value, str) else "")
    chart_type = TYPE_NAMES.get(word) or TYPE_NAMES.get(_strip_suffix(word))
    if chart_type is not None:
        return chart_type, ()
    return ChartType.SCATTER, (f"no chart is called {value!r}; drawn as a scatter plot",)


def _normalise_word(word: str) -> str:
    return NOISE.sub("", word).lower()


def _strip_suffix(word: str) -> str:
    for suffix in SUFFIXES:
        if word.endswith(suffix) and word != suffix:
            return word.removesuffix(suffix)
    return word


TYPE_NAMES: Mapping[str, ChartType] = {
    **TYPE_WORDS,
    **{_normalise_word(chart): chart for chart in ChartType},
}


def _read_channels(raw: JsonValue) -> Iterable[tuple[str, str]]:
    if not isinstance(raw, dict):
        return
    for channel, value in raw.items():
        if field := _read_field_name(value):
            yield channel, field


def _read_field_name(value: JsonValue) -> str:
    match value:
        case str():
            return value
        case [str() as only]:
            return only
        case dict():
            names = (value.get(key) for key in FIELD_KEYS)
            return next((name for name in names if isinstance(name, str) and name), "")
        case _:
            return ""


def _list_ignored(raw: JsonValue, requested: Mapping[str, str]) -> list[str]:
    """Notes about channels without a field, and about aggregations, which are not supported."""
    if not isinstance(raw, dict):
        return ["encodings must be an object of channels and fields"] if raw else []
    notes = [
        f"{channel} names no field: {value!r}"[:200]
        for channel, value in raw.items()
        if value and channel not in requested
    ]
    notes += [
        f"{channel} is not aggregated by {value['aggregate']!r}: aggregate the table itself"[:200]
        for channel, value in raw.items()
        if isinstance(value, dict) and value.get("aggregate")
    ]
    return notes


def _assign_channels(
    requested: Mapping[str, str], chart_type: ChartType
) -> tuple[dict[ChartChannel, str], tuple[str, ...]]:
    """Fields by channel of the chart type, and a note for each that has no channel."""
    known, moved = KNOWN[chart_type], MOVED.get(chart_type, {})
    named = {word: CHANNEL_WORDS.get(_normalise_word(word)) for word in requested}
    assigned: dict[ChartChannel, str] = {}
    for word, field in requested.items():
        if (channel := named[word]) in known and channel is not None:
            assigned.setdefault(channel, field)
    dropped: list[str] = []
    for word, field in requested.items():
        channel = named[word]
        if channel in known:
            continue
        other = moved.get(channel) if channel else None
        if other is not None and other not in assigned:
            assigned[other] = field
        else:
            dropped.append(f"{chart_type} has no channel {word}; {field} is not shown by it")
    return assigned, tuple(dropped)


def _parse_meaning(value: JsonValue) -> FieldMeaning | None:
    detail = value if isinstance(value, dict) else {"semantic_type": value}
    semantic_type = SEMANTIC_NAMES.get(_normalise_word(str(detail.get("semantic_type") or "")))
    if semantic_type is None:
        return None
    unit = detail.get("unit")
    return FieldMeaning(
        semantic_type,
        unit if isinstance(unit, str) and unit else None,
        _parse_domain(detail.get("intrinsic_domain")),
    )


SEMANTIC_NAMES: Mapping[str, SemanticType] = {_normalise_word(kind): kind for kind in SemanticType}


def _parse_domain(value: JsonValue) -> tuple[float, float] | None:
    match value:
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
    size: ChartSize | None = None,
    language: ChartLanguage = ChartLanguage.EN,
) -> CompiledChart:
    """Compile to a complete spec; raises `ChartImpossible` if the table does not allow the chart.

    The rows are not changed. The spec contains only the fields of the chart.
    """
    if not rows:
        raise ChartWithoutRows
    intent = _with_encodings(intent, shape)
    _require_fields(intent, shape)
    _require_values(intent, rows)
    known = resolve_fields(
        tuple(intent.encodings.values()),
        shape,
        meanings=meanings or {},
        display_names=display_names or {},
    )
    fields = {channel: known[name] for channel, name in intent.encodings.items()}
    frame = _build_frame(
        intent, retype_fields(intent.chart_type, fields), rows, size or ChartSize()
    )
    drawing = DRAW[intent.chart_type](trim(replace(frame, words=WORDS[language])))
    return CompiledChart(_build_spec(drawing, LOCALES[language]), drawing.frame.notes)


def _with_encodings(intent: ChartIntent, shape: TableShape) -> ChartIntent:
    if intent.encodings:
        return intent
    first = dict(zip((ChartChannel.X, ChartChannel.Y), shape.names, strict=False))
    note = "no encodings were given; the first two columns are drawn"
    return replace(
        intent, chart_type=ChartType.SCATTER, encodings=first, notes=(*intent.notes, note)
    )


def _require_fields(intent: ChartIntent, shape: TableShape) -> None:
    missing = [name for name in intent.encodings.values() if name not in shape.names]
    if missing:
        raise ChartFieldsMissing(missing=tuple(dict.fromkeys(missing)), available=shape.names)
    empty = [str(c) for c in NEEDED[intent.chart_type] if c not in intent.encodings]
    if empty:
        raise ChartChannelsMissing(chart_type=str(intent.chart_type), channels=tuple(empty))


def _require_values(intent: ChartIntent, rows: Sequence[JsonMapping]) -> None:
    """Raise if a column on an axis has no values, instead of counting rows."""
    drawn = {ChartChannel.X, ChartChannel.Y, *NEEDED[intent.chart_type]} & intent.encodings.keys()
    names = dict.fromkeys(intent.encodings[channel] for channel in sorted(drawn))
    empty = [name for name in names if all(row.get(name) is None for row in rows)]
    if empty:
        raise ChartWithoutRows(f"no row has a value for {', '.join(empty)}")


def _build_frame(
    intent: ChartIntent,
    fields: Mapping[ChartChannel, ChartField],
    rows: Sequence[JsonMapping],
    size: ChartSize,
) -> ChartFrame:
    fields = _separate_keys(fields)
    plain = project(rows, list({field.key: field for field in fields.values()}.values()))
    plain = name_nulls(plain, _nameable_keys(intent.chart_type, fields))
    titled = {
        channel: add_percent_sign(field, numbers(plain, field.key)) if field.measures else field
        for channel, field in fields.items()
    }
    panels = {ChartChannel.COLUMN, ChartChannel.ROW} & titled.keys()
    panel_size = _panel_size(
        size, max((_count_values(plain, titled[c]) for c in panels), default=1)
    )
    return ChartFrame(intent.chart_type, titled, plain, intent.config, panel_size, intent.notes)


def _nameable_keys(chart_type: ChartType, fields: Mapping[ChartChannel, ChartField]) -> list[str]:
    """Keys whose nulls get a name; those by which rows with nulls are dropped do not."""
    axes = NEEDED[chart_type] if chart_type in WITHOUT_NULLS else ()
    left_out = {fields[channel].key for channel in axes}
    named = {field.key for field in fields.values() if field.is_discrete}
    return sorted(named - left_out)


def _separate_keys(fields: Mapping[ChartChannel, ChartField]) -> dict[ChartChannel, ChartField]:
    """A column that is both discrete and quantitative gets two keys."""
    read_as: dict[str, bool] = {}
    separated: dict[ChartChannel, ChartField] = {}
    for channel, field in fields.items():
        as_measure = read_as.setdefault(field.key, field.measures)
        other = as_measure is not field.measures
        separated[channel] = replace(field, key=f"{field.key}_") if other else field
    return separated


def _count_values(rows: Sequence[JsonObject], field: ChartField) -> int:
    return len({row[field.key] for row in rows})


def _panel_size(size: ChartSize, panels: int) -> ChartSize:
    """The size of one panel, smaller for more panels, so that six fit a page."""
    share = 1.0 if panels <= 1 else 0.7 if panels == 2 else 0.5 if panels <= 4 else 0.38
    return ChartSize(int(size.width * share), int(size.height * share))


def _build_spec(drawing: Drawing, locale: VegaSpec) -> VegaSpec:
    frame, body = drawing.frame, drawing.body
    spec: VegaSpec = {"$schema": SCHEMA, "data": {"values": frame.rows}}
    title = frame.config.get("title")
    if isinstance(title, str) and title:
        spec["title"] = title
    if facet := _build_facet(frame):
        spec |= {"facet": facet, "spec": body}
        if ChartChannel.ROW not in frame.fields:
            spec["columns"] = FACET_COLUMNS
    else:
        spec |= body
    return spec | {"config": {**STYLE, "locale": locale} if locale else STYLE}


def _build_facet(frame: ChartFrame) -> VegaSpec:
    row, column = frame.get(ChartChannel.ROW), frame.get(ChartChannel.COLUMN)
    if row is None and column is not None:
        return _build_panels(frame, column)
    sides = {"row": row, "column": column}
    return {side: _build_panels(frame, field) for side, field in sides.items() if field}


def _build_panels(frame: ChartFrame, field: ChartField) -> VegaSpec:
    values = frame.values(field)
    order = sort_order(field, values) or values
    return {"field": field.key, "type": str(field.kind), "title": field.title, "sort": order}
