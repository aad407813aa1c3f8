"""Read which rows a question is about: values, numbers, times and ranks.

Words are removed from the text in steps, between those in which its columns are read.
"""

import re
from collections.abc import Sequence
from typing import Final

import msgspec

from yarrow.charting.columns import TableShape
from yarrow.charting.filters.conditions import RowCondition, ValueCondition
from yarrow.charting.filters.doubts import find_doubts
from yarrow.charting.filters.facts import TableFacts
from yarrow.charting.filters.place_periods import place_periods
from yarrow.charting.filters.read_numbers import (
    NumberReading,
    read_comparisons,
    read_other_comparisons,
)
from yarrow.charting.filters.read_periods import (
    ReadPeriod,
    narrow_relatives,
    read_periods,
    read_relative_periods,
)
from yarrow.charting.filters.read_ranks import ReadRank, read_rank
from yarrow.charting.filters.read_values import (
    FoundValue,
    find_flags,
    find_values,
    make_value_conditions,
)
from yarrow.charting.filters.unread import TextSpan, find_touching, find_unread
from yarrow.charting.model import Aggregate
from yarrow.charting.notes import Note, UnappliedWords
from yarrow.charting.question_columns import NamedColumn
from yarrow.charting.question_text import QuestionText
from yarrow.language.chinese_script import fold_script

_COMPARES: Final = re.compile(r"\b(?:compare\w*|versus|vs\.?|between)\b|对比|比较|相比")


class FilterReading(msgspec.Struct, frozen=True):
    """Which rows a question is about."""

    conditions: tuple[RowCondition, ...] = ()
    rank: ReadRank | None = None
    unapplied: tuple[UnappliedWords, ...] = ()
    clauses: frozenset[str] = frozenset()
    """Columns that may be named only to say which rows are meant."""
    time: str = ""
    """The column of the times that are meant, and its unit if one is named."""
    unit: str = ""


def _has_name(value: str, names: Sequence[str]) -> bool:
    """Whether a value is longer than a name that it contains."""
    return any(name in value and name != value for name in names)


class FilterReader:
    """Reads the conditions of one question."""

    def __init__(self, rest: QuestionText, shape: TableShape, facts: TableFacts) -> None:
        self._rest, self._shape, self._facts = rest, shape, facts
        self._relatives: list[ReadPeriod] = []
        self._periods: list[ReadPeriod] = []
        self._values: list[FoundValue] = []
        self._numbers = NumberReading()
        self._rank: ReadRank | None = None

    def read_before_columns(self) -> None:
        """What would be torn apart by names of columns: `last 6 months`, `Sales Manager`."""
        self._relatives = read_relative_periods(self._rest)
        self._rank = read_rank(self._rest)
        names = [fold_script(column.name.lower()) for column in self._shape.columns]
        longer = {
            column: [v for v in values if _has_name(fold_script(v.lower()), names)]
            for column, values in self._facts.values.items()
        }
        facts = msgspec.structs.replace(self._facts, values=longer)
        self._values = find_values(self._rest, self._shape, facts)

    def read_after_columns(self, columns: Sequence[NamedColumn]) -> None:
        """Values, comparisons of the named columns, and times."""
        found = find_values(self._rest, self._shape, self._facts)
        self._values = sorted([*self._values, *found], key=lambda value: value.start)
        self._numbers = read_comparisons(self._rest, columns, self._shape)
        self._periods = read_periods(self._rest)

    @property
    def chosen(self) -> frozenset[str]:
        """The columns of the values that were found."""
        return frozenset(column for value in self._values for column in value.columns)

    def read_last(self, columns: Sequence[NamedColumn]) -> FilterReading:
        """The rest, when all columns are known."""
        read_other_comparisons(self._rest, columns, self._shape, self._numbers)
        said = find_flags(columns, self._rest)
        self._values = sorted([*self._values, *said], key=lambda value: value.start)
        values, ambiguous = make_value_conditions(self._values, self._rest)
        unread = find_unread(self._rest)
        whole = narrow_relatives(self._relatives, self._periods, self._rest)
        periods, refused = self._split_touched(whole, unread)
        placed, unplaced = place_periods(
            periods, self._shape, self._facts, named=columns, text=self._rest.original
        )
        conditions: tuple[RowCondition, ...] = (*values, *self._numbers.conditions, *placed)
        times = {condition.column for condition in placed}
        if doubts := find_doubts(self._rest, conditions, self._rank):
            conditions, self._rank, times = (), None, set()
            refused += doubts
        unapplied = (*ambiguous, *self._numbers.unapplied, *unplaced, *refused)
        named = {column for value in self._values if value.is_named for column in value.columns}
        units = [period.relative.unit for period in self._relatives if period.relative]
        return FilterReading(
            conditions,
            self._rank,
            unapplied,
            frozenset({*self._numbers.clauses, *named, *times}),
            placed[0].column if len(times) == 1 else "",
            units[0] if len(units) == 1 else "",
        )

    def _split_touched(
        self, periods: Sequence[ReadPeriod], unread: Sequence[TextSpan]
    ) -> tuple[list[ReadPeriod], list[UnappliedWords]]:
        """The periods, and those that are only a part of other words: 3月上旬."""
        kept: list[ReadPeriod] = []
        refused: list[UnappliedWords] = []
        for period in periods:
            touched = find_touching(unread, period.start, period.end, self._rest)
            if touched is None:
                kept.append(period)
            else:
                words = self._rest.spelled[slice(*touched)]
                self._rest.remove(*touched)
                refused.append(UnappliedWords(words, Note.NOT_READ))
        return kept, refused

    def find_series(
        self,
        conditions: Sequence[RowCondition],
        columns: Sequence[NamedColumn],
        aggregates: Sequence[Aggregate],
    ) -> list[NamedColumn]:
        """Columns of which several values are named, to be drawn beside each other.

        None if one number of all of them is meant: `average price of cars from Japan and Europe`.
        """
        is_one = bool(aggregates) and not any(named.is_grouping for named in columns)
        if is_one and not _COMPARES.search(self._rest.original):
            return []
        drawn = {named.column.name for named in columns}
        series = []
        for condition in conditions:
            column = self._shape.column(condition.column)
            is_chosen = isinstance(condition, ValueCondition) and not condition.is_excluded
            found = [v for v in self._values if condition.column in v.columns]
            if is_chosen and column and len(found) > 1 and column.name not in drawn:
                first = found[0]
                series.append(NamedColumn(column, first.start, first.end, is_grouping=True))
        return series
