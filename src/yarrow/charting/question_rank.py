"""Decide which places a rank of a question is about, and by what they are ranked."""

from collections.abc import Iterator

from msgspec.structs import replace

from yarrow.charting.aggregate import AggregateEvidence, choose_default_aggregate
from yarrow.charting.columns import ChartColumn, TableShape, guess_meaning
from yarrow.charting.filters.conditions import RankCondition
from yarrow.charting.model import (
    NUMERIC,
    Aggregate,
    ChartChannel,
    ChartLanguage,
    ChartType,
    DType,
    SemanticType,
)
from yarrow.charting.notes import Note, write_note
from yarrow.charting.question_reader import QuestionReading
from yarrow.charting.suggest import ChartSuggestion, assign_roles
from yarrow.charting.words import WORDS

UNRANKED = frozenset({ChartType.SCATTER, ChartType.REGRESSION, ChartType.HISTOGRAM})
"""Charts without places."""
MOSTLY_UNIQUE = 0.5
_MEASURED = (ChartChannel.Y, ChartChannel.SIZE, ChartChannel.VALUE, ChartChannel.COLOR)
_NEAR = 24
"""How many letters may stand between `top 5` and the place."""


def rank_places(
    reading: QuestionReading, suggestion: ChartSuggestion, shape: TableShape
) -> tuple[ChartSuggestion, RankCondition] | None:
    """The chart with its aggregate named, and the rank; None if it is not clear what is ranked."""
    rank, intent = reading.rank, suggestion.intent
    if rank is None or intent.chart_type in UNRANKED:
        return None
    channel = _find_measured(suggestion, shape)
    names = [name for each, name in intent.encodings.items() if each is not channel]
    place = _choose_place(reading, [c for c in shape.columns if c.name in names])
    if place is None or (place.dtype in NUMERIC and place in assign_roles(shape).measures):
        return None
    if (
        channel is None
        and not reading.aggregates
        and (reading.unknown_columns or reading.unapplied)
    ):
        return None  # `by population`, which the table does not have
    measure = intent.encodings.get(channel, "") if channel else ""
    aggregate = Aggregate.COUNT
    if channel is not None and measure:
        aggregate = intent.aggregates.get(channel) or _choose_aggregate(reading, place, measure)
        intent = replace(intent, aggregates={**intent.aggregates, channel: aggregate})
    is_moment = place.dtype in {DType.DATE, DType.DATETIME}
    unit = str(intent.config.get("timeUnit", "")) if is_moment else ""
    condition = RankCondition(place.name, unit, measure, aggregate, rank.count, rank.is_top)
    return replace(suggestion, intent=intent), condition


def _choose_aggregate(reading: QuestionReading, place: ChartColumn, measure: str) -> Aggregate:
    """Rows are ranked by themselves, not by the mean of those that have the same name."""
    if reading.rank is not None and all(n.column is not place for n in reading.columns):
        return Aggregate.MAX if reading.rank.is_top else Aggregate.MIN
    return choose_default_aggregate(measure)[0]


def explain_rank(
    reading: QuestionReading,
    ranked: tuple[ChartSuggestion, RankCondition] | None,
    language: ChartLanguage,
) -> Iterator[str]:
    """That nothing is ranked, or how it was guessed by what."""
    if reading.rank is None:
        return
    if ranked is None:
        yield write_note(language, Note.NO_RANKED_PLACE, words=reading.rank.words)
    elif (measure := ranked[1].measure) and not reading.aggregates:
        aggregate, evidence = ranked[1].aggregate, choose_default_aggregate(measure)[1]
        note = (
            Note.COMBINED_BY_NAME
            if evidence is AggregateEvidence.NAME
            else Note.COMBINED_BY_DEFAULT
        )
        note = Note.COMBINED if aggregate in {Aggregate.MAX, Aggregate.MIN} else note
        yield write_note(language, note, field=measure, done=WORDS[language].done[aggregate])


def find_label(shape: TableShape) -> ChartColumn | None:
    """The column that names the rows of a table: a title or a name that hardly repeats, else the
    only one of names."""
    texts = [c for c in shape.columns if c.dtype is DType.STRING and c.distinct > 1]
    unique = [c for c in texts if c.distinct >= MOSTLY_UNIQUE * shape.row_count]
    named = [c for c in unique if guess_meaning(c) is SemanticType.NAME]
    only = [c for c in assign_roles(shape).places if c.dtype is DType.STRING]
    return next(iter(named or unique or (only if len(only) == 1 else ())), None)


def _find_measured(suggestion: ChartSuggestion, shape: TableShape) -> ChartChannel | None:
    """The channel whose column is aggregated; None if rows are counted."""
    intent = suggestion.intent
    for channel in intent.aggregates:
        return channel if channel in intent.encodings else None
    measures = assign_roles(shape).measures
    for channel in _MEASURED:
        column = shape.column(intent.encodings.get(channel, ""))
        is_measured = column in measures or channel is not ChartChannel.COLOR
        if column is not None and column.dtype in NUMERIC and is_measured:
            return channel
    return None


def _choose_place(reading: QuestionReading, places: list[ChartColumn]) -> ChartColumn | None:
    """The place right behind the rank, else the only one."""
    if reading.rank is None:
        return None
    end = reading.rank.end
    near = [n for n in reading.columns if n.column in places and 0 <= n.start - end <= _NEAR]
    if near:
        return min(near, key=lambda named: named.start).column
    return places[0] if len(places) == 1 else None
