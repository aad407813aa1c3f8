"""The period a question names ("今年", "下半年", "next month"), as civil dates.

A period bounds 应期: a time outside it is not offered as an answer.
"""

import re
from calendar import monthrange
from collections.abc import Callable
from datetime import date, timedelta
from typing import Final

from msgspec import Struct

from yarrow.language.script_folding import fold_question
from yarrow.liuyao.reading.festivals import NAMES, find_festival

_DIGITS: Final = {c: n for n, c in enumerate("零一二三四五六七八九十")} | {
    "两": 2, "几": 3, "半": 0, "one": 1, "two": 2, "three": 3, "four": 4,
    "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "twelve": 12, "few": 3,
    "couple of": 2,
}  # fmt: skip
_MONTH_NAMES: Final = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
_NUMBER: Final = r"(\d{1,3}|十[一二]|[一二两三四五六七八九十几])"
_MONTH: Final = r"(\d{1,2}|十[一二]|[一二三四五六七八九十])"
_DAY: Final = r"(\d{1,2}|二?十[一二三四五六七八九]?|三十一?|[一二三四五六七八九])"
_ENGLISH_NUMBER: Final = (
    r"(\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|twelve|few|couple of)"
)


class Period(Struct, frozen=True):
    """Civil days from `start` to `end`, both included; `text` is how the question names it."""

    start: date
    end: date
    text: str

    @property
    def days(self) -> int:
        return (self.end - self.start).days + 1


Span = tuple[date, date]


def find_period(question: str, today: date, *, within: Period | None = None) -> Period | None:
    """The first period that the question names, cut to what lies after `today`.

    A part of a year without the year ("上半年") is that of the year of `within`, the period of an
    earlier question, if it lies ahead. None when the question names no period, one that is over,
    one more than ten years ahead, or one only to say what has happened ("今天面试完了").
    """
    later = date(within.start.year, 1, 1) if within and within.start.year > today.year else today
    folded = fold_question(question)
    for pattern, build in _PERIODS:
        match = pattern.search(folded)
        if match is None or _bounds_nothing(folded, match):
            continue
        is_part = _PART_OF_YEAR.search(match[0]) and not _NAMES_YEAR.search(match[0])
        span = build(match, later if is_part else today)
        start, end, (first, last) = _apply_deadline(match, span)
        if end < today or span[0].year > today.year + _FARTHEST_YEARS:
            continue
        return Period(max(start, today), end, question[first:last])
    return None


_FARTHEST_YEARS: Final = 10
_NAMES_YEAR: Final = re.compile(r"[今明来]年|后年(?!度)|\d{4}|this year|next year", re.IGNORECASE)
_PART_OF_YEAR: Final = re.compile(
    r"[上下前后]半年|(?<![这本当下个])月|[春夏秋冬]|年底|half|end of the year"
    r"|spring|summer|autumn|fall|winter"
    rf"|{'|'.join(_MONTH_NAMES)}|{NAMES}",
    re.IGNORECASE,
)
# 今天面试完了, 今天丢了钥匙, 周一面试过了, 离婚半年了: the time of what has happened.
_DONE: Final = re.compile(
    r"(?:(?![能会要可想该准应])[^，,。；;？?！!\s]){0,8}?"
    r"(?:[完过](?=了|$|[，,。])(?!了?[吗嘛么没])"
    r"|(?<![为除])了(?![吗嘛么没解])|丢)"
)
# 周日看的房子, 今天投的简历: the time of what only describes a thing.
_DESCRIBES: Final = re.compile(
    r"(?:[刚才去新在])?(?:[看见买说谈投签丢掉约订拍借寄交选定]|面试|认识"
    r"|遇|下单|相亲)(?:[过到见中好上])?的(?!话|时[候间])"
)
_PAST_EN: Final = (
    r"\b(?:i|we|he|she|they|my \w+) (?:just |already |have |has |'ve )*"
    r"(?:\w{2,}ed|lost|had|got|went|met|took|left|saw|did|was|were|came|gave|bought|sold|broke"
    r"|sent)\b"
)
_DONE_EN: Final = re.compile(_PAST_EN, re.IGNORECASE)
_DONE_BEFORE_EN: Final = re.compile(rf"{_PAST_EN}(?: \w+){{0,3}} ?$", re.IGNORECASE)
_ASKS_EN: Final = re.compile(
    r"\b(?:will|shall|can|could|would|should|do|does|is|are|am|if|when|whether)\b", re.IGNORECASE
)
_COMING: Final = re.compile(
    r"[明后下来]|next|tomorrow|the coming|day after|in |within|by |before", re.IGNORECASE
)
_SENTENCE_ENDS: Final = ".?!;,。？！；，"


def _bounds_nothing(question: str, match: re.Match[str]) -> bool:
    """Whether the words of a time only say when something happened, or which thing is meant."""
    if _DESCRIBES.match(question, match.end()):
        return True
    if _COMING.match(match[0]):
        return False
    if not match[0].isascii():
        return _DONE.match(question, match.end()) is not None
    before = max(question.rfind(end, 0, match.start()) for end in _SENTENCE_ENDS) + 1
    ends = [question.find(end, match.end()) for end in _SENTENCE_ENDS]
    after = min((place for place in ends if place >= 0), default=len(question))
    sentence, lead = question[before:after], question[before : match.start()]
    is_told = _DONE_EN.search(sentence) is not None and _ASKS_EN.search(sentence) is None
    return is_told or _DONE_BEFORE_EN.search(lead) is not None


_DEADLINE: Final = re.compile(
    r"\b(?:(before|ahead of)|by|until|till|no later than) (?:the )?(?:end of )?", re.IGNORECASE
)
_EARLIER: Final = re.compile(r"[之以]前|前(?![一二三四五六七八九十两几半期后后面\d])")
_TO_ITS_END: Final = re.compile(r"底|内|里|end of", re.IGNORECASE)


def _apply_deadline(match: re.Match[str], span: Span) -> tuple[date, date, tuple[int, int]]:
    """The period and where its text is; of a deadline ("三月之前", "by Friday") the time up to it.

    What comes before a time ends with the day before it, what is due by it with its last day.
    """
    start, end = span
    question, first, last = match.string, match.start(), match.end()
    prefixes = _DEADLINE.finditer(question, 0, last)
    prefix = next((each for each in prefixes if first in {each.start(), each.end()}), None)
    suffix = _EARLIER.match(question, last)
    if prefix is None and suffix is None:
        return start, end, (first, last)
    first, last = prefix.start() if prefix else first, suffix.end() if suffix else last
    is_before = suffix is not None or (prefix is not None and prefix[1] is not None)
    if is_before and not _TO_ITS_END.search(question[first:last]) and start > date.min:
        end = start - timedelta(days=1)
    return date.min, end, (first, last)


def _span_year(number: int) -> Span:
    return date(number, 1, 1), date(number, 12, 31)


def _span_half_year(number: int, *, second: bool) -> Span:
    return (
        (date(number, 7, 1), date(number, 12, 31))
        if second
        else (date(number, 1, 1), date(number, 6, 30))
    )


def _span_month(number: int, month: int) -> Span:
    years, place = divmod(month - 1, 12)
    first = date(number + years, place + 1, 1)
    return first, first.replace(day=monthrange(first.year, first.month)[1])


def _find_next_month(month: int, today: date) -> Span:
    return _span_month(today.year + (1 if month < today.month else 0), month)


def _read_year(match: re.Match[str], today: date) -> int:
    word = match.group(1) or ""
    if word[:4].isdigit():
        return int(word[:4])
    if re.match(r"明|来|next|coming", word, re.IGNORECASE):
        return today.year + 1
    return today.year + 2 if word.startswith("后") else today.year


def _read_half_year(match: re.Match[str], today: date) -> Span:
    second = match.group(2)[0] in "下后" or "second" in match.group(2).lower()
    span = _span_half_year(_read_year(match, today), second=second)
    # "上半年" asked in autumn is the coming one.
    return span if span[1] >= today else _span_half_year(today.year + 1, second=second)


def _span_days(days: int, today: date) -> Span:
    return today, min(today + timedelta(days=days), date(2101, 12, 31))


def _parse_count(text: str) -> int:
    if text.isdigit():
        return int(text)
    tens, ten, units = text.partition("十")
    if not ten:
        return _DIGITS[text.lower()]
    return (_DIGITS[tens] if tens else 1) * 10 + (_DIGITS[units] if units else 0)


_UNIT_DAYS: Final = {
    "年": 365, "year": 365, "月": 30, "month": 30, "周": 7, "星": 7, "礼": 7,
    "week": 7, "天": 1, "日": 1, "day": 1,
}  # fmt: skip


def _read_counted_units(match: re.Match[str], today: date) -> Span:
    unit = match.group(2).lower()
    per = next(days for name, days in _UNIT_DAYS.items() if unit.startswith(name))
    return _span_days(_parse_count(match.group(1)) * per, today)


def _find_week(today: date, weeks: int) -> Span:
    monday = today - timedelta(days=today.weekday()) + timedelta(weeks=weeks)
    return monday, monday + timedelta(days=6)


_WEEKDAYS: Final = "一二三四五六日"
_WEEKDAY_NAMES: Final = (
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
)  # fmt: skip


def _read_weekday(match: re.Match[str], today: date) -> Span:
    """A day of this or the next calendar week; the coming one if neither is named."""
    word, name = (match.group(1) or "").lower(), match.group(2).lower()
    place = (
        _WEEKDAY_NAMES.index(name) if name.isascii() else _WEEKDAYS.index(name.replace("天", "日"))
    )
    monday = _find_week(today, 1 if word in {"下", "下个", "next"} else 0)[0]
    day = monday + timedelta(days=place)
    if not word or word.isascii():  # "Friday" is never one that is over
        day += timedelta(weeks=day < today)
    return day, day


def _read_weekend(match: re.Match[str], today: date) -> Span:
    word = (match.group(1) or match.group(2) or "").lower().strip()
    sunday = _find_week(today, 1 if word in {"下", "下个", "next"} else 0)[1]
    return sunday - timedelta(days=1), sunday


def _read_numbered_month(match: re.Match[str], today: date) -> Span:
    month = _parse_count(match.group(2))
    if not 1 <= month <= 12:
        return date.min, date.min
    if match.group(1):
        return _span_month(_read_year(match, today), month)
    return _find_next_month(month, today)


def _read_date(match: re.Match[str], today: date) -> Span:
    """A day of a month, the coming one if no year is named: 6月7日, June 7th."""
    if match["name"]:
        month, day = _MONTH_NAMES.index(match["name"].lower()) + 1, int(match["number"])
    else:
        month, day = _parse_count(match[2]), _parse_count(match[3])
    year = _read_year(match, today)
    if not (1 <= month <= 12 and 1 <= day <= monthrange(year, month)[1]):
        return date.min, date.min
    coming = date(year, month, day)
    if coming < today and not match[1]:
        coming = date(year + 1, month, min(day, monthrange(year + 1, month)[1]))
    return coming, coming


def _read_summer_holidays(match: re.Match[str], today: date) -> Span:
    year = _read_year(match, today)
    year += not match[1] and today > date(year, 8, 31)
    return date(year, 7, 1), date(year, 8, 31)


def _read_named_month(match: re.Match[str], today: date) -> Span:
    if match.group(2):
        return _span_month(int(match.group(2)), _MONTH_NAMES.index(match.group(1).lower()) + 1)
    return _find_next_month(_MONTH_NAMES.index(match.group(1).lower()) + 1, today)


_SEASON_MONTHS: Final = {"春": (2, 4), "夏": (5, 7), "秋": (8, 10), "冬": (11, 13)}


def _read_season(match: re.Match[str], today: date) -> Span:
    first, last = _SEASON_MONTHS[match.group(2)]
    year = _read_year(match, today)
    span = _span_month(year, first)[0], _span_month(year, last)[1]
    if span[1] < today:
        span = _span_month(year + 1, first)[0], _span_month(year + 1, last)[1]
    return span


_ENGLISH_SEASONS: Final = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}


def _read_english_season(match: re.Match[str], today: date) -> Span:
    """The running season or the coming one; "next" is one that has not begun."""
    first = _ENGLISH_SEASONS[match.group(2).lower()]
    spans = [(_span_month(year, first)[0], _span_month(year, first + 2)[1])
             for year in (today.year - 1, today.year, today.year + 1)]  # fmt: skip
    is_next = match.group(1).lower() == "next"
    return next(span for span in spans if (span[0] > today if is_next else span[1] >= today))


# 去年国庆, 2024年春节, 每年过年: one that is over, or no single one.
_NOT_COMING: Final = re.compile(
    r"(?:[去前那每往历当几\d零〇一二三四五六七八九十]年|年前|\d|[上那每][个次回逢到]|"
    r"自从)的?$"
)
# "at Christmas", but not "since Christmas" or "Christmas gifts".
_TIME_WORD: Final = re.compile(
    r"\b(?:on|at|by|before|until|till|over|during|for|this|next|coming) (?:the )?$", re.IGNORECASE
)
# 春节后, 国庆认识的人, Christmas last year.
_NOT_AT_FESTIVAL: Final = (
    r"(?!(?:期间)?+(?:\w{0,5}(?:后|以来|[到至][现今])"
    r"|\w{1,2}(?<![我你您他她们])的)| (?:of |in )?(?:last year|\d{4}))"
)


def _read_festival(match: re.Match[str], today: date) -> Span:
    """The coming festival; nothing where the question may mean one that is over."""
    before = match.string[: match.start()]
    needs_word = match.group(2).isascii() and not match.group(1)
    if _NOT_COMING.search(before) or (needs_word and not _TIME_WORD.search(before)):
        return date.min, date.min
    year = _read_year(match, today) if match.group(1) else None
    return find_festival(match.group(2), today, year=year)


def _read_numbered_year(match: re.Match[str], _today: date) -> Span:
    return _span_year(int(match.group(1) or match.group(2) or match.group(3)))


# "this may change my life" names no month, "in 2050 dollars" no year.
_NO_VERB: Final = r"(?!(?<=this may) +(?!in\b|at\b|on\b|or\b|and\b|when\b|if\b|will\b|20)[a-z])"
_NO_UNIT: Final = r"(?!\s*(?:[%$€£元块]|dollars?|euros?|pounds?|yuan|rmb|usd|eur|people|km|steps))"

Build = Callable[[re.Match[str], date], Span]
_YEARS: Final = r"今年|明年|来年|后年|20\d\d年|this year'?s?|next year'?s?"
_YEAR: Final = rf"({_YEARS})?的?"
_PERIODS: Final[tuple[tuple[re.Pattern[str], Build], ...]] = tuple(
    (re.compile(pattern, re.IGNORECASE), build)
    for pattern, build in (
        (rf"{_YEAR}(上半年|下半年|前半年|后半年)", _read_half_year),
        (r"()((?:first|second) half)(?: of the year)?", _read_half_year),
        (rf"(?:({_YEARS})的? ?)?({NAMES})节?+(?:长?假期?)?+{_NOT_AT_FESTIVAL}", _read_festival),
        (rf"{_YEAR}([春夏秋冬])(?:天|季)", _read_season),
        (r"\b(this|next|the coming|in|in the|by|before|until|during the|over the) (spring|summer|"
         r"autumn|fall|winter)\b",
         _read_english_season),
        (rf"{_YEAR}{_MONTH}月{_DAY}[日号](?!(?<=日)子)|\b(?P<name>{'|'.join(_MONTH_NAMES)}) "
         r"(?P<number>\d{1,2})(?:st|nd|rd|th)?\b(?! ?\d)", _read_date),
        (rf"(?:({_YEARS})的?)?(?:暑假|暑期)", _read_summer_holidays),
        (rf"(今年|明年|来年|后年|20\d\d年)?{_MONTH}月(?:份|初|底|中)?(?!以|内|后)",
         _read_numbered_month),
        (rf"\b(?:(?:in|by|until|till|before|this|next) |(?<=end of ))({'|'.join(_MONTH_NAMES)})\b"
         rf"{_NO_VERB}(?:,? (20\d\d)\b)?", _read_named_month),
        (r"(?<!\d)((?:19|20|21)\d\d)年|\b(?:in|by|until|till|before|during|for) "
         rf"((?:19|20|21)\d\d)\b{_NO_UNIT}|(?:^|(?<=^那)|(?<=^and )|(?<=^what about )"
         r"|(?<=^how about ))((?:19|20|21)\d\d)(?=呢?\W*$)", _read_numbered_year),
        (rf"{_NUMBER}\s*个?(年|月|周|星期|礼拜|天|日)"
         r"(?:之?内|以内|里|间)", _read_counted_units),
        (r"(?:未来|接下来|今后|往后"
         r"|(?=(?:最近|[近这])[^会能运财，,。]{2,7}[会能运财])(?:最近|[近这]))"
         rf"的?{_NUMBER}\s*个?(年|月|周|星期|礼拜|天|日)", _read_counted_units),
        (r"今明两年", lambda _, day: (day, _span_year(day.year + 1)[1])),
        (r"年底|"
         r"(?<![今明后来去前一二两三四五六七八九十几\d])年前(?![一二两三四五六七八九十几\d])"
         r"|(?<!半)年内|end of (?:the|this) year", lambda _, day: (day, _span_year(day.year)[1])),
        (r"(今年|明年|来年|后年|this year|next year|the coming year)",
         lambda match, day: _span_year(_read_year(match, day))),
        (r"下个月|下月|next month", lambda _, day: _span_month(day.year, day.month + 1)),
        (
            r"这个月|本月|当月|月底|"
            r"this month", lambda _, day: _span_month(day.year, day.month)),
        (r"(?<![上下每])(下个|[下这本])?周末|"
         r"(?<!last )(?<!past )(?<!every )\b(next )?weekend", _read_weekend),
        (r"(?<![上下每一二两三四五六七八九十几\d])(下个|[下这本])?"
         r"(?:周|星期|礼拜)([一二三四五六日天])(?!年|定|[丢掉])", _read_weekday),
        (rf"\b(?:(next|this|on|by|before|until) )({'|'.join(_WEEKDAY_NAMES)})\b", _read_weekday),
        (rf"(?:^|(?<=^and )|(?<=^what about )|(?<=^how about ))()({'|'.join(_WEEKDAY_NAMES)})"
         r"(?=\W*$)", _read_weekday),
        (r"(?<!下)下周|下星期|下礼拜|next week", lambda _, day: _find_week(day, 1)),
        (r"这周|本周|这星期|this week", lambda _, day: _find_week(day, 0)),
        (r"大后天", lambda _, day: (day + timedelta(3), day + timedelta(3))),
        (r"后天|day after tomorrow", lambda _, day: (day + timedelta(2), day + timedelta(2))),
        (r"明天|明日|明早|明晚|听日|tomorrow",
         lambda _, day: (day + timedelta(1), day + timedelta(1))),
        (r"今天|今日|今晚|today|tonight", lambda _, day: (day, day)),
        (r"(?<![上下前后])半年(?!了|前|[以之]前)|six months|half a year",
         lambda _, day: _span_days(183, day)),
        (r"(?:\b(?:in|within)(?: the)?(?: next)?|\b(?:the|my) next)(?: a)? "
         rf"{_ENGLISH_NUMBER} (year|month|week|day)s?\b(?! ago)", _read_counted_units),
    )
)  # fmt: skip
