"""Format dates and durations as moment.js does in English."""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta
from math import floor

_TOKEN = re.compile(
    r"\[[^\[]*\]|\\?(?:[Hh]mm(?:ss)?|Mo|MM?M?M?|Do|DDDo|DD?D?D?|ddd?d?|do?|w[ow]?|W[oW]?|Qo?"
    r"|YYYYYY|YYYYY|YYYY|YY|Y|gggg?g?|gg|GGGG?G?|GG|e|E|a|A|hh?|HH?|kk?|mm?|ss?|S{1,9}"
    r"|x|X|zz?|ZZ?|LTS|LT|LL?L?L?|l{1,4})"
)

_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip

_DAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")

_LONG_FORMATS = {
    "LT": "h:mm A",
    "LTS": "h:mm:ss A",
    "L": "MM/DD/YYYY",
    "LL": "MMMM D, YYYY",
    "LLL": "MMMM D, YYYY h:mm A",
    "LLLL": "dddd, MMMM D, YYYY h:mm A",
    "l": "M/D/YYYY",
    "ll": "MMM D, YYYY",
    "lll": "MMM D, YYYY h:mm A",
    "llll": "ddd, MMM D, YYYY h:mm A",
}

_UTC_OFFSET = re.compile(r"UTC([+-]\d{1,3})", re.ASCII | re.I)
_HOURS_BELOW = 16
"""moment.js reads a smaller offset as hours, a larger one as minutes."""


def format_date(moment: datetime, pattern: str) -> str:
    """Format with moment.js tokens; `[text]` and a token after a backslash are literal."""
    return _TOKEN.sub(lambda match: _format_token(moment, match[0]), pattern)


def shift_to_offset(moment: datetime, offset: str) -> datetime:
    """Convert to an offset such as `UTC+2`; unchanged if it is not one."""
    match = _UTC_OFFSET.fullmatch(offset.strip())
    if match is None:
        return moment
    number = int(match[1])
    minutes = number * 60 if abs(number) < _HOURS_BELOW else number
    return moment.astimezone(UTC).replace(tzinfo=None) + timedelta(minutes=minutes)


def humanize_duration(seconds: float) -> str:
    """Format a duration, ignoring its sign: "a few seconds", "3 hours"."""
    length = abs(seconds)
    days = length / 86_400
    months = days * 4_800 / 146_097
    if _round_like_js(length) < 45:
        return "a few seconds"
    for figure, limit, one, many in (
        (_round_like_js(length / 60), 45, "a minute", "minutes"),
        (_round_like_js(length / 3_600), 22, "an hour", "hours"),
        (_round_like_js(days), 26, "a day", "days"),
        (_round_like_js(months), 11, "a month", "months"),
    ):
        if figure <= 1:
            return one
        if figure < limit:
            return f"{figure} {many}"
    years = _round_like_js(months / 12)
    return "a year" if years <= 1 else f"{years} years"


def humanize_difference(seconds: float) -> str:
    """Format a difference with its direction: "in 3 hours", "3 hours ago"."""
    return (
        f"in {humanize_duration(seconds)}" if seconds > 0 else f"{humanize_duration(seconds)} ago"
    )


def _round_like_js(number: float) -> int:
    """Round halves up, as JavaScript does."""
    return floor(number + 0.5)


def _format_token(moment: datetime, token: str) -> str:
    if token.startswith("["):
        return token[1:-1]
    if token.startswith("\\"):
        return token[1:]
    if token in _LONG_FORMATS:
        return format_date(moment, _LONG_FORMATS[token])
    if token.startswith("S"):
        return f"{moment.microsecond:06d}000"[: len(token)]
    return _TOKENS[token](moment) if token in _TOKENS else token


def _format_ordinal(number: int) -> str:
    """Format as 1st, 2nd, 3rd, 4th, 11th."""
    if number // 10 % 10 == 1:
        return f"{number}th"
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th') }"


def _find_us_week(moment: datetime) -> tuple[int, int]:
    """Return year and number of the US week: it starts on Sunday, 1 January is in week 1."""
    saturday = moment.date() + timedelta(days=6 - _number_weekday(moment))
    first = date(saturday.year, 1, 1)
    return saturday.year, (saturday - first).days // 7 + 1


def _number_weekday(moment: datetime) -> int:
    """Return 0 for Sunday."""
    return moment.isoweekday() % 7


def _number_day_of_year(moment: datetime) -> int:
    return moment.timetuple().tm_yday


def _format_offset(moment: datetime, colon: str) -> str:
    minutes = int((moment.utcoffset() or timedelta()).total_seconds() // 60)
    sign = "-" if minutes < 0 else "+"
    return f"{sign}{abs(minutes) // 60:02d}{colon}{abs(minutes) % 60:02d}"


_TOKENS: Mapping[str, Callable[[datetime], str]] = {
    "M": lambda m: str(m.month),
    "Mo": lambda m: _format_ordinal(m.month),
    "MM": lambda m: f"{m.month:02d}",
    "MMM": lambda m: _MONTHS[m.month - 1][:3],
    "MMMM": lambda m: _MONTHS[m.month - 1],
    "Q": lambda m: str((m.month + 2) // 3),
    "Qo": lambda m: _format_ordinal((m.month + 2) // 3),
    "D": lambda m: str(m.day),
    "Do": lambda m: _format_ordinal(m.day),
    "DD": lambda m: f"{m.day:02d}",
    "DDD": lambda m: str(_number_day_of_year(m)),
    "DDDo": lambda m: _format_ordinal(_number_day_of_year(m)),
    "DDDD": lambda m: f"{_number_day_of_year(m):03d}",
    "d": lambda m: str(_number_weekday(m)),
    "do": lambda m: _format_ordinal(_number_weekday(m)),
    "dd": lambda m: _DAYS[_number_weekday(m)][:2],
    "ddd": lambda m: _DAYS[_number_weekday(m)][:3],
    "dddd": lambda m: _DAYS[_number_weekday(m)],
    "e": lambda m: str(_number_weekday(m)),
    "E": lambda m: str(m.isoweekday()),
    "w": lambda m: str(_find_us_week(m)[1]),
    "wo": lambda m: _format_ordinal(_find_us_week(m)[1]),
    "ww": lambda m: f"{_find_us_week(m)[1]:02d}",
    "W": lambda m: str(m.isocalendar().week),
    "Wo": lambda m: _format_ordinal(m.isocalendar().week),
    "WW": lambda m: f"{m.isocalendar().week:02d}",
    "YY": lambda m: f"{m.year % 100:02d}",
    "Y": lambda m: str(m.year),
    "YYYY": lambda m: f"{m.year:04d}",
    "YYYYY": lambda m: f"{m.year:05d}",
    "YYYYYY": lambda m: f"+{m.year:06d}",
    "gg": lambda m: f"{_find_us_week(m)[0] % 100:02d}",
    "gggg": lambda m: f"{_find_us_week(m)[0]:04d}",
    "ggggg": lambda m: f"{_find_us_week(m)[0]:05d}",
    "GG": lambda m: f"{m.isocalendar().year % 100:02d}",
    "GGGG": lambda m: f"{m.isocalendar().year:04d}",
    "GGGGG": lambda m: f"{m.isocalendar().year:05d}",
    "A": lambda m: "AM" if m.hour < 12 else "PM",
    "a": lambda m: "am" if m.hour < 12 else "pm",
    "H": lambda m: str(m.hour),
    "HH": lambda m: f"{m.hour:02d}",
    "h": lambda m: str(m.hour % 12 or 12),
    "hh": lambda m: f"{m.hour % 12 or 12:02d}",
    "k": lambda m: str(m.hour or 24),
    "kk": lambda m: f"{m.hour or 24:02d}",
    "hmm": lambda m: f"{m.hour % 12 or 12}{m.minute:02d}",
    "hmmss": lambda m: f"{m.hour % 12 or 12}{m.minute:02d}{m.second:02d}",
    "Hmm": lambda m: f"{m.hour}{m.minute:02d}",
    "Hmmss": lambda m: f"{m.hour}{m.minute:02d}{m.second:02d}",
    "m": lambda m: str(m.minute),
    "mm": lambda m: f"{m.minute:02d}",
    "s": lambda m: str(m.second),
    "ss": lambda m: f"{m.second:02d}",
    "x": lambda m: str(floor(m.timestamp() * 1000)),
    "X": lambda m: str(floor(m.timestamp())),
    "Z": lambda m: _format_offset(m, ":"),
    "ZZ": lambda m: _format_offset(m, ""),
    "z": lambda _: "",
    "zz": lambda _: "",
}
