"""What of a question was read otherwise than written, chosen, or not drawn."""

from collections.abc import Iterator

from yarrow.charting.columns import TableShape
from yarrow.charting.model import NUMERIC, Aggregate, ChartLanguage, ChartType
from yarrow.charting.notes import Note, write_note
from yarrow.charting.question_reader import QuestionReading
from yarrow.charting.suggest import ChartSuggestion
from yarrow.charting.words import WORDS

COLUMNS_TOLD = 20


def explain_reading(
    reading: QuestionReading,
    shape: TableShape,
    suggestion: ChartSuggestion | None,
    language: ChartLanguage,
) -> Iterator[str]:
    """What of the question was read otherwise than written, chosen, or not drawn."""
    columns = ", ".join(shape.names[:COLUMNS_TOLD])
    for name in reading.unknown_columns:
        yield write_note(language, Note.NO_COLUMN, name=name, table=shape.name, columns=columns)
    if reading.unknown_type:
        yield write_note(language, Note.NO_SUCH_CHART, name=reading.unknown_type)
    for unapplied in reading.unapplied:
        yield write_note(language, unapplied.reason, words=unapplied.words, **unapplied.facts)
    if suggestion is None:
        return
    for column in reading.columns:
        if column.is_counted and reading.aggregates == (Aggregate.SUM,):
            yield write_note(language, Note.COUNTS_ADDED, field=column.column.name)
    drawn = set(suggestion.intent.encodings.values())
    named = {n.column.name for n in reading.columns}
    for column in reading.columns:
        if column.read_from and column.column.name in drawn:
            yield write_note(
                language, Note.READ_AS, word=column.read_from, field=column.column.name
            )
    drawn |= {condition.column for condition in reading.conditions}
    if omitted := [n.column.name for n in reading.columns if n.column.name not in drawn]:
        yield write_note(language, Note.NAMED_NOT_DRAWN, fields=", ".join(omitted))
    if named:
        for name in suggestion.intent.encodings.values():
            if name not in named:
                yield write_note(language, Note.CHOSEN, field=name)
    is_share = suggestion.intent.chart_type is ChartType.PIE
    is_share = is_share or suggestion.intent.config.get("stack") == "normalize"
    if reading.share_words and not is_share:
        yield write_note(language, Note.NOT_READ, words=reading.share_words)
    if len(reading.aggregates) > 1:
        done = WORDS[language].done[reading.aggregates[0]]
        yield write_note(language, Note.ONE_AGGREGATE, done=done)
    counted = suggestion.intent.aggregates.items()
    is_count = any(
        aggregate is Aggregate.COUNT and channel not in suggestion.intent.encodings
        for channel, aggregate in counted
    )
    if is_count and Aggregate.COUNT not in reading.aggregates:
        yield write_note(language, Note.COUNTED)
    yield from _explain_ignored(reading, suggestion, language)


def _explain_ignored(
    reading: QuestionReading, suggestion: ChartSuggestion, language: ChartLanguage
) -> Iterator[str]:
    """A note if the chart does not have the aggregate that the question names."""
    intent, asked = suggestion.intent, reading.aggregates[:1]
    if asked and asked[0] is not Aggregate.COUNT and not intent.aggregates and intent.encodings:
        named = {n.column.name for n in reading.columns if n.column.dtype in NUMERIC}
        if suggestion.title[0] not in named:
            done = WORDS[language].done[asked[0]]
            yield write_note(language, Note.AGGREGATE_OF_NOTHING, done=done)
            return
        yield write_note(
            language,
            Note.RAW_VALUES,
            field=suggestion.title[0],
            done=WORDS[language].done[asked[0]],
            chart=intent.chart_type.value,
        )


def explain_replacement(failed: ChartSuggestion, reason: str, language: ChartLanguage) -> str:
    """Why the chart of the named kind is not drawn."""
    chart = failed.intent.chart_type.value
    return write_note(language, Note.CHART_REPLACED, chart=chart, reason=reason)
