"""Decide how the rows of one place are combined, and how the result is named.

The only place that does; `stacks` decides what may be stacked. Sums need evidence: the request
names the aggregate, a meaning was registered, or, as a last resort that a note reports, the name
says so. Without evidence the mean is taken: it stays within the range of the values.
"""

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from yarrow.charting.chart_types import BOTH_MEASURED, MEASURED
from yarrow.charting.columns import is_additive_name
from yarrow.charting.fields import ChartField
from yarrow.charting.model import (
    Aggregate,
    ChartChannel,
    ChartIntent,
    FieldKind,
    SemanticType,
)
from yarrow.charting.notes import Note
from yarrow.charting.row_keys import COUNT_KEY
from yarrow.charting.words import ChartWords

ADDITIVE = frozenset(
    {SemanticType.AMOUNT, SemanticType.PROFIT, SemanticType.QUANTITY, SemanticType.COUNT}
)
"""Registered meanings of which a sum over rows makes sense; of a name, see `is_additive_name`."""
MERGEABLE = frozenset(
    {Aggregate.SUM, Aggregate.MEAN, Aggregate.MIN, Aggregate.MAX, Aggregate.COUNT}
)
"""Aggregates of several groups that can be computed from those of each group."""
COUNTS = frozenset({Aggregate.COUNT, Aggregate.DISTINCT})
"""Aggregates of any field; the others need numbers."""

AGGREGATE_NAMES: Mapping[str, Aggregate] = {
    **{aggregate.value: aggregate for aggregate in Aggregate},
    **dict.fromkeys(("average", "avg"), Aggregate.MEAN),
    **dict.fromkeys(("total", "add"), Aggregate.SUM),
    **dict.fromkeys(("minimum",), Aggregate.MIN),
    **dict.fromkeys(("maximum",), Aggregate.MAX),
    **dict.fromkeys(("valid", "size"), Aggregate.COUNT),
    **dict.fromkeys(("nunique", "countdistinct"), Aggregate.DISTINCT),
    **dict.fromkeys(("stddev", "std", "stdevp"), Aggregate.STDEV),
}
"""What requests call them, in lower case and without punctuation."""


class AggregateEvidence(StrEnum):
    """Why an aggregate was chosen."""

    REQUEST = "request"
    MEANING = "meaning"
    NAME = "name"
    NONE = "none"


class Measure(Struct, frozen=True):
    """A measured field and its aggregate. Without a column it counts rows."""

    field: ChartField
    aggregate: Aggregate
    evidence: AggregateEvidence

    @property
    def column(self) -> str | None:
        return None if self.field.key == COUNT_KEY else self.field.name


def choose_measure(field: ChartField) -> Measure:
    """How the values of a quantitative field are combined."""
    if field.aggregate is not None:
        return Measure(field, field.aggregate, AggregateEvidence.REQUEST)
    if field.is_registered and field.meaning is not None:
        is_additive = field.meaning in ADDITIVE
        return Measure(
            field, Aggregate.SUM if is_additive else Aggregate.MEAN, AggregateEvidence.MEANING
        )
    return Measure(field, *choose_default_aggregate(field.name))


def choose_default_aggregate(name: str) -> tuple[Aggregate, AggregateEvidence]:
    """The aggregate of a column of which only the name is known."""
    if is_additive_name(name):
        return Aggregate.SUM, AggregateEvidence.NAME
    return Aggregate.MEAN, AggregateEvidence.NONE


def is_aggregated(field: ChartField) -> bool:
    """Whether the request aggregates this field, or counts rows in its place."""
    return field.aggregate is not None


def count_rows(words: ChartWords) -> Measure:
    """The number of rows."""
    field = ChartField(
        "",
        COUNT_KEY,
        FieldKind.QUANTITATIVE,
        words.count,
        numeric=True,
        meaning=SemanticType.COUNT,
        aggregate=Aggregate.COUNT,
    )
    return Measure(field, Aggregate.COUNT, AggregateEvidence.REQUEST)


def can_aggregate(intent: ChartIntent, channel: ChartChannel) -> bool:
    """Whether the chart shows an aggregate in this channel; an axis that divides rows has none."""
    chart, x, y = intent.chart_type, ChartChannel.X, ChartChannel.Y
    if channel is x and chart not in BOTH_MEASURED:
        is_free = y in intent.encodings and y not in intent.aggregates
        return is_free and x in MEASURED[chart]
    return channel in MEASURED[chart]


def apply_aggregates(
    intent: ChartIntent, fields: Mapping[ChartChannel, ChartField], words: ChartWords
) -> tuple[ChartIntent, dict[ChartChannel, ChartField], tuple[str, ...]]:
    """The fields with the aggregates that the request names; counts need no field.

    The intent keeps those that are drawn, and a note tells each that is not.
    """
    applied, notes = dict(fields), list(intent.notes)
    aggregates: dict[ChartChannel, Aggregate] = {}
    for channel, aggregate in intent.aggregates.items():
        field, done = applied.get(channel), words.done[aggregate]
        if field is None:
            if aggregate is Aggregate.COUNT and can_aggregate(intent, channel):
                applied[channel] = count_rows(words).field
                aggregates[channel] = aggregate
            else:
                notes.append(words.note(Note.NO_FIELD, channel=str(channel), value=str(aggregate)))
        elif not can_aggregate(intent, channel):
            chart = str(intent.chart_type)
            note = Note.AGGREGATE_IGNORED if MEASURED[intent.chart_type] else Note.RAW_VALUES
            notes.append(
                words.note(note, field=field.title, done=done, chart=chart, channel=str(channel))
            )
        elif aggregate in COUNTS or field.numeric:
            applied[channel] = _apply_aggregate(field, aggregate)
            aggregates[channel] = aggregate
        else:
            notes.append(words.note(Note.NOT_AGGREGATED, field=field.title, done=done))
    return replace(intent, aggregates=aggregates), applied, tuple(notes)


def _apply_aggregate(field: ChartField, aggregate: Aggregate) -> ChartField:
    if aggregate not in COUNTS:
        return replace(field.as_kind(FieldKind.QUANTITATIVE), aggregate=aggregate)
    return replace(
        field,
        key=f"{field.key}_",
        kind=FieldKind.QUANTITATIVE,
        numeric=True,
        dated=False,
        meaning=SemanticType.COUNT,
        scale=None,
        is_scale_guessed=False,
        aggregate=aggregate,
    )


def name_measure(measure: Measure, words: ChartWords) -> ChartField:
    """The field with the title of its aggregate: `mean of price`, 收入合计."""
    if measure.column is None:
        return measure.field
    title = words.aggregates[measure.aggregate].format(measure.field.title)
    return replace(measure.field, title=title)


def explain_measure(measure: Measure, words: ChartWords) -> str:
    """A note that says what was done to the rows of one place, and why."""
    done = words.done[measure.aggregate]
    title = measure.field.title
    match measure.evidence:
        case AggregateEvidence.REQUEST | AggregateEvidence.MEANING:
            return words.note(Note.COMBINED, field=title, done=done)
        case AggregateEvidence.NAME:
            return words.note(Note.COMBINED_BY_NAME, field=title, done=done)
        case AggregateEvidence.NONE:
            return words.note(Note.COMBINED_BY_DEFAULT, field=title, done=done)
