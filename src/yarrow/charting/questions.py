"""Suggest questions about tables without calling a model.

A question is suggested only if `question_reader` reads every word of it and its chart is the one
that the wording means: a question that leads nowhere is worse than none.
"""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from yarrow.charting.columns import ChartColumn, TableShape, guess_meaning, is_additive_name
from yarrow.charting.filters.facts import TableFacts
from yarrow.charting.model import ChartLanguage, ChartType, DType
from yarrow.charting.question_chart import chart_question
from yarrow.charting.question_notes import explain_reading
from yarrow.charting.question_reader import read_question
from yarrow.charting.question_words import (
    QUESTIONS,
    QUOTATION_MARKS,
    QuestionSlot,
    QuestionTag,
    QuestionWording,
)
from yarrow.charting.suggest import LABELS, WEDGES_MAX, assign_roles, is_prose

NAME_WORDS, NAME_LETTERS = 2, 24
SAMPLE_MIN = 3
"""Two points are always on a line, so a correlation needs three."""

TAGS = (QuestionTag.DEEP_DIVE, QuestionTag.PIVOT, QuestionTag.BROADEN, QuestionTag.STATISTICAL)


class TableQuestion(Struct, frozen=True):
    """One direction to explore. The goal has fewer than ten words, the important ones bold."""

    text: str
    goal: str
    tag: QuestionTag


class _Candidate(Struct, frozen=True):
    """A question, and what its chart shows."""

    question: TableQuestion
    chart: ChartType
    fields: frozenset[str]


def suggest_questions(
    tables: TableShape | Sequence[TableShape], language: ChartLanguage = ChartLanguage.EN
) -> tuple[TableQuestion, ...]:
    """At most four questions with different tags and charts; one is about the second of two tables.

    None for tables without a value.
    """
    known = [tables] if isinstance(tables, TableShape) else [*tables]
    usable = [table for table in known if _list_filled_columns(table)]
    if not usable:
        return ()
    other = _ask_other_table(usable, language)
    chosen: list[_Candidate] = []
    for tag in TAGS:
        if other is not None and tag is QuestionTag.BROADEN:
            chosen.append(other)
            continue
        shown = {(each.chart, each.fields) for each in chosen}
        for candidate in _list_candidates(tag, usable[0], language):
            if (candidate.chart, candidate.fields) not in shown:
                chosen.append(candidate)
                break
    return tuple(each.question for each in chosen)


def _ask_other_table(tables: Sequence[TableShape], language: ChartLanguage) -> _Candidate | None:
    """A question that names more columns of the second table than of the first."""
    if len(tables) < 2:
        return None
    for each in _list_candidates(QuestionTag.DEEP_DIVE, tables[1], language):
        if len(read_question(each.question.text, tables[0]).columns) < len(each.fields):
            question = each.question
            broader = TableQuestion(question.text, question.goal, QuestionTag.BROADEN)
            return _Candidate(broader, each.chart, each.fields)
    return None


def _list_candidates(
    tag: QuestionTag, shape: TableShape, language: ChartLanguage
) -> Iterator[_Candidate]:
    """The questions of a tag that lead to their chart; names that are misread are quoted."""
    slots = _collect_slots(shape)
    for wording in QUESTIONS[language][tag]:
        if not wording.needs <= slots.keys():
            continue
        fields = frozenset(slots[slot] for slot in wording.needs if slot is not QuestionSlot.SAMPLE)
        for marks in ("{}", QUOTATION_MARKS[language]):
            text = _fill_slots(wording.text, {slot: marks.format(n) for slot, n in slots.items()})
            if _leads_to_chart(text, wording, fields, shape):
                short = {slot: _shorten_name(name) for slot, name in slots.items()}
                question = TableQuestion(text, _fill_slots(wording.goal, short), tag)
                yield _Candidate(question, wording.chart, fields)
                break


def _fill_slots(wording: str, slots: Mapping[QuestionSlot, str]) -> str:
    return wording.format_map({str(slot): name for slot, name in slots.items()})


def _leads_to_chart(
    text: str, wording: QuestionWording, fields: frozenset[str], shape: TableShape
) -> bool:
    """Whether the question is read without a rest, and drawn as it is meant."""
    values = {
        column.name: [value for value in column.samples if isinstance(value, str)]
        for column in shape.columns
        if column.dtype is DType.STRING
    }
    reading = read_question(text, shape, TableFacts(values=values))
    charts = chart_question(reading, shape)
    if not charts or reading.conditions or reading.rank:
        return False
    intent = charts[0].intent
    is_meant = intent.chart_type is wording.chart and set(intent.encodings.values()) == fields
    return is_meant and not [*explain_reading(reading, shape, charts[0], ChartLanguage.EN)]


def _collect_slots(shape: TableShape) -> dict[QuestionSlot, str]:
    """Names of columns for the slots of wordings."""
    roles = assign_roles(shape)
    filled = _list_filled_columns(shape)
    # The counts of a code's values say little: other columns are asked about first.
    columns = sorted(filled, key=lambda c: guess_meaning(c) in LABELS)
    repeated = [c for c in (*roles.places, *columns) if 1 < c.distinct < shape.row_count]
    measures = [c for c in roles.measures if c.distinct > 1]
    amounts = [c for c in roles.measures if is_additive_name(c.name)]
    slots: dict[QuestionSlot, Sequence[ChartColumn]] = {
        QuestionSlot.COLUMN: columns,
        QuestionSlot.REPEATED: [c for c in repeated if c not in roles.measures and not is_prose(c)],
        QuestionSlot.TIME: roles.times,
        QuestionSlot.MOMENT: [c for c in roles.times if c.distinct < shape.row_count],
        QuestionSlot.MEASURE: measures,
        QuestionSlot.MEASURE2: measures[1:],
        QuestionSlot.AMOUNT: amounts,
        QuestionSlot.PLACE: roles.places,
        QuestionSlot.PLACE2: roles.places[1:],
        QuestionSlot.PART: [c for c in roles.places if c.distinct <= WEDGES_MAX],
        QuestionSlot.GROUP: [
            c for c in roles.places if c.distinct <= min(WEDGES_MAX, shape.row_count - 1)
        ],
        QuestionSlot.GROUPS: [c for c in roles.places[:1] if c.distinct < shape.row_count],
    }
    names = {slot: found[0].name for slot, found in slots.items() if found}
    sample = {QuestionSlot.SAMPLE: str(shape.row_count)} if shape.row_count >= SAMPLE_MIN else {}
    return names | sample


def _list_filled_columns(table: TableShape) -> list[ChartColumn]:
    """The columns that hold a value."""
    return [column for column in table.columns if column.distinct] if table.row_count else []


def _shorten_name(name: str) -> str:
    """A name for a goal: at most two words, without asterisks, which would end the bold text."""
    words = name.replace("*", "").split()[:NAME_WORDS]
    return " ".join(words)[:NAME_LETTERS].strip() or "…"
