"""Conditions on the rows of a table: as SQL, and in words for titles and notes."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Final, TypeAlias, assert_never

import msgspec

from yarrow.charting.model import Aggregate, ChartLanguage
from yarrow.charting.words import WORDS
from yarrow.kit.sql_text import quote_name, quote_text
from yarrow.language.chinese_script import to_traditional

VALUES_TOLD = 5
LONG_NUMBER = 10_000
ONE_DAY: Final = timedelta(days=1)


class ValueCondition(msgspec.Struct, frozen=True):
    """The column has one of these values, or none of them."""

    column: str
    values: tuple[str, ...]
    is_excluded: bool = False


class NumberBound(msgspec.Struct, frozen=True):
    """An end of a range of numbers, in decimal digits."""

    number: str
    is_included: bool


class NumberCondition(msgspec.Struct, frozen=True):
    """The number lies between two bounds, of which one may be missing, or outside of them."""

    column: str
    low: NumberBound | None = None
    high: NumberBound | None = None
    is_excluded: bool = False


class DateSpan(msgspec.Struct, frozen=True):
    """The days from `start` up to `end`, which is not included; an open end is None."""

    start: date | None
    end: date | None


class DateStorage(StrEnum):
    """How a column stores its times."""

    MOMENT = "moment"
    YEAR = "year"
    """Whole numbers."""
    TEXT = "text"
    SORTED_TEXT = "sorted text"
    """Texts such as 2024/03/05 or 2024-03, whose order is that of their dates."""


class SpanCondition(msgspec.Struct, frozen=True):
    """The time lies in one of these spans, or in none of them."""

    column: str
    storage: DateStorage
    spans: tuple[DateSpan, ...]
    is_excluded: bool = False
    spellings: tuple[str, ...] = ()
    """The texts of the column that lie in the spans."""
    separator: str = "-"
    """Between year, month and day of sorted texts."""


class DatePart(StrEnum):
    """A part of a date that comes again every year; the names are those of SQL functions."""

    MONTH = "month"
    QUARTER = "quarter"


class PartCondition(msgspec.Struct, frozen=True):
    """The month or quarter of a date is one of these, in any year."""

    column: str
    part: DatePart
    numbers: tuple[int, ...]
    is_excluded: bool = False
    is_whole: bool = False
    """The column holds the number of the month or quarter itself."""


class RankCondition(msgspec.Struct, frozen=True):
    """The place is one of those with the largest or smallest aggregate; equal ones are included."""

    place: str
    unit: str
    """The unit of time by which the place is grouped; empty if it is grouped by its values."""
    measure: str
    """The aggregated column; empty if rows are counted."""
    aggregate: Aggregate
    count: int
    is_top: bool


RowCondition: TypeAlias = ValueCondition | NumberCondition | SpanCondition | PartCondition

_AGGREGATE_SQL: Final[Mapping[Aggregate, str]] = {
    Aggregate.SUM: "sum({})",
    Aggregate.MEAN: "avg({})",
    Aggregate.MEDIAN: "median({})",
    Aggregate.MIN: "min({})",
    Aggregate.MAX: "max({})",
    Aggregate.COUNT: "count({})",
    Aggregate.DISTINCT: "count(DISTINCT {})",
    Aggregate.STDEV: "coalesce(stddev_samp({}), 0)",
}


def write_condition(condition: RowCondition) -> str:
    """The condition as SQL; a row without a value fulfils only exclusions."""
    column = quote_name(condition.column)
    match condition:
        case ValueCondition(values=values):
            sql = _write_list(column, values)
        case NumberCondition():
            sql = _write_bounds(column, condition)
        case SpanCondition(storage=DateStorage.TEXT, spellings=texts):
            sql = _write_list(column, texts)
        case SpanCondition(spans=spans):
            sql = " OR ".join(_write_span(column, span, condition) for span in spans)
            sql = f"({sql})" if len(spans) > 1 else sql
        case PartCondition(part=part, numbers=numbers, is_whole=is_whole):
            value = column if is_whole else f"{part}({column})"
            sql = f"{value} IN ({', '.join(map(str, numbers))})"
        case _:
            assert_never(condition)
    return f"({sql}) IS NOT TRUE" if condition.is_excluded else sql


def _write_list(column: str, values: Sequence[str]) -> str:
    return f"{column} IN ({', '.join(map(quote_text, values))})" if values else "false"


def write_rank(rank: RankCondition, table: str, conditions: Sequence[str]) -> str:
    """The rank as SQL; it is counted among the rows that fulfil the other conditions."""
    place = write_place(rank)
    where = " AND ".join([*conditions, f"{place} IS NOT NULL"])
    value = write_measure(rank)
    order = "DESC" if rank.is_top else "ASC"
    return (
        f"{place} IN (SELECT {place} FROM {quote_name(table)} WHERE {where} GROUP BY 1 "
        f"HAVING {value} IS NOT NULL QUALIFY rank() OVER (ORDER BY {value} {order}) "
        f"<= {rank.count})"
    )


def write_place(rank: RankCondition) -> str:
    column = quote_name(rank.place)
    return f"date_trunc('{rank.unit}', {column})" if rank.unit else column


def write_measure(rank: RankCondition) -> str:
    """What places are ranked by."""
    column = quote_name(rank.measure) if rank.measure else "*"
    return _AGGREGATE_SQL[rank.aggregate].format(column)


def _write_bounds(column: str, condition: NumberCondition) -> str:
    parts = []
    if condition.low is not None and condition.low == condition.high:
        return f"{column} = {condition.low.number}"
    if (low := condition.low) is not None:
        parts.append(f"{column} {'>=' if low.is_included else '>'} {low.number}")
    if (high := condition.high) is not None:
        parts.append(f"{column} {'<=' if high.is_included else '<'} {high.number}")
    return " AND ".join(parts)


def _write_span(column: str, span: DateSpan, condition: SpanCondition) -> str:
    """Dates as texts: DuckDB casts them to the type of the column."""
    ends = {">=": span.start, "<": span.end}
    return " AND ".join(
        f"{column} {sign} {_write_day(day, condition)}" for sign, day in ends.items() if day
    )


def _write_day(day: date, condition: SpanCondition) -> str:
    match condition.storage:
        case DateStorage.YEAR:
            return str(day.year)
        case DateStorage.MOMENT | DateStorage.TEXT:
            return quote_text(day.isoformat())
        case DateStorage.SORTED_TEXT:
            # A month alone comes before its days: `2024-03` is less than `2024-03-01`.
            parts = day.isoformat().split("-")[: 2 if day.day == 1 else 3]
            return quote_text(condition.separator.join(parts))
        case _:
            assert_never(condition.storage)


class _FilterWords(msgspec.Struct, frozen=True):
    """How conditions are written in one language."""

    only: str
    without: str
    listed: str
    since: str
    until: str
    between: str
    top: str
    bottom: str
    months: tuple[str, ...]
    quarter: str
    every_year: str
    negated: str


_TEXTS: Final[Mapping[ChartLanguage, _FilterWords]] = {
    ChartLanguage.EN: _FilterWords(
        only="{0}: {1}",
        without="{0}: all but {1}",
        listed=", ",
        since="from {0}",
        until="before {0}",
        between="{0} to {1}",
        top="{0}: top {1} by {2}",
        bottom="{0}: bottom {1} by {2}",
        months=(
            *("January", "February", "March", "April", "May", "June", "July", "August"),
            *("September", "October", "November", "December"),
        ),
        quarter="Q{}",
        every_year="{} of every year",
        negated="all but {}",
    ),
    ChartLanguage.ZH: _FilterWords(
        only="{0}：{1}",
        without="{0}：不含{1}",
        listed="、",
        since="{0} 起",
        until="{0} 之前",
        between="{0} 至 {1}",
        top="{0}：{2}最大的 {1} 项",
        bottom="{0}：{2}最小的 {1} 项",
        months=tuple(f"{month}月" for month in range(1, 13)),
        quarter="第{}季度",
        every_year="每年{}",
        negated="不含 {}",
    ),
}


def _convert_words(words: _FilterWords) -> _FilterWords:
    """The words in traditional script."""
    texts = {name: getattr(words, name) for name in words.__struct_fields__}
    return msgspec.structs.replace(
        words, **{n: to_traditional(text) for n, text in texts.items() if isinstance(text, str)}
    )


_WORDS: Final = {**_TEXTS, ChartLanguage.HANT: _convert_words(_TEXTS[ChartLanguage.ZH])}


def describe_condition(condition: RowCondition, language: ChartLanguage) -> str:
    """The condition in words."""
    words = _WORDS[language]
    match condition:
        case NumberCondition(is_excluded=is_excluded):
            bounds = _describe_bounds(condition)
            return words.negated.format(bounds) if is_excluded else bounds
        case ValueCondition(values=values):
            told = _list_values(values, words)
        case SpanCondition(storage=storage, spans=spans):
            told = words.listed.join(_describe_span(span, storage, words) for span in spans)
        case PartCondition(is_whole=is_whole):
            told = _describe_parts(condition, words)
            told = told if is_whole else words.every_year.format(told)
        case _:
            assert_never(condition)
    form = words.without if condition.is_excluded else words.only
    return form.format(condition.column, told)


def describe_rank(rank: RankCondition, language: ChartLanguage) -> str:
    """The rank in words: `country: top 5 by sum of revenue`."""
    words, chart_words = _WORDS[language], WORDS[language]
    measure = chart_words.count
    if rank.measure:
        measure = chart_words.aggregates[rank.aggregate].format(rank.measure)
    form = words.top if rank.is_top else words.bottom
    unit = chart_words.units.get(rank.unit, rank.unit)
    place = f"{rank.place} ({unit})" if unit else rank.place
    return form.format(place, rank.count, measure)


def _list_values(values: Sequence[str], words: _FilterWords) -> str:
    told = words.listed.join(values[:VALUES_TOLD])
    more = len(values) - VALUES_TOLD
    return f"{told} … (+{more})" if more > 0 else told


def _describe_bounds(condition: NumberCondition) -> str:
    low, high = condition.low, condition.high
    if low is not None and high is not None:
        if low.number == high.number:
            return f"{condition.column} = {_to_text(low)}"
        signs = ("≤" if bound.is_included else "<" for bound in (low, high))
        return f"{_to_text(low)} {next(signs)} {condition.column} {next(signs)} {_to_text(high)}"
    if low is not None:
        return f"{condition.column} {'≥' if low.is_included else '>'} {_to_text(low)}"
    if high is not None:
        return f"{condition.column} {'≤' if high.is_included else '<'} {_to_text(high)}"
    return condition.column


def _to_text(bound: NumberBound) -> str:
    """The number with thousands separators, unless it may be a year."""
    number = Decimal(bound.number)
    return f"{number:,f}" if abs(number) >= LONG_NUMBER else f"{number:f}"


def _describe_span(span: DateSpan, storage: DateStorage, words: _FilterWords) -> str:
    if storage is DateStorage.YEAR:
        start, end = (str(day.year) if day else "" for day in (span.start, span.end))
        last = str(span.end.year - 1) if span.end else ""
    else:
        start, end = (day.isoformat() if day else "" for day in (span.start, span.end))
        last = (span.end - ONE_DAY).isoformat() if span.end else ""
    if not start:
        return words.until.format(end)
    if not last:
        return words.since.format(start)
    return start if start == last else words.between.format(start, last)


def _describe_parts(condition: PartCondition, words: _FilterWords) -> str:
    match condition.part:
        case DatePart.MONTH:
            names = [words.months[number - 1] for number in condition.numbers]
        case DatePart.QUARTER:
            names = [words.quarter.format(number) for number in condition.numbers]
        case _:
            assert_never(condition.part)
    return words.listed.join(names)
