"""Normalise dates to the one form that Vega parses the same in every time zone.

Vega reads `2024-03-05` as midnight in Greenwich and `2024-03-05T00:00:00` as midnight of the
reader. Whole days are therefore kept as the first and drawn on a UTC scale, so nobody west of
Greenwich sees the day before; moments without a zone stay the reader's own.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta

from yarrow.kit.json import JsonValue

YEARS = range(1800, 2201)
MOST = 0.7
"""The share of values that must be dates for a text column to be a date column."""

ISO = re.compile(r"(\d{4})[-/.年](\d{1,2})(?:[-/.月](\d{1,2})日?|月)?(?:[T ](\d{1,2}:\d{2}.*))?")
YEAR = re.compile(r"(\d{4})年?")
QUARTER = re.compile(r"(\d{4})[-/ 年]?(?:[Qq第])([1-4一二三四])(?:季度?)?")
WEEK = re.compile(r"(\d{4})[- ]?[Ww](\d{1,2})")
MONTHS = 12
AMERICAN = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})")
WORDED = (
    *("%b %Y", "%B %Y", "%b-%y"),
    *(f"{month} {day}" for month in ("%b", "%B") for day in ("%d, %Y", "%d %Y")),
    *("%d %b %Y", "%d %B %Y", "%d-%b-%Y", "%d-%b-%y"),
)
CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2})(\.\d+)?)?\s*(Z|[+-]\d{2}:?\d{2})?")
MILLISECONDS = len(".000")
DIGITS = re.compile(r"\d")
DIGIT, LETTER = re.compile(r"\d\d"), re.compile(r"[A-Za-z]{3}")
CHINESE_QUARTERS = {"一": 1, "二": 2, "三": 3, "四": 4}


def are_dates(values: Sequence[JsonValue]) -> bool:
    """Whether most values that are not null are dates; a year alone is not one."""
    present = [value for value in values if value is not None]
    dated = sum(isinstance(value, str) and _is_date(value) for value in present)
    return bool(present) and dated >= MOST * len(present)


def are_years(values: Iterable[JsonValue]) -> bool:
    """Whether all values that are not null are years from 1800 to 2200."""
    present = [value for value in values if value is not None]
    return bool(present) and all(_parse_year(value) is not None for value in present)


def has_days_first(values: Iterable[JsonValue]) -> bool:
    """Whether any value is like 31/12/2024: then 01/12/2024 is in December, too."""
    dates = (AMERICAN.fullmatch(value.strip()) for value in values if isinstance(value, str))
    return any(int(date[1]) > MONTHS for date in dates if date)


def normalise_date(value: JsonValue, *, days_first: bool = False) -> str | None:
    """`2024`, `2024-03-05` or `2024-03-05T10:00:00`; None if it is not a date."""
    year = _parse_year(value)
    if year is not None:
        return f"{year:04d}"
    if not isinstance(value, str):
        return None
    text = value.strip()
    if parts := AMERICAN.fullmatch(text):
        return _parse_slashed(parts[1], parts[2], parts[3], days_first=days_first)
    return _normalise_iso(text) or _normalise_period(text) or _normalise_worded(text)


def truncate_date(text: str, unit: str) -> str:
    """The first day of the year, quarter, month or week of a canonical date; the day itself."""
    day = f"{text}-01-01"[: len("2024-03-05")] if len(text) == len("2024") else text[:10]
    match unit:
        case "year":
            return f"{day[:4]}-01-01"
        case "quarter":
            return f"{day[:5]}{(int(day[5:7]) - 1) // 3 * 3 + 1:02d}-01"
        case "month":
            return f"{day[:7]}-01"
        case "week":
            parsed = date.fromisoformat(day)
            return (parsed - timedelta(days=parsed.weekday())).isoformat()
        case _:
            return day


def label_periods(values: Iterable[JsonValue], *, days_first: bool = False) -> dict[JsonValue, str]:
    """Labels of months, quarters and weeks, if all values are of the same kind.

    On an axis of separate places `2025-01` must not become the first of January.
    """
    formatted = {value: _format_period(value, days_first=days_first) for value in values}
    periods = {value: period for value, period in formatted.items() if period is not None}
    return periods if len({DIGITS.sub("0", period) for period in periods.values()}) == 1 else {}


def _format_period(value: JsonValue, *, days_first: bool) -> str | None:
    if not isinstance(value, str) or (day := normalise_date(value, days_first=days_first)) is None:
        return None
    text = value.strip()
    if parts := QUARTER.fullmatch(text):
        return f"{parts[1]}-Q{_parse_quarter(parts[2])}"
    if parts := WEEK.fullmatch(text):
        return f"{parts[1]}-W{int(parts[2]):02d}"
    return day[: len("2024-03")] if _is_month(text) else day


def _is_month(text: str) -> bool:
    if (parts := ISO.fullmatch(text)) is not None:
        return parts[3] is None and parts[4] is None
    return bool(LETTER.search(text)) and len(re.findall(r"\d+", text)) == 1


def _parse_quarter(digit: str) -> int:
    return CHINESE_QUARTERS.get(digit) or int(digit)


def is_whole_day(text: str) -> bool:
    """Whether a canonical date has no time of day."""
    return len(text) <= len("2024-03-05")


def _is_date(text: str) -> bool:
    stripped = text.strip()
    return not YEAR.fullmatch(stripped) and normalise_date(stripped) is not None


def _parse_year(value: JsonValue) -> int | None:
    match value:
        case bool():
            return None
        case int():
            return value if value in YEARS else None
        case float() if value.is_integer():
            return int(value) if int(value) in YEARS else None
        case str() if parts := YEAR.fullmatch(value.strip()):
            return int(parts[1]) if int(parts[1]) in YEARS else None
        case _:
            return None


def _normalise_iso(text: str) -> str | None:
    parts = ISO.fullmatch(text)
    if parts is None:
        return None
    day = _format_day(parts[1], parts[2], parts[3] or "1")
    clock = parts[4]
    if day is None or clock is None:
        return day
    time = CLOCK.fullmatch(clock.strip())
    if time is None:
        return None
    hour, minute, second, fraction, zone = time.groups()
    part = f"{fraction}000"[:MILLISECONDS] if fraction and fraction.strip(".0") else ""
    if zone is None and not part and not any(map(int, (hour, minute, second or "0"))):
        return day
    return f"{day}T{int(hour):02d}:{minute}:{second or '00'}{part}{zone or ''}"


def _normalise_period(text: str) -> str | None:
    if parts := QUARTER.fullmatch(text):
        return _format_day(parts[1], str(_parse_quarter(parts[2]) * 3 - 2), "1")
    if parts := WEEK.fullmatch(text):
        return _format_week(parts[1], parts[2])
    return None


def _parse_slashed(one: str, other: str, year: str, *, days_first: bool) -> str | None:
    month, day = (other, one) if days_first else (one, other)
    return _format_day(year, month, day) or _format_day(year, day, month)


def _normalise_worded(text: str) -> str | None:
    if not DIGIT.search(text) or not LETTER.search(text):
        return None
    for pattern in WORDED:
        try:
            return datetime.strptime(text, pattern).date().isoformat()  # noqa: DTZ007
        except ValueError:
            continue
    return None


def _format_week(year: str, week: str) -> str | None:
    try:
        return date.fromisocalendar(int(year), int(week), 1).isoformat()
    except ValueError:
        return None


def _format_day(year: str, month: str, day: str) -> str | None:
    try:
        return date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return None
