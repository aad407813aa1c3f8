"""Spans of days: units of the calendar, and the first or last of them."""

from datetime import date, timedelta

import msgspec

from yarrow.charting.filters.conditions import DateSpan

MONTHS, QUARTER_MONTHS = 12, 3


class RelativePeriod(msgspec.Struct, frozen=True):
    """A number of units at the end of a span, or at its beginning."""

    count: int
    unit: str
    is_first: bool


def cut_span(span: DateSpan, relative: RelativePeriod) -> DateSpan:
    """The first or last units of a closed span; those at its ends count as whole ones."""
    if span.start is None or span.end is None:
        return span
    if relative.is_first:
        first = start_unit(span.start, relative.unit)
        return DateSpan(span.start, min(span.end, add_units(first, relative.unit, relative.count)))
    last = start_unit(span.end - timedelta(days=1), relative.unit)
    start = add_units(last, relative.unit, 1 - relative.count)
    return DateSpan(max(span.start, start), span.end)


def add_units(day: date, unit: str, count: int) -> date:
    """The first day of the unit that comes so many units after the one that begins on `day`."""
    match unit:
        case "day":
            return day + timedelta(days=count)
        case "week":
            return day + timedelta(weeks=count)
        case _:
            months = {"month": 1, "quarter": QUARTER_MONTHS, "year": MONTHS}[unit] * count
            total = max(MONTHS, day.year * MONTHS + day.month - 1 + months)
            return date(total // MONTHS, total % MONTHS + 1, 1)


def start_unit(day: date, unit: str) -> date:
    """The first day of the unit in which a day lies."""
    match unit:
        case "day":
            return day
        case "week":
            return day - timedelta(days=day.weekday())
        case "month":
            return day.replace(day=1)
        case "quarter":
            return date(day.year, (day.month - 1) // QUARTER_MONTHS * QUARTER_MONTHS + 1, 1)
        case _:
            return date(day.year, 1, 1)


def parse_day(text: str) -> date | None:
    """The day of a date or moment in ISO form, or the first day of a year."""
    head = text.strip()[: len("2024-03-05")]
    try:
        return date(int(head), 1, 1) if head.isdigit() else date.fromisoformat(head)
    except ValueError:
        return None
