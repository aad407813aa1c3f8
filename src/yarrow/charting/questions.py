"""Questions worth asking a table, without asking a model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from yarrow.charting.columns import ChartColumn, TableShape
from yarrow.charting.model import ChartLanguage
from yarrow.charting.question_words import QUESTIONS, Slot, Tag, Wording
from yarrow.charting.suggest import roles_of

NAME_WORDS, NAME_LETTERS = 2, 24
SAMPLE_MIN = 3
"""Through two points there is always a line."""

ONE_TABLE = (Tag.DEEP_DIVE, Tag.PIVOT, Tag.BROADEN, Tag.STATISTICAL)
SEVERAL_TABLES = (Tag.DEEP_DIVE, Tag.CROSS_DATA, Tag.PIVOT, Tag.STATISTICAL)


@dataclass(frozen=True, slots=True)
class Question:
    """One direction to explore. The goal has fewer than ten words, the important ones bold."""

    text: str
    goal: str
    tag: Tag


def suggest_questions(
    tables: TableShape | Sequence[TableShape], language: ChartLanguage = ChartLanguage.EN
) -> tuple[Question, ...]:
    """Four questions with four tags; about two tables together only where there are two.

    None about tables without a value: nothing could answer it.
    """
    known = [tables] if isinstance(tables, TableShape) else [*tables]
    usable = [table for table in known if _filled(table)]
    if not usable:
        return ()
    slots = _slots(usable)
    tags = SEVERAL_TABLES if len(usable) > 1 else ONE_TABLE
    return tuple(_asked(tag, slots, language) for tag in tags)


def _asked(tag: Tag, slots: Mapping[Slot, str], language: ChartLanguage) -> Question:
    wording = _fitting(QUESTIONS[language][tag], slots)
    full = {str(slot): name for slot, name in slots.items()}
    short = {slot: _short(name) for slot, name in full.items()}
    return Question(wording.text.format_map(full), wording.goal.format_map(short), tag)


def _fitting(wordings: Sequence[Wording], slots: Mapping[Slot, str]) -> Wording:
    return next(wording for wording in wordings if wording.needs <= slots.keys())


def _slots(tables: Sequence[TableShape]) -> dict[Slot, str]:
    """What the first table offers to ask about, and what a second one adds."""
    first = tables[0]
    roles = roles_of(first)
    columns = [column.name for column in _filled(first)]
    measures = [c.name for c in roles.measures if c.distinct > 1]
    places = [c.name for c in roles.places]
    groups = [c.name for c in roles.places[:1] if c.distinct < first.row_count]
    found: dict[Slot, str | None] = {
        Slot.TABLE: first.name or None,
        Slot.COLUMN: columns[0],
        Slot.OTHER_COLUMN: next(iter(columns[1:]), None),
        Slot.TIME: roles.times[0].name if roles.times else None,
        Slot.MEASURE: next(iter(measures), None),
        Slot.MEASURE2: next(iter(measures[1:]), None),
        Slot.PLACE: next(iter(places), None),
        Slot.PLACE2: next(iter(places[1:]), None),
        Slot.SAMPLE: str(first.row_count) if first.row_count >= SAMPLE_MIN else None,
        Slot.GROUPS: next(iter(groups), None),
    }
    if len(tables) > 1:
        found |= _beside(first, tables[1])
    return {slot: name for slot, name in found.items() if name}


def _filled(table: TableShape) -> list[ChartColumn]:
    """The columns that hold a value."""
    return [column for column in table.columns if column.distinct] if table.row_count else []


def _beside(first: TableShape, second: TableShape) -> dict[Slot, str | None]:
    others = {column.name for column in _filled(second)}
    shared = [column.name for column in _filled(first) if column.name in others]
    measures = roles_of(second).measures
    return {
        Slot.TABLE: first.name or "table 1",
        Slot.TABLE2: second.name or "table 2",
        Slot.SHARED: next(iter(shared), None),
        Slot.OTHER_MEASURE: measures[0].name if measures else None,
    }


def _short(name: str) -> str:
    """A name as part of a goal: a few words, and no stars that would end the bold."""
    words = name.replace("*", "").split()[:NAME_WORDS]
    return " ".join(words)[:NAME_LETTERS].strip() or "…"
