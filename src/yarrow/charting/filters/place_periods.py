"""Decide which column of times a period is about, and make it a condition on that column."""

from collections.abc import Sequence
from datetime import date, timedelta

import msgspec

from yarrow.charting.columns import ChartColumn, TableShape
from yarrow.charting.dates import has_days_first, normalise_date
from yarrow.charting.filters.calendar_spans import cut_span, parse_day
from yarrow.charting.filters.conditions import (
    DatePart,
    DateSpan,
    DateStorage,
    PartCondition,
    RowCondition,
    SpanCondition,
    ValueCondition,
)
from yarrow.charting.filters.facts import TableFacts, TimeColumns, sort_times
from yarrow.charting.filters.read_periods import ReadPeriod
from yarrow.charting.notes import Note, UnappliedWords
from yarrow.charting.question_columns import NamedColumn
from yarrow.charting.value_order import find_month

QUARTER_MONTHS = 3


class PeriodPlacer(msgspec.Struct, frozen=True):
    """The columns of times of one table, and those that the question names."""

    shape: TableShape
    facts: TableFacts
    times: TimeColumns
    named: Sequence[NamedColumn]
    text: str

    def place(self, period: ReadPeriod) -> list[RowCondition] | UnappliedWords:
        """The conditions of a period, or why there are none."""
        if period.problem is not None:
            return UnappliedWords(period.words, period.problem)
        if period.numbers:
            return self._place_parts(period)
        candidates = self._list_candidates(period)
        column = self._choose_column(period, candidates)
        if column is not None:
            return self._place_spans(period, column)
        if len(candidates) > 1:
            names = {"columns": ", ".join(c.name for c in candidates)}
            return UnappliedWords(period.words, Note.TIME_COLUMNS, names)
        split = self._place_split(period)
        return split if split is not None else self._refuse_period(period)

    def _refuse_period(self, period: ReadPeriod) -> UnappliedWords:
        return UnappliedWords(period.words, Note.NO_TIME_COLUMN, {"table": self.shape.name})

    def _list_candidates(self, period: ReadPeriod) -> list[ChartColumn]:
        """The columns that can hold the period; years that repeat a date are left out."""
        if period.relative is not None:
            is_years = period.relative.unit == "year"
        else:
            is_years = all(_is_whole_years(span) for span in period.spans)
        years = self.times.years if is_years else ()
        others = [c for c in years if c.name not in self.facts.same_years]
        return [*self.times.moments, *self.times.texts, *others]

    def _choose_column(
        self, period: ReadPeriod, candidates: Sequence[ChartColumn]
    ) -> ChartColumn | None:
        """The column beside the period, else the one that the question names, else the only one."""
        all_times = (*self.times.moments, *self.times.years, *self.times.texts)
        named = [n for n in self.named if n.column in (*candidates, *all_times)]
        for each in named:
            if each.column in candidates or each.column in self.times.years:
                between = self.text[each.end : period.start]
                if each.end <= period.start and not between.strip(" :：=是为在"):
                    return each.column
        columns = list(dict.fromkeys(n.column for n in named if n.column in candidates))
        if len(columns) == 1:
            return columns[0]
        return candidates[0] if len(candidates) == 1 else None

    def _place_spans(
        self, period: ReadPeriod, column: ChartColumn
    ) -> list[RowCondition] | UnappliedWords:
        spans = period.spans
        if period.relative is not None:
            whole = self._find_range(column)
            if whole is None:
                return self._refuse_period(period)
            spans = (cut_span(whole, period.relative),)
        if column in self.times.years:
            if not all(_is_whole_years(span) for span in spans):
                return self._refuse_period(period)
            return [SpanCondition(column.name, DateStorage.YEAR, spans, period.is_excluded)]
        if separator := self.facts.separators.get(column.name):
            sorted_text = DateStorage.SORTED_TEXT
            return [
                SpanCondition(
                    column.name, sorted_text, spans, period.is_excluded, separator=separator
                )
            ]
        if column in self.times.texts:
            if column.name not in self.facts.spellings:
                return self._refuse_period(period)
            texts = tuple(t for t, day in self._read_days(column) if _is_in_spans(day, spans))
            storage = DateStorage.TEXT
            return [SpanCondition(column.name, storage, spans, period.is_excluded, texts)]
        return [SpanCondition(column.name, DateStorage.MOMENT, spans, period.is_excluded)]

    def _find_range(self, column: ChartColumn) -> DateSpan | None:
        """From the first to the last day of a column."""
        is_sorted = column.name in self.facts.separators
        if column in self.times.texts and not is_sorted:
            days = [day for _, day in self._read_days(column) if day is not None]
            return DateSpan(min(days), _find_next_day(max(days))) if days else None
        texts = self.facts.ranges.get(column.name, ())
        ends = [parse_day((is_sorted and normalise_date(text)) or text) for text in texts]
        if len(ends) < 2 or ends[0] is None or ends[1] is None:
            return None
        if column in self.times.years:
            return DateSpan(ends[0], date(ends[1].year + 1, 1, 1))
        return DateSpan(ends[0], _find_next_day(ends[1]))

    def _read_days(self, column: ChartColumn) -> list[tuple[str, date | None]]:
        """The texts of a column with the days they mean."""
        texts = self.facts.spellings.get(column.name, ())
        days_first = has_days_first(texts)
        dates = (normalise_date(text, days_first=days_first) for text in texts)
        return [(t, parse_day(d) if d else None) for t, d in zip(texts, dates, strict=True)]

    def _place_parts(self, period: ReadPeriod) -> list[RowCondition] | UnappliedWords:
        """Months or quarters of every year."""
        texts = self.times.texts
        column = self._choose_column(period, [*self.times.moments, *texts])
        is_month = period.part is DatePart.MONTH
        wholes = self.times.months if is_month else self.times.quarters
        names = self.times.month_names if is_month else ()
        if period.is_open and not self._has_one_year(column):
            return UnappliedWords(period.words, Note.NO_YEAR)
        if column in self.times.moments and column is not None:
            return [PartCondition(column.name, period.part, period.numbers, period.is_excluded)]
        if column is not None and column.name in self.facts.spellings:
            values = tuple(t for t, day in self._read_days(column) if _has_part(day, period))
            return [ValueCondition(column.name, values, period.is_excluded)]
        if len(self.times.moments) + len(texts) > 1:
            listed = ", ".join(c.name for c in (*self.times.moments, *texts))
            return UnappliedWords(period.words, Note.TIME_COLUMNS, {"columns": listed})
        if len(wholes) == 1:
            return [
                PartCondition(
                    wholes[0].name,
                    period.part,
                    period.numbers,
                    period.is_excluded,
                    is_whole=True,
                )
            ]
        if len(names) == 1:
            spelled = self.facts.spellings.get(names[0].name, ())
            values = tuple(v for v in spelled if find_month(v) in period.numbers)
            return [ValueCondition(names[0].name, values, period.is_excluded)]
        return self._refuse_period(period)

    def _has_one_year(self, column: ChartColumn | None) -> bool:
        """Whether the months of a table, or of its column of dates, are those of one year."""
        if column is None:
            return not self.times.years
        whole = self._find_range(column)
        if whole is None or whole.start is None or whole.end is None:
            return False
        return whole.start.year == (whole.end - timedelta(days=1)).year

    def _place_split(self, period: ReadPeriod) -> list[RowCondition] | None:
        """A month or quarter of one year, in a table with columns of years and of months."""
        if len(self.times.years) != 1 or len(period.spans) != 1 or period.is_excluded:
            return None
        span = period.spans[0]
        if span.start is None or span.end is None or span.start.day != 1 or span.end.day != 1:
            return None
        last = span.end - timedelta(days=1)
        if last.year != span.start.year:
            return None
        months = tuple(range(span.start.month, last.month + 1))
        parts = self._place_parts(
            msgspec.structs.replace(period, spans=(), part=DatePart.MONTH, numbers=months)
        )
        if isinstance(parts, UnappliedWords):
            return None
        year = DateSpan(date(last.year, 1, 1), date(last.year + 1, 1, 1))
        return [SpanCondition(self.times.years[0].name, DateStorage.YEAR, (year,)), *parts]


def place_periods(
    periods: Sequence[ReadPeriod],
    shape: TableShape,
    facts: TableFacts,
    *,
    named: Sequence[NamedColumn],
    text: str,
) -> tuple[list[RowCondition], list[UnappliedWords]]:
    """The conditions of all periods of a question, and those that are not applied."""
    placer = PeriodPlacer(shape, facts, sort_times(shape), named, text)
    conditions: list[RowCondition] = []
    unapplied: list[UnappliedWords] = []
    for period in periods:
        match placer.place(period):
            case UnappliedWords() as words:
                unapplied.append(words)
            case placed:
                conditions += placed
    return conditions, unapplied


def _is_whole_years(span: DateSpan) -> bool:
    days = [day for day in (span.start, span.end) if day is not None]
    return all((day.month, day.day) == (1, 1) for day in days)


def _is_in_spans(day: date | None, spans: Sequence[DateSpan]) -> bool:
    return day is not None and any(
        (span.start is None or span.start <= day) and (span.end is None or day < span.end)
        for span in spans
    )


def _has_part(day: date | None, period: ReadPeriod) -> bool:
    if day is None:
        return False
    is_month = period.part is DatePart.MONTH
    number = day.month if is_month else (day.month - 1) // QUARTER_MONTHS + 1
    return number in period.numbers


def _find_next_day(day: date) -> date:
    """The day after; a calendar ends with 9999-12-31, which tables have for `no end`."""
    return day if day == date.max else day + timedelta(days=1)
