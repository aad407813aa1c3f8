"""The period a question names ("今年", "下半年", "next month"), as civil dates.

A period bounds 应期: a time outside it is not offered as an answer.
"""

import re
from calendar import monthrange
from collections.abc import Callable
from datetime import date, timedelta
from typing import Final

from msgspec import Struct

_DIGITS: Final = {c: n for n, c in enumerate("零一二三四五六七八九十")} | {
    "两": 2, "兩": 2, "几": 3, "幾": 3, "半": 0,
}  # fmt: skip
_MONTH_NAMES: Final = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_NUMBER: Final = r"(\d{1,3}|十[一二]|[一二两兩三四五六七八九十几幾])"
_MONTH: Final = r"(\d{1,2}|十[一二]|[一二三四五六七八九十])"


class Period(Struct, frozen=True):
    """Civil days from `start` to `end`, both included; `text` is how the question names it."""

    start: date
    end: date
    text: str

    @property
    def days(self) -> int:
        return (self.end - self.start).days + 1


Span = tuple[date, date]


def find_period(question: str, today: date) -> Period | None:
    """The first period that the question names, cut to what lies after `today`.

    None when it names none, or one that is over.
    """
    for pattern, build in _PERIODS:
        match = pattern.search(question)
        if match is None:
            continue
        start, end = build(match, today)
        if end < today:
            continue
        return Period(max(start, today), end, match.group())
    return None


def _year(number: int) -> Span:
    return date(number, 1, 1), date(number, 12, 31)


def _half(number: int, *, second: bool) -> Span:
    return (
        (date(number, 7, 1), date(number, 12, 31))
        if second
        else (date(number, 1, 1), date(number, 6, 30))
    )


def _month(number: int, month: int) -> Span:
    years, place = divmod(month - 1, 12)
    first = date(number + years, place + 1, 1)
    return first, first.replace(day=monthrange(first.year, first.month)[1])


def _next_month_named(month: int, today: date) -> Span:
    return _month(today.year + (1 if month < today.month else 0), month)


def _year_shift(match: re.Match[str], today: date) -> int:
    word = match.group(1) or ""
    if re.match(r"明|来|來|next|coming", word, re.IGNORECASE):
        return today.year + 1
    return today.year + 2 if word.startswith(("后", "後")) else today.year


def _named_half(match: re.Match[str], today: date) -> Span:
    second = match.group(2)[0] in "下後后" or "second" in match.group(2).lower()
    span = _half(_year_shift(match, today), second=second)
    # "上半年" asked in autumn is the coming one.
    return span if span[1] >= today else _half(today.year + 1, second=second)


def _within(days: int, today: date) -> Span:
    return today, min(today + timedelta(days=days), date(2101, 12, 31))


def _count(text: str) -> int:
    if text.isdigit():
        return int(text)
    if text.startswith("十") and len(text) == 2:
        return 10 + _DIGITS[text[1]]
    return _DIGITS[text]


_UNIT_DAYS: Final = {
    "年": 365, "year": 365, "月": 30, "month": 30, "周": 7, "週": 7, "星": 7, "礼": 7, "禮": 7,
    "week": 7, "天": 1, "日": 1, "day": 1,
}  # fmt: skip


def _counted(match: re.Match[str], today: date) -> Span:
    unit = match.group(2).lower()
    per = next(days for name, days in _UNIT_DAYS.items() if unit.startswith(name))
    return _within(_count(match.group(1)) * per, today)


def _week(today: date, weeks: int) -> Span:
    monday = today - timedelta(days=today.weekday()) + timedelta(weeks=weeks)
    return monday, monday + timedelta(days=6)


_WEEKDAYS: Final = "一二三四五六日"
_WEEKDAY_NAMES: Final = (
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
)  # fmt: skip


def _weekday(match: re.Match[str], today: date) -> Span:
    """A day of this or the next calendar week; the coming one if neither is named."""
    word, name = (match.group(1) or "").lower(), match.group(2).lower()
    place = (
        _WEEKDAY_NAMES.index(name) if name.isascii() else _WEEKDAYS.index(name.replace("天", "日"))
    )
    monday = _week(today, 1 if word in {"下", "下个", "下個", "next"} else 0)[0]
    day = monday + timedelta(days=place)
    if not word or word.isascii():  # "Friday" is never one that is over
        day += timedelta(weeks=day < today)
    return day, day


def _weekend(match: re.Match[str], today: date) -> Span:
    word = (match.group(1) or match.group(2) or "").lower().strip()
    sunday = _week(today, 1 if word in {"下", "下个", "下個", "next"} else 0)[1]
    return sunday - timedelta(days=1), sunday


def _numbered_month(match: re.Match[str], today: date) -> Span:
    month = _count(match.group(2))
    if not 1 <= month <= 12:
        return date.min, date.min
    if match.group(1):
        return _month(_year_shift(match, today), month)
    return _next_month_named(month, today)


def _named_month(match: re.Match[str], today: date) -> Span:
    return _next_month_named(_MONTH_NAMES.index(match.group(1).lower()) + 1, today)


_SEASON_MONTHS: Final = {"春": (2, 4), "夏": (5, 7), "秋": (8, 10), "冬": (11, 13)}


def _season(match: re.Match[str], today: date) -> Span:
    first, last = _SEASON_MONTHS[match.group(2)]
    year = _year_shift(match, today)
    span = _month(year, first)[0], _month(year, last)[1]
    if span[1] < today:
        span = _month(year + 1, first)[0], _month(year + 1, last)[1]
    return span


def _safe_year(match: re.Match[str], _today: date) -> Span:
    return _year(int(match.group(1)))


Build = Callable[[re.Match[str], date], Span]
_YEAR: Final = r"(今年|明年|来年|來年|后年|後年|this year'?s?|next year'?s?)?的?"
_PERIODS: Final[tuple[tuple[re.Pattern[str], Build], ...]] = tuple(
    (re.compile(pattern, re.IGNORECASE), build)
    for pattern, build in (
        (rf"{_YEAR}(上半年|下半年|前半年|后半年|後半年)", _named_half),
        (r"()((?:first|second) half)(?: of the year)?", _named_half),
        (rf"{_YEAR}([春夏秋冬])(?:天|季)", _season),
        (rf"(今年|明年|来年|來年|后年|後年)?{_MONTH}月(?:份|初|底|中)?(?!以|内|內|后|後)",
         _numbered_month),
        (rf"\b(?:in|by|until|this|next) ({'|'.join(_MONTH_NAMES)})\b", _named_month),
        (r"((?:19|20|21)\d\d)年?", _safe_year),
        (rf"{_NUMBER}\s*(?:个|個)?(年|月|周|週|星期|礼拜|禮拜|天|日)"
         r"(?:之?内|之?內|以内|以內|里|裡|间|間)", _counted),
        (r"年底|年前|年内|年內|end of (?:the|this) year", lambda _, day: (day, _year(day.year)[1])),
        (r"(今年|明年|来年|來年|后年|後年|this year|next year|the coming year)",
         lambda match, day: _year(_year_shift(match, day))),
        (r"下个月|下個月|下月|next month", lambda _, day: _month(day.year, day.month + 1)),
        (
            r"这个月|這個月|本月|当月|當月|月底|"
            r"this month", lambda _, day: _month(day.year, day.month)),
        (r"(?<![上下每])(下个|下個|[下这這本])?(?:周末|週末)(?![之以]?前)|"
         r"(?<!last )(?<!past )(?<!every )\b(next )?weekend", _weekend),
        (r"(?<![上下每一二两兩三四五六七八九十几幾\d])(下个|下個|[下这這本])?"
         r"(?:周|週|星期|礼拜|禮拜)([一二三四五六日天])(?!年|定|[之以]?前|[丢丟掉])", _weekday),
        (rf"\b(?:(next|this|on) )({'|'.join(_WEEKDAY_NAMES)})\b", _weekday),
        (r"(?<!下)下周|(?<!下)下週|下星期|下礼拜|下禮拜|next week", lambda _, day: _week(day, 1)),
        (r"这周|這週|本周|本週|这星期|這星期|this week", lambda _, day: _week(day, 0)),
        (r"后天|後天|day after tomorrow", lambda _, day: (day + timedelta(2), day + timedelta(2))),
        (r"明天|明日|明早|明晚|tomorrow", lambda _, day: (day + timedelta(1), day + timedelta(1))),
        (r"今天|今日|今晚|today|tonight", lambda _, day: (day, day)),
        (r"半年|six months|half a year", lambda _, day: _within(183, day)),
        (r"(?:in|within)(?: the)?(?: next)? (\d{1,2}) (year|month|week|day)s?", _counted),
    )
)  # fmt: skip
