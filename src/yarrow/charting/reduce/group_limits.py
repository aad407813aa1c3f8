"""Charts that group rows: which fields are measured, which divide rows, and how many are shown."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from yarrow.charting.aggregate import (
    Measure,
    choose_measure,
    count_rows,
    is_aggregated,
)
from yarrow.charting.chart_types import PRICES
from yarrow.charting.columns import IN_TIME
from yarrow.charting.dates import YEARS
from yarrow.charting.errors import ChartWithoutNumbers
from yarrow.charting.fields import ChartField
from yarrow.charting.frame import ChartFrame, find_measure_axis, require_measure
from yarrow.charting.model import ChartChannel, ChartType, SemanticType
from yarrow.charting.notes import Note
from yarrow.charting.reduce.expressions import (
    FieldExpression,
    make_key_expression,
    note_expression,
)
from yarrow.charting.reduce.groups import MARKS_MAX, Grouping, KeyLimit
from yarrow.charting.reduce.source import ChartSource
from yarrow.charting.row_keys import COUNT_KEY
from yarrow.charting.stacks import requests_stack, sum_single_values

PLACES_MAX, FACETS_MAX, SERIES_MAX = 68, 20, 10
SPOKES_MAX, WEDGES_MAX, CARDS_MAX, SIDES = 20, 7, 12, 2
BARS_IN_TIME, MOMENTS_MAX, NUMBERS_MAX = 366, 4_000, 2_000

X, Y, COLOR = ChartChannel.X, ChartChannel.Y, ChartChannel.COLOR
PANELS = (ChartChannel.COLUMN, ChartChannel.ROW)
HUES = (ChartChannel.COLOR, ChartChannel.GROUP, ChartChannel.STROKE_DASH)
CONTINUOUS = frozenset({ChartType.LINE, ChartType.AREA, ChartType.STREAMGRAPH})
ROW_CHARTS = frozenset(
    {ChartType.SCATTER, ChartType.REGRESSION, ChartType.WORLD_MAP, ChartType.US_MAP}
)
"""Charts of single rows, which are grouped if the request names an aggregate."""
COUNTING = frozenset(
    {
        *(ChartType.BAR, ChartType.STACKED_BAR, ChartType.GROUPED_BAR, ChartType.LOLLIPOP),
        *(ChartType.PIE, ChartType.ROSE, ChartType.HEATMAP),
    }
)
"""Charts that count rows if they have no measure."""
WITHOUT_NULLS: Mapping[ChartType, tuple[ChartChannel, ...]] = {
    **dict.fromkeys((*CONTINUOUS, ChartType.RADAR, ChartType.BUMP), (X, Y)),
    **dict.fromkeys((ChartType.SCATTER, ChartType.REGRESSION), (X, Y)),
    ChartType.CANDLESTICK: (X, *PRICES),
}
"""The fields whose rows without a value are left out."""


def reduce_groups(frame: ChartFrame, source: ChartSource) -> ChartFrame:
    """One row for each place, with the aggregates of all its rows."""
    frame, channels = _choose_measures(frame)
    measures = [
        choose_measure(frame.fields[c])
        if frame.fields[c].key != COUNT_KEY
        else count_rows(frame.words)
        for c in channels
    ]
    keys = _list_keys(frame, measures)
    filled = _list_filled(frame, measures)
    expressions, source = _make_key_expressions(frame, source, keys)
    for expression in expressions:
        frame = note_expression(frame, expression)
    grouping = Grouping(source, frame, expressions, measures)
    grouping.create(filled)
    if not grouping.has_repeats and requests_stack(frame.chart_type, frame.config):
        grouping.measures = [sum_single_values(measure) for measure in measures]
    if frame.chart_type in {ChartType.PIE, ChartType.ROSE}:
        _drop_not_positive(grouping, measures[0])
    for limit in _list_limits(frame, keys):
        grouping.limit(limit)
    frame = grouping.fetch(rank_by=_rank_keys(frame))
    if frame.rows and channels and (channels[0] in (X, Y) or frame.chart_type not in ROW_CHARTS):
        require_measure(frame, channels[0])
    return frame


def _choose_measures(frame: ChartFrame) -> tuple[ChartFrame, list[ChartChannel]]:
    """The measured channels; a chart that may count rows gets a count in place of a measure."""
    first = _measure_channel(frame)
    field = frame.get(first)
    if field is not None and field.measures:
        others = (c for c in frame.fields if _is_measured_too(frame, c) and c is not first)
        return frame, [first, *(c for c in others if frame.fields[c].key != field.key)]
    if frame.chart_type in CONTINUOUS and field is not None:
        return frame, []
    if frame.chart_type not in COUNTING:
        raise ChartWithoutNumbers(field.title if field else str(first))
    frame = (
        frame.with_note(Note.NO_MEASURE if field.numeric else Note.NO_NUMBERS, field=field.title)
        if field
        else frame.with_note(Note.COUNTED)
    )
    return frame.with_field(first, count_rows(frame.words).field), [first]


def _is_measured_too(frame: ChartFrame, channel: ChartChannel) -> bool:
    """Whether a channel beside the measured one is aggregated too, instead of dividing rows."""
    field = frame.fields[channel]
    if frame.chart_type in ROW_CHARTS:
        return is_aggregated(field)
    return field.measures and channel in {COLOR, ChartChannel.GOAL}


def _measure_channel(frame: ChartFrame) -> ChartChannel:
    match frame.chart_type:
        case ChartType.PIE:
            return ChartChannel.SIZE
        case ChartType.HEATMAP:
            return COLOR
        case ChartType.KPI_CARD:
            return ChartChannel.VALUE
        case ChartType.ROSE | ChartType.RADAR | ChartType.BUMP:
            return Y
        case ChartType.LINE | ChartType.AREA | ChartType.STREAMGRAPH:
            return Y
        case _ if frame.chart_type in ROW_CHARTS:
            asked = (c for c in frame.fields if is_aggregated(frame.fields[c]))
            return next(asked, Y)
        case _:
            return find_measure_axis(frame)


def _list_keys(frame: ChartFrame, measures: Sequence[Measure]) -> list[ChartField]:
    measured = {measure.field.key for measure in measures}
    return list({f.key: f for f in frame.fields.values() if f.key not in measured}.values())


def _list_filled(frame: ChartFrame, measures: Sequence[Measure]) -> list[ChartField]:
    """The fields whose rows without a value the chart leaves out."""
    channels = WITHOUT_NULLS.get(frame.chart_type, ())
    fields = {f.name: f for c in channels if (f := frame.get(c)) and f.key != COUNT_KEY}
    if frame.chart_type is ChartType.WATERFALL and measures[0].column is not None:
        fields[measures[0].column] = measures[0].field
    return list(fields.values())


def _make_key_expressions(
    frame: ChartFrame, source: ChartSource, keys: Sequence[ChartField]
) -> tuple[list[FieldExpression], ChartSource]:
    expressions = []
    most, numbers = _choose_place_limits(frame)
    for key in keys:
        expression, source = make_key_expression(
            frame, source, key, most=most, most_numbers=numbers
        )
        expressions.append(expression)
    return expressions, source


def _choose_place_limits(frame: ChartFrame) -> tuple[int, int]:
    """How many moments and how many numbers an axis may have."""
    if frame.chart_type not in CONTINUOUS | {ChartType.SCATTER}:
        return BARS_IN_TIME, NUMBERS_MAX
    series = 1
    for channel in (*HUES, *PANELS):
        if (field := frame.get(channel)) is not None:
            most = FACETS_MAX if channel in PANELS else SERIES_MAX + 1
            series *= max(1, min(field.distinct, most))
    most = max(BARS_IN_TIME, min(MOMENTS_MAX, MARKS_MAX // series))
    return most, min(most, NUMBERS_MAX)


def _drop_not_positive(grouping: Grouping, measure: Measure) -> None:
    dropped = grouping.drop_not_positive(measure)
    if dropped:
        grouping.frame = replace(grouping.frame, has_dropped_places=True)
        grouping.notes.append(grouping.frame.words.note(Note.NOT_POSITIVE, count=dropped))


def _list_limits(frame: ChartFrame, keys: Sequence[ChartField]) -> Iterable[KeyLimit]:
    """Which keys show only their largest values."""
    grouped = {key.key for key in keys}
    fields = {c: f for c, f in frame.fields.items() if f.key in grouped}
    yield from _limit_axes(frame, fields)
    for channel in PANELS:
        if (panel := fields.get(channel)) is not None:
            yield KeyLimit(panel, FACETS_MAX, Note.PANELS_OMITTED)
    axes = {fields[c].key for c in (X, Y, *PANELS) if c in fields}
    for key, hue in {fields[c].key: fields[c] for c in HUES if c in fields}.items():
        if key not in axes and hue.is_discrete:
            limit = _limit_hue(frame, hue)
            if limit is not None:
                yield limit


def _limit_axes(frame: ChartFrame, fields: Mapping[ChartChannel, ChartField]) -> Iterable[KeyLimit]:
    if frame.chart_type is ChartType.KPI_CARD and ChartChannel.METRIC in fields:
        yield KeyLimit(fields[ChartChannel.METRIC], CARDS_MAX, Note.PLACES_OMITTED)
    if frame.chart_type is ChartType.RADAR and X in fields:
        yield KeyLimit(fields[X], SPOKES_MAX, Note.PLACES_OMITTED)
        return
    if frame.chart_type is ChartType.WATERFALL:
        return  # every step depends on those before it
    for channel in (X, Y):
        field = fields.get(channel)
        if field is not None and field.is_discrete and not _is_in_time(field):
            is_joined = frame.chart_type in CONTINUOUS
            yield KeyLimit(
                field, PLACES_MAX, Note.PLACES_OMITTED, is_axis=True, is_joined=is_joined
            )


def _limit_hue(frame: ChartFrame, hue: ChartField) -> KeyLimit | None:
    other = frame.words.other
    match frame.chart_type:
        case ChartType.PIE:
            return KeyLimit(hue, WEDGES_MAX, Note.SERIES_MERGED, other)
        case ChartType.PYRAMID:
            return KeyLimit(hue, SIDES, Note.SERIES_OMITTED)
        case ChartType.BUMP:
            return KeyLimit(hue, SERIES_MAX, Note.SERIES_OMITTED)
        case _ if hue.has_order:
            return None  # a gradient: neighbours look alike, and none is lost
        case _:
            return KeyLimit(hue, SERIES_MAX + 1, Note.SERIES_MERGED, other)


def _is_in_time(field: ChartField) -> bool:
    """Axes of time are not trimmed: a gap would be misleading."""
    is_year = all(isinstance(end, int) and end in YEARS for end in (field.low, field.high))
    return field.dated or field.meaning in IN_TIME or is_year


def _rank_keys(frame: ChartFrame) -> list[str] | None:
    if frame.chart_type is not ChartType.BUMP:
        return None
    if frame.need(Y).meaning is SemanticType.RANK:
        return None
    return frame.keys(X, *PANELS)
