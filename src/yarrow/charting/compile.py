"""Compile a chart request with a table to a Vega-Lite spec that holds the rows it draws."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from yarrow.charting.aggregate import apply_aggregates, can_aggregate, count_rows
from yarrow.charting.chart_types import KNOWN, NEEDED, TURNABLE
from yarrow.charting.columns import TableShape
from yarrow.charting.draw import DRAW
from yarrow.charting.encode import list_in_order
from yarrow.charting.errors import ChartChannelsMissing, ChartFieldsMissing, ChartWithoutRows
from yarrow.charting.extremes import write_extremes
from yarrow.charting.fields import ChartField, narrow_fields, resolve_fields, retype_fields
from yarrow.charting.frame import (
    ChartFrame,
    ChartMarks,
    clean_rows,
    clean_values,
    name_nulls,
)
from yarrow.charting.model import (
    Aggregate,
    ChartChannel,
    ChartIntent,
    ChartLanguage,
    ChartSize,
    ChartType,
    CompiledChart,
    FieldMeaning,
    VegaSpec,
)
from yarrow.charting.notes import Note, write_note
from yarrow.charting.number_formats import add_percent_sign
from yarrow.charting.reduce import DISTRIBUTIONS, reduce_rows
from yarrow.charting.reduce.mixed_units import note_mixed_units
from yarrow.charting.reduce.percent_scale import find_fraction_metrics, note_scales, read_scales
from yarrow.charting.reduce.single_rows import sample_distribution
from yarrow.charting.reduce.source import (
    ChartSource,
    RowFilter,
    filter_source,
    narrow_shape,
    read_shape,
)
from yarrow.charting.reduce.text_dates import note_text_dates, read_date_orders
from yarrow.charting.reduce.totals import note_totals
from yarrow.charting.row_keys import COUNT_KEY
from yarrow.charting.stacks import unstack_values
from yarrow.charting.suggest import assign_roles, suggest_charts
from yarrow.charting.time_gaps import note_time_gaps
from yarrow.charting.words import LOCALES, WORDS, ChartWords
from yarrow.kit.json import JsonObject, JsonValue

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
    # Room at the right for a reader's font that is wider than the one texts were measured with.
    "padding": {"left": 5, "top": 5, "right": 14, "bottom": 5},
    "view": {"stroke": None},
    "axis": {
        "gridColor": "#E6E6E6",
        "domainColor": "#9A9A9A",
        "tickColor": "#9A9A9A",
        "titleLimit": 300,
        "labelSeparation": 5,
    },
    # Flush labels at the ends of an axis run into their neighbours.
    "axisX": {"labelFlush": False},
    "title": {"anchor": "start", "fontSize": 14, "fontWeight": 600, "limit": 800},
    "header": {"labelFontSize": 11, "titleFontSize": 12, "labelLimit": 180, "titleLimit": 400},
}


def compile_chart(
    intent: ChartIntent,
    source: ChartSource,
    *,
    meanings: Mapping[str, FieldMeaning] | None = None,
    display_names: Mapping[str, str] | None = None,
    size: ChartSize | None = None,
    language: ChartLanguage = ChartLanguage.EN,
    row_filter: RowFilter | None = None,
) -> CompiledChart:
    """Compile to a complete spec; raises `ChartImpossible` if the table does not allow the chart.

    Its rows are aggregated or sampled from all rows, or from all that fulfil `row_filter`.
    """
    if not source.row_count:
        raise ChartWithoutRows
    shape = read_shape(source, tuple(intent.encodings.values()) or tuple(source.columns))
    intent = _complete_encodings(intent, shape, language)
    _require_fields(intent, shape)
    names = tuple(intent.encodings.values())
    known = resolve_fields(names, shape, meanings=meanings or {}, display_names=display_names or {})
    known = read_date_orders(read_scales(known, source), source)
    drawn = filter_source(source, row_filter) if row_filter else source
    known = _require_values(intent, narrow_shape(drawn, shape, names), known)
    words = WORDS[language]
    fields = {channel: known[name] for channel, name in intent.encodings.items()}
    intent, fields, notes = apply_aggregates(intent, fields, words)
    fields = _separate_keys(retype_fields(intent.chart_type, fields))
    if intent.config.get("orientation") == "horizontal" and intent.chart_type in TURNABLE:
        intent, fields, notes = _turn_axes(intent, fields, notes, words)
    frame = ChartFrame(intent.chart_type, fields, [], intent.config, size or ChartSize(), notes)
    frame = reduce_rows(find_fraction_metrics(replace(frame, words=words), source), drawn)
    if (unstacked := unstack_values(replace(intent, notes=notes), frame)) is not None:
        return compile_chart(
            unstacked,
            source,
            meanings=meanings,
            display_names=display_names,
            size=size,
            language=language,
            row_filter=row_filter,
        )
    frame = note_totals(_finish_frame(frame), drawn, table_rows=source.row_count)
    frame = note_time_gaps(frame)
    frame = note_scales(note_text_dates(note_mixed_units(frame, drawn), drawn))
    return _draw_chart(intent, frame, drawn, language)


def _draw_chart(
    intent: ChartIntent, frame: ChartFrame, drawn: ChartSource, language: ChartLanguage
) -> CompiledChart:
    drawing = DRAW[intent.chart_type](frame)
    is_distribution = intent.chart_type in DISTRIBUTIONS
    return CompiledChart(
        _build_spec(drawing, LOCALES[language], extremes=write_extremes(frame)),
        _add_counts(intent, frame),
        sample_distribution(frame, drawn) if is_distribution else _name_columns(frame),
        frame.reduction,
        drawing.frame.notes,
        is_sample=is_distribution,
    )


def _complete_encodings(
    intent: ChartIntent, shape: TableShape, language: ChartLanguage
) -> ChartIntent:
    """A chart without encodings: those that its type suggests, else two columns as a scatter."""
    if intent.encodings or intent.aggregates:
        return intent
    suggestions = (s.intent for s in suggest_charts(shape))
    like = next((s for s in suggestions if s.chart_type is intent.chart_type), None)
    chart_type = intent.chart_type
    encodings: Mapping[ChartChannel, str]
    if like is not None:
        encodings = like.encodings
    else:
        guess = _guess_encodings(intent, shape)
        chart_type = intent.chart_type if guess else ChartType.SCATTER
        first = dict(zip((ChartChannel.X, ChartChannel.Y), shape.names, strict=False))
        encodings = guess or first
    note = write_note(language, Note.NO_ENCODINGS, fields=", ".join(encodings.values()))
    return replace(intent, chart_type=chart_type, encodings=encodings, notes=(*intent.notes, note))


def _guess_encodings(intent: ChartIntent, shape: TableShape) -> dict[ChartChannel, str]:
    """Fields for the required channels of the type; none if the table does not have them."""
    roles = assign_roles(shape)
    places = [c.name for c in (*roles.times, *roles.places)]
    measures = [c.name for c in roles.measures]
    is_numeric = intent.chart_type in {ChartType.HISTOGRAM, ChartType.DENSITY}
    wanted = {
        ChartChannel.X: measures if is_numeric else places or measures[1:],
        ChartChannel.Y: measures,
        ChartChannel.SIZE: measures,
        ChartChannel.VALUE: measures,
        ChartChannel.COLOR: [c.name for c in roles.places],
    }
    needed = NEEDED[intent.chart_type]
    optional = {ChartChannel.Y, ChartChannel.SIZE} & KNOWN[intent.chart_type]
    chosen = {c: wanted[c][0] for c in (*needed, *sorted(optional)) if wanted.get(c)}
    return chosen if all(channel in chosen for channel in needed) else {}


def _turn_axes(
    intent: ChartIntent,
    fields: dict[ChartChannel, ChartField],
    notes: tuple[str, ...],
    words: ChartWords,
) -> tuple[ChartIntent, dict[ChartChannel, ChartField], tuple[str, ...]]:
    """Exchange x and y unless the measure is on x; the intent tells what is drawn."""
    x, y = fields.get(ChartChannel.X), fields.get(ChartChannel.Y)
    notes = notes if y is not None else (*notes, words.note(Note.COUNTED))
    if (x is None and y is not None and not y.measures) or (x is not None and x.measures):
        return intent, fields, notes
    turned = {ChartChannel.X: ChartChannel.Y, ChartChannel.Y: ChartChannel.X}
    aggregates = {turned.get(c, c): a for c, a in intent.aggregates.items()}
    if y is None:
        aggregates[ChartChannel.X] = Aggregate.COUNT
    encodings = {turned.get(c, c): name for c, name in intent.encodings.items()}
    fields = {turned.get(c, c): field for c, field in fields.items()}
    if y is None:
        fields[ChartChannel.X] = count_rows(words).field
    return replace(intent, encodings=encodings, aggregates=aggregates), fields, notes


def _add_counts(intent: ChartIntent, frame: ChartFrame) -> ChartIntent:
    """The intent with a count in each channel that counts rows, so that it tells what is drawn."""
    counted = {c for c, field in frame.fields.items() if field.key == COUNT_KEY}
    encodings = {c: name for c, name in intent.encodings.items() if c not in counted}
    aggregates = {**intent.aggregates, **dict.fromkeys(counted, Aggregate.COUNT)}
    return replace(intent, encodings=encodings, aggregates=aggregates)


def _require_fields(intent: ChartIntent, shape: TableShape) -> None:
    missing = [name for name in intent.encodings.values() if name not in shape.names]
    if missing:
        raise ChartFieldsMissing(missing=tuple(dict.fromkeys(missing)), available=shape.names)
    counted = (c for c, a in intent.aggregates.items() if a is Aggregate.COUNT)
    given = {*intent.encodings, *(c for c in counted if can_aggregate(intent, c))}
    empty = [str(c) for c in NEEDED[intent.chart_type] if c not in given]
    if empty:
        raise ChartChannelsMissing(chart_type=str(intent.chart_type), channels=tuple(empty))


def _require_values(
    intent: ChartIntent, shape: TableShape, fields: Mapping[str, ChartField]
) -> dict[str, ChartField]:
    """The fields with the ranges of these rows; raises if a column on an axis has no values.

    Without values, rows would be counted instead.
    """
    drawn = {ChartChannel.X, ChartChannel.Y, *NEEDED[intent.chart_type]} & intent.encodings.keys()
    names = dict.fromkeys(intent.encodings[channel] for channel in sorted(drawn))
    columns = (shape.column(name) for name in names)
    empty = [column.name for column in columns if column and column.nulls >= shape.row_count]
    if empty:
        raise ChartWithoutRows(f"no row has a value for {', '.join(empty)}")
    return narrow_fields(fields, shape)


def _finish_frame(frame: ChartFrame) -> ChartFrame:
    """Labels of one form, names for nulls, percent signs, and the size of panels."""
    rows = clean_rows(frame.rows, frame.fields.values(), frame.others)
    domains = _clean_domains(frame)
    for key in _list_nameable_keys(frame.chart_type, frame.fields):
        if any(row.get(key) is None for row in rows if key in row):
            names = name_nulls([row.get(key) for row in rows])
            rows = [row | {key: name} for row, name in zip(rows, names, strict=True)]
            domains |= {key: name_nulls(domains[key])} if key in domains else {}
    titled = {
        channel: add_percent_sign(field) if field.measures else field
        for channel, field in frame.fields.items()
    }
    panels = {ChartChannel.COLUMN, ChartChannel.ROW} & titled.keys()
    size = _compute_panel_size(
        frame.size, max((_count_values(rows, titled[c]) for c in panels), default=1)
    )
    return replace(frame, rows=rows, fields=titled, size=size, domains=domains)


def _clean_domains(frame: ChartFrame) -> dict[str, list[JsonValue]]:
    """The places of trimmed axes in the form of the rows; the last one is a label."""
    fields = {field.key: field for field in frame.fields.values()}
    return {
        key: [*clean_values(places[:-1], fields[key]), places[-1]]
        for key, places in frame.domains.items()
    }


def _name_columns(frame: ChartFrame) -> list[JsonObject]:
    """The rows with the names of columns instead of keys; a column with several keys has these."""
    names: dict[str, str] = {}
    for field in frame.fields.values():
        if field.key not in names:
            is_new = field.name not in names.values()
            names[field.key] = field.name if field.name and is_new else field.key
    return [
        {names.get(key, key): value for key, value in row.items() if key in names}
        for row in frame.rows
    ]


def _list_nameable_keys(
    chart_type: ChartType, fields: Mapping[ChartChannel, ChartField]
) -> list[str]:
    """Keys whose nulls get a name; those by which rows with nulls are dropped do not."""
    axes = NEEDED[chart_type] if chart_type in WITHOUT_NULLS else ()
    left_out = {fields[channel].key for channel in axes}
    named = {field.key for field in fields.values() if field.is_discrete}
    return sorted(named - left_out)


def _separate_keys(fields: Mapping[ChartChannel, ChartField]) -> dict[ChartChannel, ChartField]:
    """A column that is both discrete and quantitative, or has several aggregates, gets as many
    keys."""
    uses: dict[str, tuple[str, bool, Aggregate | None]] = {}
    separated: dict[ChartChannel, ChartField] = {}
    for channel, field in fields.items():
        key, use = field.key, (field.name, field.measures, field.aggregate)
        while uses.setdefault(key, use) != use:
            key += "_"
        separated[channel] = replace(field, key=key)
    return separated


def _count_values(rows: Sequence[JsonObject], field: ChartField) -> int:
    return len({row.get(field.key) for row in rows})


def _compute_panel_size(size: ChartSize, panels: int) -> ChartSize:
    """The size of one panel, smaller for more panels, so that six fit a page."""
    share = 1.0 if panels <= 1 else 0.7 if panels == 2 else 0.5 if panels <= 4 else 0.38
    return ChartSize(int(size.width * share), int(size.height * share))


def _build_spec(drawing: ChartMarks, locale: VegaSpec, *, extremes: str) -> VegaSpec:
    frame, body = drawing.frame, drawing.body
    spec: VegaSpec = {"$schema": SCHEMA, "data": {"values": frame.rows}}
    title, subtitle = frame.config.get("title"), frame.config.get("subtitle")
    if extremes:
        of_what = str(title or "").replace("\n", ", ")
        spec["description"] = f"{of_what} – {extremes}" if of_what else extremes
    if isinstance(title, str) and title:
        text = title.splitlines() if "\n" in title else title
        has_more = isinstance(subtitle, str) and subtitle
        spec["title"] = {"text": text, "subtitle": subtitle} if has_more else text
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
    order = list_in_order(field, values) or values
    return {"field": field.key, "type": str(field.kind), "title": field.title, "sort": order}
