"""Find the years, quarters, months and days that a text names."""

import re
from collections.abc import Iterator, Mapping
from datetime import date, timedelta

import msgspec

from yarrow.charting.filters.calendar_spans import add_units
from yarrow.charting.filters.conditions import DatePart, DateSpan
from yarrow.charting.filters.period_terms import (
    AMBIGUOUS_NAMES,
    BETWEEN_END,
    COMPARED_END,
    COUNTED_NEXT,
    HALF_NUMBERS,
    MONTH_NUMBERS,
    PERIODS,
    QUARTER_NUMBERS,
    RANGE,
)
from yarrow.charting.question_text import REMOVED, QuestionText

QUARTER_MONTHS, HALF_MONTHS, DECADE_YEARS = 3, 6, 10
_RANGE_OF_YEARS = re.compile(r"^\s*(?:to|until|till|through|-|–|—|~|到|至)\s*\d{4}(?!\d)")


class NamedPeriod(msgspec.Struct, frozen=True):
    """One decade, year, quarter, month or day; without a year it comes again every year."""

    start: int
    end: int
    year: int | None
    months: tuple[int, ...] = ()
    """Of the year; none means all of it."""
    day: int | None = None
    years: int = 1
    part: DatePart = DatePart.MONTH
    """What is named if there is no year."""


def find_named_periods(rest: QuestionText) -> list[NamedPeriod]:
    """The periods in the order of the text; it stays as it is."""
    return sorted(_find_periods(rest), key=lambda period: period.start)


def make_span(period: NamedPeriod) -> DateSpan:
    """The days of a period with a year."""
    year = period.year or 1
    first = date(year, period.months[0] if period.months else 1, period.day or 1)
    if period.day is not None:
        return DateSpan(first, first + timedelta(days=1))
    if period.months:
        return DateSpan(first, add_units(first, "month", len(period.months)))
    return DateSpan(first, add_units(first, "year", period.years))


def _find_periods(rest: QuestionText) -> Iterator[NamedPeriod]:
    text = rest.text
    for pattern in PERIODS:
        for match in list(pattern.finditer(text)):
            period = _parse_period(match)
            if period is not None and _is_meant(period, match, rest):
                yield period
                text = text[: match.start()] + REMOVED * len(match.group()) + text[match.end() :]


def _parse_period(match: re.Match[str]) -> NamedPeriod | None:
    parts = {name: value for name, value in match.groupdict().items() if value}
    start, end = match.span()
    if "decade" in parts:
        return NamedPeriod(start, end, int(parts["decade"]), years=DECADE_YEARS)
    year = int(parts["year"]) if "year" in parts else None
    if "quarter" in parts:
        first = _read_number(parts["quarter"], QUARTER_NUMBERS) * QUARTER_MONTHS - 2
        months = tuple(range(first, first + QUARTER_MONTHS))
        return NamedPeriod(start, end, year, months, part=DatePart.QUARTER)
    if "half" in parts:
        first = HALF_NUMBERS[parts["half"]] * HALF_MONTHS - 5
        return NamedPeriod(start, end, year, tuple(range(first, first + HALF_MONTHS)))
    if "month" not in parts:
        return NamedPeriod(start, end, year)
    month = _read_number(parts["month"].rstrip("."), MONTH_NUMBERS)
    day = int(parts["day"]) if "day" in parts else None
    if day is not None and not _is_date(year or 1, month, day):
        return None
    return NamedPeriod(start, end, year, (month,), day)


def _read_number(text: str, names: Mapping[str, int]) -> int:
    return int(text) if text.isdigit() else names[text]


def _is_date(year: int, month: int, day: int) -> bool:
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True


def _is_meant(period: NamedPeriod, match: re.Match[str], rest: QuestionText) -> bool:
    """Whether the words can mean nothing else: a number that is compared or counts is no year."""
    before, after = rest.original[: period.start], rest.original[period.end :]
    if match.group().isdigit():
        in_range = _RANGE_OF_YEARS.match(after) or BETWEEN_END.search(before)
        is_compared = COMPARED_END.search(before) is not None and not in_range
        return not is_compared and COUNTED_NEXT.match(after) is None
    name = (match.groupdict().get("month") or "").rstrip(".")
    if period.year is None and name in AMBIGUOUS_NAMES:
        return period.start > 0 and rest.spelled[match.start()].isupper()
    return True


def is_range(first: NamedPeriod, last: NamedPeriod, text: str) -> bool:
    """Whether two periods are the ends of one: `2020 to 2023`, `between May and June`."""
    between = text[first.end : last.start]
    if RANGE.match(between):
        return True
    is_between = BETWEEN_END.search(text[: first.start]) is not None
    return is_between and re.match(r"^\s*(?:and|和|与)\s*$", between) is not None
