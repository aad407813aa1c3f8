"""The filter of a chart: its SQL, the query that counts what it leaves, and its words."""

from collections.abc import Iterator, Sequence

import msgspec

from yarrow.charting.filters.conditions import (
    DateStorage,
    RankCondition,
    RowCondition,
    SpanCondition,
    describe_condition,
    describe_rank,
    write_condition,
    write_measure,
    write_place,
    write_rank,
)
from yarrow.charting.filters.facts import TableFacts
from yarrow.charting.model import ChartLanguage
from yarrow.charting.notes import Note, write_note
from yarrow.kit.json import JsonMapping
from yarrow.kit.sql_text import quote_name

TITLE_LINES, LINE_CHARS = 4, 90


class FilterPlan(msgspec.Struct, frozen=True):
    """Which rows of a table a chart is made of."""

    table: str
    conditions: tuple[RowCondition, ...]
    rank: RankCondition | None = None

    def write_where(self) -> str:
        """All conditions as one of SQL."""
        parts = [write_condition(condition) for condition in self.conditions]
        if self.rank is not None:
            parts.append(write_rank(self.rank, self.table, parts))
        return " AND ".join(parts)

    def write_count(self) -> str:
        """A query of how many rows there are and remain, and of how many places."""
        table = quote_name(self.table)
        where = self.write_where()
        parts = [
            f"(SELECT count(*) FROM {table} WHERE {where}) AS kept",
            f"(SELECT count(*) FROM {table}) AS total",
        ]
        if self.rank is not None:
            place, value = write_place(self.rank), write_measure(self.rank)
            own = [write_condition(condition) for condition in self.conditions]
            ranked = " AND ".join([*own, f"{place} IS NOT NULL"])
            groups = (
                f"SELECT 1 FROM {table} WHERE {ranked} GROUP BY {place} HAVING {value} IS NOT NULL"
            )
            parts.append(f"(SELECT count(*) FROM ({groups})) AS places")
            parts.append(f"(SELECT count(DISTINCT {place}) FROM {table} WHERE {where}) AS shown")
        return f"SELECT {', '.join(parts)}"

    def describe(self, language: ChartLanguage) -> list[str]:
        """Each condition in words."""
        told = [describe_condition(condition, language) for condition in self.conditions]
        return [*told, *([describe_rank(self.rank, language)] if self.rank else [])]


class FilterCounts(msgspec.Struct, frozen=True):
    """How many rows and places a filter leaves."""

    kept: int
    total: int
    places: int = 0
    shown: int = 0


def read_counts(row: JsonMapping) -> FilterCounts:
    """The counts in the row of `FilterPlan.write_count`."""
    return msgspec.convert(dict(row), FilterCounts)


def title_filter(
    plan: FilterPlan, counts: FilterCounts, language: ChartLanguage
) -> tuple[str, str]:
    """The title, a line for each condition, and the subtitle of a filtered chart."""
    told = plan.describe(language)
    lines = [_truncate_line(line) for line in told[:TITLE_LINES]]
    if len(told) > TITLE_LINES:
        lines[-1] = f"{lines[-1]} …"
    subtitle = write_note(language, Note.ROWS_KEPT, kept=counts.kept, total=counts.total)
    return "\n".join(lines), subtitle


def _truncate_line(line: str) -> str:
    return line if len(line) <= LINE_CHARS else f"{line[: LINE_CHARS - 1]}…"


def explain_filter(
    plan: FilterPlan, counts: FilterCounts, language: ChartLanguage
) -> Iterator[str]:
    """What the filter left out."""
    conditions = ("; " if language is ChartLanguage.EN else "；").join(plan.describe(language))
    yield write_note(
        language, Note.FILTERED, conditions=conditions, kept=counts.kept, total=counts.total
    )
    if (rank := plan.rank) is not None:
        if counts.shown > rank.count:
            yield write_note(
                language,
                Note.TIES_INCLUDED,
                field=rank.place,
                shown=counts.shown,
                count=rank.count,
            )
        omitted = counts.places - counts.shown
        yield write_note(
            language, Note.RANKED_PLACES, field=rank.place, shown=counts.shown, omitted=omitted
        )


def explain_empty(plan: FilterPlan, facts: TableFacts, language: ChartLanguage) -> Iterator[str]:
    """That no row is left, and which times the table has."""
    conditions = ("; " if language is ChartLanguage.EN else "；").join(plan.describe(language))
    yield write_note(language, Note.NO_ROW_LEFT, conditions=conditions)
    yield from _note_ranges(plan.conditions, facts, language)


def _note_ranges(
    conditions: Sequence[RowCondition], facts: TableFacts, language: ChartLanguage
) -> Iterator[str]:
    for condition in conditions:
        is_span = isinstance(condition, SpanCondition) and condition.storage is not DateStorage.TEXT
        if is_span and condition.column in facts.ranges:
            low, high = facts.ranges[condition.column]
            yield write_note(
                language, Note.COLUMN_RANGE, field=condition.column, low=low, high=high
            )


def explain_unknown_values(table: str, reason: str, language: ChartLanguage) -> str:
    """That values of the question could not be looked up."""
    return write_note(language, Note.VALUES_UNKNOWN, table=table, reason=reason)
