"""Suggest questions about tables without calling a model."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from yarrow.charting.columns import ChartColumn, TableShape, guess_meaning
from yarrow.charting.model import ChartLanguage
from yarrow.charting.question_words import QUESTIONS, QuestionSlot, QuestionTag, QuestionWording
from yarrow.charting.suggest import LABELS, assign_roles

NAME_WORDS, NAME_LETTERS = 2, 24
SAMPLE_MIN = 3
"""Two points are always on a line, so a correlation needs three."""

ONE_TABLE = (QuestionTag.DEEP_DIVE, QuestionTag.PIVOT, QuestionTag.BROADEN, QuestionTag.STATISTICAL)
SEVERAL_TABLES = (
    QuestionTag.DEEP_DIVE,
    QuestionTag.CROSS_DATA,
    QuestionTag.PIVOT,
    QuestionTag.STATISTICAL,
)


class TableQuestion(Struct, frozen=True):
    """One direction to explore. The goal has fewer than ten words, the important ones bold."""

    text: str
    goal: str
    tag: QuestionTag


def suggest_questions(
    tables: TableShape | Sequence[TableShape], language: ChartLanguage = ChartLanguage.EN
) -> tuple[TableQuestion, ...]:
    """Four questions with four tags, one of them about both tables if there are two.

    None for tables without a value.
    """
    known = [tables] if isinstance(tables, TableShape) else [*tables]
    usable = [table for table in known if _filled_columns(table)]
    if not usable:
        return ()
    slots = _collect_slots(usable)
    tags = SEVERAL_TABLES if len(usable) > 1 else ONE_TABLE
    return tuple(_make_question(tag, slots, language) for tag in tags)


def _make_question(
    tag: QuestionTag, slots: Mapping[QuestionSlot, str], language: ChartLanguage
) -> TableQuestion:
    wording = _choose_wording(QUESTIONS[language][tag], slots)
    full = {str(slot): name for slot, name in slots.items()}
    short = {slot: _shorten(name) for slot, name in full.items()}
    return TableQuestion(wording.text.format_map(full), wording.goal.format_map(short), tag)


def _choose_wording(
    wordings: Sequence[QuestionWording], slots: Mapping[QuestionSlot, str]
) -> QuestionWording:
    return next(wording for wording in wordings if wording.needs <= slots.keys())


def _collect_slots(tables: Sequence[TableShape]) -> dict[QuestionSlot, str]:
    """Names of tables and columns for the slots of wordings, from the first two tables."""
    first = tables[0]
    roles = assign_roles(first)
    filled = _filled_columns(first)
    # The counts of a code's values say little: other columns are asked about first.
    columns = [c.name for c in sorted(filled, key=lambda c: guess_meaning(c) in LABELS)]
    measures = [c.name for c in roles.measures if c.distinct > 1]
    places = [c.name for c in roles.places]
    groups = [c.name for c in roles.places[:1] if c.distinct < first.row_count]
    slots: dict[QuestionSlot, str | None] = {
        QuestionSlot.TABLE: first.name or None,
        QuestionSlot.COLUMN: columns[0],
        QuestionSlot.OTHER_COLUMN: next(iter(columns[1:]), None),
        QuestionSlot.TIME: roles.times[0].name if roles.times else None,
        QuestionSlot.MEASURE: next(iter(measures), None),
        QuestionSlot.MEASURE2: next(iter(measures[1:]), None),
        QuestionSlot.PLACE: next(iter(places), None),
        QuestionSlot.PLACE2: next(iter(places[1:]), None),
        QuestionSlot.SAMPLE: str(first.row_count) if first.row_count >= SAMPLE_MIN else None,
        QuestionSlot.GROUPS: next(iter(groups), None),
    }
    if len(tables) > 1:
        slots |= _second_table_slots(first, tables[1])
    return {slot: name for slot, name in slots.items() if name}


def _filled_columns(table: TableShape) -> list[ChartColumn]:
    """The columns that hold a value."""
    return [column for column in table.columns if column.distinct] if table.row_count else []


def _second_table_slots(first: TableShape, second: TableShape) -> dict[QuestionSlot, str | None]:
    others = {column.name for column in _filled_columns(second)}
    shared = [column.name for column in _filled_columns(first) if column.name in others]
    measures = assign_roles(second).measures
    return {
        QuestionSlot.TABLE: first.name or "table 1",
        QuestionSlot.TABLE2: second.name or "table 2",
        QuestionSlot.SHARED: next(iter(shared), None),
        QuestionSlot.OTHER_MEASURE: measures[0].name if measures else None,
    }


def _shorten(name: str) -> str:
    """A name for a goal: at most two words, without asterisks, which would end the bold text."""
    words = name.replace("*", "").split()[:NAME_WORDS]
    return " ".join(words)[:NAME_LETTERS].strip() or "…"
