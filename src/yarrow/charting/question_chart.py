"""Choose the chart of the columns that a question names."""

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from yarrow.charting.aggregate import COUNTS
from yarrow.charting.chart_types import KNOWN, MOVED
from yarrow.charting.columns import ChartColumn, TableShape, field_kind
from yarrow.charting.model import (
    NUMERIC,
    Aggregate,
    ChartChannel,
    ChartIntent,
    ChartType,
    FieldKind,
)
from yarrow.charting.question_columns import NamedColumn, holds_counts
from yarrow.charting.question_rank import find_label
from yarrow.charting.question_reader import QuestionReading
from yarrow.charting.question_shares import picks_one
from yarrow.charting.suggest import ChartSuggestion, assign_roles, suggest_charts
from yarrow.charting.words import SuggestionReason

X, Y, COLOR, SIZE = ChartChannel.X, ChartChannel.Y, ChartChannel.COLOR, ChartChannel.SIZE
AXES = frozenset({ChartType.SCATTER, ChartType.REGRESSION})
SPREADS = frozenset({ChartType.HISTOGRAM, ChartType.DENSITY})
NEEDS_MEASURE = frozenset(
    {
        *(ChartType.LINE, ChartType.AREA, ChartType.STREAMGRAPH, ChartType.WATERFALL),
        *(ChartType.BOXPLOT, ChartType.STRIP, ChartType.RADAR, ChartType.KPI_CARD),
        *(ChartType.BUMP, ChartType.PYRAMID, ChartType.RANGED_DOT, ChartType.BAR_TABLE),
        *(ChartType.HISTOGRAM, ChartType.DENSITY),
    }
)
"""Charts that cannot count rows."""
NEEDS_TIME = frozenset({ChartType.LINE, ChartType.AREA, ChartType.STREAMGRAPH, ChartType.BUMP})


class NamedRoles(Struct, frozen=True):
    """The named columns by their role in a chart."""

    places: tuple[ChartColumn, ...]
    measures: tuple[ChartColumn, ...]
    times: tuple[ChartColumn, ...]
    """Those of the places that are times."""


def chart_question(reading: QuestionReading, shape: TableShape) -> tuple[ChartSuggestion, ...]:
    """Charts of what a question names, the named kind first; none if it names nothing to draw."""
    if not reading.names_anything or not shape.row_count:
        return ()
    if not reading.columns:
        is_count = reading.aggregates == (Aggregate.COUNT,) and reading.chart_type is None
        return (_count_all(),) if is_count else _suggest_named_kind(reading, shape)
    roles = split_columns_by_role(reading, shape)
    if not roles.measures and _leaves_open(reading):
        named = {n.column.name for n in reading.columns}
        for suggestion in list_open_suggestions(reading, shape):
            if named <= set(suggestion.intent.encodings.values()):
                return (_apply_unit(suggestion, reading),)
    inferred = _infer_type(reading, roles)
    types = [inferred] if reading.chart_type is None else [reading.chart_type, inferred]
    charts = (_build_suggestion(kind, reading, roles, shape) for kind in dict.fromkeys(types))
    return tuple(chart for chart in charts if chart is not None)


def _apply_unit(suggestion: ChartSuggestion, reading: QuestionReading) -> ChartSuggestion:
    """The suggestion with the unit of time that the question names."""
    if not reading.time_unit:
        return suggestion
    config = {**suggestion.intent.config, "timeUnit": reading.time_unit}
    return replace(suggestion, intent=replace(suggestion.intent, config=config))


def _count_all() -> ChartSuggestion:
    """The number of rows, as one number."""
    intent = ChartIntent(ChartType.KPI_CARD, {}, {}, {ChartChannel.VALUE: Aggregate.COUNT})
    return ChartSuggestion(intent, (), SuggestionReason.COUNT_OF_ROWS, 1.0)


def list_open_suggestions(
    reading: QuestionReading, shape: TableShape
) -> tuple[ChartSuggestion, ...]:
    """Suggestions of the table; without columns of which the question leaves one value, if any."""
    single = {condition.column for condition in reading.conditions if picks_one(condition)}
    named = {n.column.name for n in reading.columns}
    suggestions = suggest_charts(shape)
    varied = [s for s in suggestions if not (single - named) & set(s.intent.encodings.values())]
    return tuple(varied) or suggestions


def _leaves_open(reading: QuestionReading) -> bool:
    """Whether a question names places only, and neither a chart nor what is counted."""
    names_more = reading.chart_type or reading.unknown_columns or reading.names_table
    asks_more = reading.aggregates or reading.asks_spread or reading.share_words
    are_numbers = any(n.column.dtype in NUMERIC for n in reading.columns)
    return not (names_more or asks_more or are_numbers)


def split_columns_by_role(reading: QuestionReading, shape: TableShape) -> NamedRoles:
    """Columns after `by` are places; others are measures if they hold numbers that measure."""
    measures = tuple(n.column for n in reading.columns if _is_measure(n, reading, shape))
    measures = measures or _find_ranking(reading, shape)
    counted = _find_counted(reading)
    places = tuple(
        n.column
        for n in reading.columns
        if n.column not in measures and (counted is None or _is_place(n, counted, reading, shape))
    )
    if reading.rank is not None and measures and not places:
        label = find_label(shape)
        places = (label,) if label else ()
    times = assign_roles(shape).times
    return NamedRoles(places, measures, tuple(column for column in places if column in times))


def _find_counted(reading: QuestionReading) -> NamedColumn | None:
    """The column whose values are counted, if the question names one."""
    is_distinct = reading.aggregates[:1] == (Aggregate.DISTINCT,)
    others = [n for n in reading.columns if is_distinct and not n.is_grouping]
    return next((n for n in reading.columns if n.is_counted), next(iter(others), None))


def _is_place(
    named: NamedColumn, counted: NamedColumn, reading: QuestionReading, shape: TableShape
) -> bool:
    """Whether counts are drawn by a column: `regions by number of products`."""
    kind = field_kind(named.column, row_count=shape.row_count, meaning=None)
    is_before = named.start < counted.start or reading.aggregates[0] is not Aggregate.DISTINCT
    return named.is_grouping or (is_before and kind is not FieldKind.QUANTITATIVE)


def _find_ranking(reading: QuestionReading, shape: TableShape) -> tuple[ChartColumn, ...]:
    """The number by which named places are compared: `products by profit`."""
    is_all = all(n.is_grouping for n in reading.columns) and reading.rank is None
    if reading.aggregates[:1] == (Aggregate.COUNT,) or is_all:
        return ()
    return tuple(
        n.column
        for n in reading.columns
        if n.is_grouping and n.column.dtype in NUMERIC and _is_comparable(n.column, shape)
    )[:1]


def _is_comparable(column: ChartColumn, shape: TableShape) -> bool:
    kind = field_kind(column, row_count=shape.row_count, meaning=None)
    return kind is FieldKind.QUANTITATIVE or holds_counts(column)


def _is_measure(named: NamedColumn, reading: QuestionReading, shape: TableShape) -> bool:
    """Whether a named column is measured; few numbers alone are counted, with a place measured."""
    column = named.column
    kind = field_kind(column, row_count=shape.row_count, meaning=None)
    if named.is_grouping:
        return named.is_pairing and kind is FieldKind.QUANTITATIVE
    if counted := _find_counted(reading):
        return named is counted
    others = [n for n in reading.columns if n is not named]
    if reading.aggregates and reading.aggregates[0] in COUNTS:
        return any(n.is_grouping for n in others)
    if column.dtype not in NUMERIC or kind is FieldKind.TEMPORAL:
        return False
    if kind is FieldKind.NOMINAL:  # a code, such as a postal code
        return any(aggregate not in COUNTS for aggregate in reading.aggregates)
    needs_measure = bool(reading.aggregates) or reading.chart_type in NEEDS_MEASURE | AXES
    return kind is FieldKind.QUANTITATIVE or needs_measure or bool(others)


def _infer_type(reading: QuestionReading, roles: NamedRoles) -> ChartType:
    if reading.asks_spread and len(roles.measures) == 1:
        return ChartType.BOXPLOT if roles.places else ChartType.HISTOGRAM
    if not roles.places and reading.aggregates and len(roles.measures) == 1:
        return ChartType.KPI_CARD
    if not roles.places:
        return ChartType.SCATTER if len(roles.measures) > 1 else ChartType.HISTOGRAM
    if any(n.is_pairing for n in reading.columns) and len(roles.measures) > 1:
        return ChartType.SCATTER
    if roles.times and roles.measures and not _is_ranked_time(reading, roles):
        return ChartType.LINE
    adds_up = set(reading.aggregates) <= {Aggregate.SUM, Aggregate.COUNT}
    parts = [c.column for c in reading.conditions if picks_one(c)]
    is_whole = len(roles.places) == 1 and roles.places[0].name not in parts
    if reading.share_words and is_whole and not roles.times and adds_up:
        return ChartType.PIE
    if roles.measures and _is_continuous(roles.places[0]) and not reading.aggregates:
        return ChartType.SCATTER
    return ChartType.GROUPED_BAR if len(roles.places) > 1 else ChartType.BAR


def _is_ranked_time(reading: QuestionReading, roles: NamedRoles) -> bool:
    """Whether moments themselves are ranked, which a line would join: `top 5 months`."""
    return reading.rank is not None and roles.places == roles.times


def _is_continuous(column: ChartColumn) -> bool:
    """Whether a column by which is grouped has so many numbers that it is an axis."""
    kind = field_kind(column, row_count=max(column.distinct, 1), meaning=None)
    return column.dtype in NUMERIC and kind is FieldKind.QUANTITATIVE and column.distinct > 30


def _build_suggestion(
    kind: ChartType, reading: QuestionReading, roles: NamedRoles, shape: TableShape
) -> ChartSuggestion | None:
    """The chart of a kind; a role that it needs and the question leaves open is filled."""
    roles = _fill_roles(kind, reading, roles, shape)
    fields = _assign_channels(kind, roles, is_paired=any(n.is_grouping for n in reading.columns))
    if not fields:
        return None
    aggregates = _place_aggregate(kind, reading, fields, roles)
    encodings = {channel: column.name for channel, column in fields.items()}
    options = dict(reading.options) if kind is reading.chart_type else {}
    if reading.time_unit and roles.times:
        options["timeUnit"] = reading.time_unit
    intent = ChartIntent(kind, encodings, options, aggregates)
    title = [c.name for c in (*roles.measures, *roles.places) if c.name in encodings.values()]
    reason = _find_reason(roles)
    return ChartSuggestion(intent, tuple(dict.fromkeys(title)), reason, 1.0)


def _find_reason(roles: NamedRoles) -> SuggestionReason:
    match len(roles.measures), len(roles.places):
        case (0, _):
            return SuggestionReason.OFTEN
        case (1, 0):
            return SuggestionReason.SPREAD
        case (_, 0):
            return SuggestionReason.TWO_MEASURES
        case (_, 1):
            return SuggestionReason.OVER_TIME if roles.times else SuggestionReason.BY_CATEGORY
        case _:
            return SuggestionReason.TWO_CATEGORIES


def _fill_roles(
    kind: ChartType, reading: QuestionReading, roles: NamedRoles, shape: TableShape
) -> NamedRoles:
    known = assign_roles(shape)
    counts = reading.aggregates[:1] == (Aggregate.COUNT,) and kind not in SPREADS | AXES
    needs_measure = kind in NEEDS_MEASURE or (kind in AXES and len(roles.places) < 2)
    if not roles.measures and needs_measure and not counts:
        numeric = [c for c in roles.places if c.dtype in NUMERIC and kind in SPREADS | AXES]
        measures = tuple(numeric[:1]) or known.measures[:1]
        places = tuple(c for c in roles.places if c not in measures)
        roles = replace(roles, measures=measures, places=places)
    if roles.places or kind in SPREADS | {ChartType.BOXPLOT, ChartType.KPI_CARD}:
        return roles
    if kind in AXES:
        if len(roles.measures) > 1:
            return roles
        free = tuple(c for c in known.measures if c not in roles.measures)[:1]
        return replace(roles, measures=(*roles.measures, *free))
    free = tuple(c for c in (*known.times, *known.places) if c not in roles.measures)
    if kind not in NEEDS_TIME:
        free = tuple(c for c in (*known.places, *known.times) if c not in roles.measures)
    return replace(roles, places=free[:1], times=tuple(c for c in free[:1] if c in known.times))


def _assign_channels(
    kind: ChartType, roles: NamedRoles, *, is_paired: bool
) -> dict[ChartChannel, ChartColumn]:
    """Columns by channel: `y by x`; what the chart type calls otherwise is moved."""
    places = list(roles.places)
    if kind in NEEDS_TIME:
        places.sort(key=lambda c: c not in roles.times)
    if kind in AXES:
        columns = [*roles.measures, *places]
        axes = columns[:2][::-1] if is_paired else columns[:2]
        return _pair_channels((X, Y, COLOR), (*axes, *columns[2:3]))
    if kind in SPREADS:
        return _pair_channels((X, COLOR), (*roles.measures[:1], *places[:1]))
    if kind is ChartType.HEATMAP:
        return _pair_channels((X, Y, COLOR), (*places[:2], *roles.measures[:1]))
    if kind is ChartType.KPI_CARD:
        return _pair_channels(
            (ChartChannel.VALUE, ChartChannel.METRIC), (*roles.measures[:1], *places[:1])
        )
    series = ChartChannel.GROUP if kind is ChartType.GROUPED_BAR else COLOR
    fields = dict(zip((X, series), places, strict=False))
    if roles.measures:
        fields[Y] = roles.measures[0]
    moved = MOVED.get(kind, {})
    return {
        target: column
        for channel, column in fields.items()
        if (target := channel if channel in KNOWN[kind] else moved.get(channel)) is not None
    }


def _pair_channels(
    channels: Sequence[ChartChannel], columns: Sequence[ChartColumn]
) -> dict[ChartChannel, ChartColumn]:
    return dict(zip(channels, columns, strict=False))


def _place_aggregate(
    kind: ChartType,
    reading: QuestionReading,
    fields: Mapping[ChartChannel, ChartColumn],
    roles: NamedRoles,
) -> dict[ChartChannel, Aggregate]:
    """The first aggregate of the question, on the channel of the measure."""
    if kind is ChartType.GROUPED_BAR and not (reading.aggregates or roles.measures):
        return {Y: Aggregate.COUNT}
    if not reading.aggregates or kind in AXES or kind in SPREADS:
        return {}
    aggregate = reading.aggregates[0]
    for channel, column in fields.items():
        if roles.measures and column is roles.measures[0]:
            return {channel: aggregate}
    is_count = aggregate is Aggregate.COUNT and not roles.measures
    return {SIZE if kind is ChartType.PIE else Y: aggregate} if is_count else {}


def _suggest_named_kind(reading: QuestionReading, shape: TableShape) -> tuple[ChartSuggestion, ...]:
    """The suggestions of the named kind; a kind that is not suggested gets columns by role."""
    kind = reading.chart_type
    if kind is None:
        return ()
    suggested = [
        replace(s, intent=replace(s.intent, config=reading.options))
        for s in list_open_suggestions(reading, shape)
        if s.intent.chart_type is kind
    ]
    roles = NamedRoles((), (), ())
    known = assign_roles(shape)
    if kind not in AXES | SPREADS:
        roles = replace(roles, measures=known.measures[:1])
    filled = _build_suggestion(kind, reading, roles, shape)
    return (*suggested, *([filled] if filled else []))
