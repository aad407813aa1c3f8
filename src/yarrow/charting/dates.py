"""Dates as people write them, in the one form that charts read alike everywhere.

Vega reads `2024-03-05` as midnight in Greenwich and `2024-03-05T00:00:00` as midnight of the
reader. Whole days are therefore kept as the first and drawn on a UTC scale, so nobody west of
Greenwich sees the day before; moments without a zone stay the reader's own.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime

from yarrow.kit.json import JsonValue

YEARS = range(1800, 2201)
MOST = 0.7
"""The share of values that must read as dates for a column of text to be one of dates."""

ISO = re.compile(r"(\d{4})[-/.年](\d{1,2})(?:[-/.月](\d{1,2})日?|月)?(?:[T ](\d{1,2}:\d{2}.*))?")
YEAR = re.compile(r"(\d{4})年?")
QUARTER = re.compile(r"(\d{4})[-/ 年]?(?:[Qq第])([1-4一二三四])(?:季度?)?")
WEEK = re.compile(r"(\d{4})[- ]?[Ww](\d{1,2})")
MONTHS = 12
AMERICAN = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})")
WORDED = ("%b %Y", "%B %Y", "%b %d, %Y", "%B %d, %Y", "%d %b %Y", "%d %B %Y", "%b-%y")
CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2})(\.\d+)?)?\s*(Z|[+-]\d{2}:?\d{2})?")
MILLISECONDS = len(".000")
DIGITS = re.compile(r"\d")
DIGIT, LETTER = re.compile(r"\d\d"), re.compile(r"[A-Za-z]{3}")
CHINESE_QUARTERS = {"一": 1, "二": 2, "三": 3, "四": 4}


def reads_as_dates(values: Sequence[JsonValue]) -> bool:
    """Whether most of the values that are there are dates; a bare year is not enough."""
    present = [value for value in values if value is not None]
    dated = sum(isinstance(value, str) and _is_date(value) for value in present)
    return bool(present) and dated >= MOST * len(present)


def are_years(values: Iterable[JsonValue]) -> bool:
    """Whether all values that are there are whole years of our times."""
    present = [value for value in values if value is not None]
    return bool(present) and all(_year(value) is not None for value in present)


def has_days_first(values: Iterable[JsonValue]) -> bool:
    """Whether a column writes 31/12/2024: then 01/12/2024 is in December, too."""
    found = (AMERICAN.fullmatch(value.strip()) for value in values if isinstance(value, str))
    return any(int(day[1]) > MONTHS for day in found if day)


def canonical(value: JsonValue, *, days_first: bool = False) -> str | None:
    """`2024`, `2024-03-05` or `2024-03-05T10:00:00`; nothing if it is no date."""
    year = _year(value)
    if year is not None:
        return f"{year:04d}"
    if not isinstance(value, str):
        return None
    text = value.strip()
    if found := AMERICAN.fullmatch(text):
        return _slashed(found[1], found[2], found[3], days_first=days_first)
    return _canonical_iso(text) or _canonical_period(text) or _canonical_worded(text)


def labels(values: Iterable[JsonValue], *, days_first: bool = False) -> dict[JsonValue, str]:
    """Whole months, quarters and weeks as what they are, where all values are of one kind.

    On an axis of separate places `2025-01` must not become the first of January.
    """
    found = {value: _label(value, days_first=days_first) for value in values}
    told = {value: label for value, label in found.items() if label is not None}
    return told if len({DIGITS.sub("0", label) for label in told.values()}) == 1 else {}


def _label(value: JsonValue, *, days_first: bool) -> str | None:
    if not isinstance(value, str) or (day := canonical(value, days_first=days_first)) is None:
        return None
    text = value.strip()
    if found := QUARTER.fullmatch(text):
        return f"{found[1]}-Q{_quarter(found[2])}"
    if found := WEEK.fullmatch(text):
        return f"{found[1]}-W{int(found[2]):02d}"
    return day[: len("2024-03")] if _is_month(text) else day


def _is_month(text: str) -> bool:
    if (found := ISO.fullmatch(text)) is not None:
        return found[3] is None and found[4] is None
    return bool(LETTER.search(text)) and len(re.findall(r"\d+", text)) == 1


def _quarter(told: str) -> int:
    return CHINESE_QUARTERS.get(told) or int(told)


def is_whole_day(text: str) -> bool:
    """Whether a canonical date has no time of day."""
    return len(text) <= len("2024-03-05")


def _is_date(text: str) -> bool:
    stripped = text.strip()
    return not YEAR.fullmatch(stripped) and canonical(stripped) is not None


def _year(value: JsonValue) -> int | None:
    match value:
        case bool():
            return None
        case int():
            return value if value in YEARS else None
        case float() if value.is_integer():
            return int(value) if int(value) in YEARS else None
        case str() if found := YEAR.fullmatch(value.strip()):
            return int(found[1]) if int(found[1]) in YEARS else None
        case _:
            return None


def _canonical_iso(text: str) -> str | None:
    found = ISO.fullmatch(text)
    if found is None:
        return None
    day = _day(found[1], found[2], found[3] or "1")
    clock = found[4]
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


def _canonical_period(text: str) -> str | None:
    if found := QUARTER.fullmatch(text):
        return _day(found[1], str(_quarter(found[2]) * 3 - 2), "1")
    if found := WEEK.fullmatch(text):
        return _week(found[1], found[2])
    return None


def _slashed(one: str, other: str, year: str, *, days_first: bool) -> str | None:
    month, day = (other, one) if days_first else (one, other)
    return _day(year, month, day) or _day(year, day, month)


def _canonical_worded(text: str) -> str | None:
    if not DIGIT.search(text) or not LETTER.search(text):
        return None
    for pattern in WORDED:
        try:
            return datetime.strptime(text, pattern).date().isoformat()  # noqa: DTZ007
        except ValueError:
            continue
    return None


def _week(year: str, week: str) -> str | None:
    try:
        return date.fromisocalendar(int(year), int(week), 1).isoformat()
    except ValueError:
        return None


def _day(year: str, month: str, day: str) -> str | None:
    try:
        return date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return None
