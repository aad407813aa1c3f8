"""Dates in chat files: every notation that SillyTavern has written, and those that we write."""

import re
from datetime import UTC, datetime

from yarrow.kit.json import JsonValue

_OLD_DATES = (
    re.compile(
        r"(?P<Y>\d{4})-(?P<m>\d{1,2})-(?P<d>\d{1,2}) ?@ ?(?P<H>\d{1,2})h ?(?P<M>\d{1,2})m"
        r" ?(?:(?P<S>\d{1,2})s)?(?: ?(?P<f>\d{1,3})ms)?"
    ),
    re.compile(
        r"(?P<b>[A-Z][a-z]+) (?P<d>\d{1,2}), (?P<Y>\d{4}) "
        r"(?P<I>\d{1,2}):(?P<M>\d{2}) ?(?P<p>[ap]m)",
        re.IGNORECASE,
    ),
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def parse_date(value: JsonValue) -> datetime | None:
    """Parse a date in any of SillyTavern's notations; None if it is not one.

    A time without a zone is read as UTC: the file does not contain the writer's zone.
    """
    try:
        match value:
            case bool():
                return None
            case int() | float():
                return datetime.fromtimestamp(value / 1000, UTC)
            case str() if value.isdigit():
                return datetime.fromtimestamp(int(value) / 1000, UTC)
            case str():
                return _parse_old_date(value) or _to_utc(datetime.fromisoformat(value))
    except (ValueError, OverflowError, OSError):
        return None
    return None


def _to_utc(moment: datetime) -> datetime:
    """`OverflowError` at the ends of the calendar, where the moment has no date in UTC."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _parse_old_date(text: str) -> datetime | None:
    for pattern in _OLD_DATES:
        if (match := pattern.fullmatch(text.strip())) is not None:
            return _build_date({key: value or "0" for key, value in match.groupdict().items()})
    return None


def _build_date(parts: dict[str, str]) -> datetime:
    month = int(parts["m"]) if "m" in parts else _MONTHS.index(parts["b"][:3].lower()) + 1
    hour = int(parts["H"]) if "H" in parts else int(parts["I"]) % 12
    if parts.get("p", "").lower() == "pm":
        hour += 12
    return datetime(
        int(parts["Y"]),
        month,
        int(parts["d"]),
        hour,
        int(parts["M"]),
        int(parts.get("S", "0")),
        int(parts.get("f", "0")) * 1000,
        tzinfo=UTC,
    )


def format_send_date(moment: datetime) -> str:
    """The date of a message, as SillyTavern writes it since 1.13."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def format_create_date(moment: datetime) -> str:
    """The date of a chat in the header of its file."""
    return moment.astimezone(UTC).strftime("%Y-%m-%d@%Hh%Mm%Ss")
