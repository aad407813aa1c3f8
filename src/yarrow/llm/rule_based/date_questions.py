"""Questions for dates: which day, how many days between two."""

import re
from typing import Final

from msgspec import Struct

from yarrow.language.number_words import write_digits
from yarrow.llm.rule_based.patterns import compile_any, has_unread
from yarrow.llm.rule_based.time_questions import CLOCK, EDGES, ELLIPSIS, OTHER_DAY


class DateIntent(Struct, frozen=True):
    """A day counted from `date` (today if empty), or the days from it `until` another one.

    Days are written as the tool `calendar_date` takes them.
    """

    date: str = ""
    days: int = 0
    until: str = ""
    is_past: bool = False
    """A day without a year is the last such one, not the next."""
    lunar: bool = False
    months: int = 0
    year: str = ""
    """`last`, `this` or `next`, for a day without a year."""
    weekday: str = ""
    """The next such weekday, or that of the `last`, `this` or `next` `week`."""
    week: str = ""
    is_age: bool = False
    """`until` is a day of birth."""
    in_weeks: bool = False
    is_when: bool = False
    """The day `until` itself is asked for."""


class WeekdayIntent(Struct, frozen=True):
    """ "Next Friday" or "last Friday": in this week or in the next or last one."""

    weekday: str
    is_past: bool


_HOLIDAYS: Final = {
    r"christmas(?! eve)(?: day)?|圣诞(?!节?前?夜)节?|聖誕(?!節?前?夜)節?": "12-25",
    r"new year(?!(?:'?s)? eve)(?:'?s)?(?: day)?|元旦|新年": "01-01",
    r"国庆节?|國慶節?": "10-01",
    r"劳动节|勞動節": "05-01",
    r"情人节|情人節|valentine'?s(?: day)?": "02-14",
    r"halloween|万圣节": "10-31",
    r"(?:chinese|lunar) new year(?!(?:'?s)? eve)(?:'?s)?(?: day)?|spring festival": "lunar-new-year",
    r"春节|春節|过年|過年|农历新年|農曆新年": "lunar-new-year",
}
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_RELATIVE: Final = {
    r"大后天|大後天": 3,
    r"大前天": -3,
    r"the day after tomorrow|后天|後天": 2,
    r"the day before yesterday|前天": -2,
    r"tomorrow|明天|明日": 1,
    r"yesterday|昨天|昨日": -1,
    r"today|今天|今日": 0,
}
_UNIT_DAYS: Final = {"d": 1, "w": 7, "天": 1, "日": 1, "周": 7, "週": 7, "星": 7}
_LATER: Final = compile_any(
    r"\bin (?P<a>\d+) (?P<au>days?|weeks?)\b",
    r"\b(?P<b>\d+) (?P<bu>days?|weeks?) (?:from (?:now|today)|later)\b",
    r"(?P<c>\d+)\s*(?:个|個)?(?P<cu>天|日|周|週|星期)(?:以|之)?[后後]",
)
_EARLIER: Final = compile_any(
    r"\b(?P<a>\d+) (?P<au>days?|weeks?) ago\b",
    r"(?P<b>\d+)\s*(?:个|個)?(?P<bu>天|日|周|週|星期)(?:以|之)?前",
)
_NAMED_DAY = r"(?:day after tomorrow|day before yesterday|tomorrow|yesterday)"
ASKS_DATE: Final = compile_any(
    r"\bwhat(?:'s| is| was| will be)?\b.{0,24}\b(?:day|date|weekday)\b",
    r"\b(?:which|what) (?:day|weekday|date)\b",
    rf"^\W*(?:(?:please |(?:can|could) you )?(?:tell|give|show) me |do you know |whats )?(?:the )?"
    rf"(?:{_NAMED_DAY}['’]?s date|date (?:of |for |on )?(?:the )?{_NAMED_DAY})(?: please)?\W*$",
    r"(?:星期|周|週|礼拜|禮拜)[几幾]|[几幾]月?[几幾]?[号號日]|什么日子|哪[一1]?天|农历|農曆|阴历|陰曆",
)
_COUNTS_DAYS: Final = compile_any(
    r"\bhow many days\b.{0,12}\b(?:until|till|to|between|from|before|since)\b",
    r"\bhow long\b.{0,12}\b(?:until|till|before|since)\b",
    r"\bdays? (?:until|till|between|to|from|left until|since)\b|\bcountdown to\b",
    r"(?:距离|距離|离|離|到).{1,16}(?:还有|還有|有|还剩|還剩|是|相差|差)(?:多少|[几幾])[天日]",
    r"[日号號](?:到|至).{1,16}[日号號]1?共?(?:多少|[几幾])天",
    r"(?:相差|间隔|間隔|过了|過了)(?:多少|[几幾])[天日]|(?:多少|[几幾])天.{0,4}到",
)
_LUNAR: Final = compile_any(r"农历|農曆|阴历|陰曆|\blunar date\b")


_PAST: Final = compile_any(
    r"\bsince\b|\bwas\b|\b(?:to|until|till|and) (?:today|now)\b|[过過][了去]|[到至]今"
)
_UNREAD: Final = compile_any(
    r"(?<!哪)\d(?![下共])|\b(?:this|every|each) \w+|\b(?:weeks|months|years)\b|今年|每年|本[周週月]"
)
"""Beside a day that was read: a year, an amount or a period that changes the question."""
_LUNAR_DAY: Final = re.compile(r"(?:农历|農曆|阴历|陰曆)的?\s*\d")


_MAY_BE_LUNAR: Final = re.compile(
    r"[一二三四五六七八九十]月初?[一二三四五六七八九十廿]+(?![日号號一二三四五六七八九十])"
)


def may_be_lunar(line: str) -> bool:
    """Whether a day is written as those of the lunar calendar are: 八月十五 without 日."""
    return bool(_MAY_BE_LUNAR.search(line))


_FILLERS: Final = compile_any(
    r"\b(?:what|what's|whats|which|is|was|will|be|are|were|it|the|a|an|of|on|for|does|do|did|fall|falls|days?|date|"
    r"weekday|week|how|many|long|until|till|to|between|and|from|before|since|left|remaining|remain|still|there|"
    r"countdown|please|pls|plz|tell|me|can|could|would|you|know|hi|hello|hey|ok|okay|so|now|exactly|thanks?|lunar|'s|s|i|we|my|"
    r"have|has|had|got|more|passed|gone|born|birthday|wedding|anniversary)\b",
    r"[几幾]月?[几幾]?[号號日天](?!线|線|楼|樓|口|车|車)|多少(?:[天日号號]|(?=[呢啊呀]*\W*$))|哪1?[天日]|(?:星期|周|週|礼拜|禮拜)[几幾]?|什么日子|农历|農曆|阴历|陰曆|日期|"
    r"请问|請問|告诉我?|告訴我?|知道|谢谢|謝謝|你好|您好|麻烦|麻煩|[1一]下|[1一]?共|来着|來着|距离|距離|相差|间隔|間隔|之间|之間|还有|還有|现在|現在|"
    r"[请請帮幫我你您查算看是的呢吗嗎啊呀吧了那从從和与與跟离離到至过過就还還剩差有今]",
)
"""Words of questions for dates; with others a question is for the weather, a price or a plan."""


def _has_unread(plain: str, asked: re.Pattern[str]) -> bool:
    """Whether a line has words besides days and those of asking for one."""
    for pattern in (DAY, _LATER, _EARLIER, *map(re.compile, _RELATIVE)):
        plain = pattern.sub(" ", plain)
    return has_unread(plain, _FILLERS, asked)


def read_date(line: str) -> DateIntent | None:
    """The date, weekday or number of days that a question asks for.

    None where the line names another day or year beside those that were read.
    """
    plain = write_digits(line.lower())
    if _LUNAR_DAY.search(plain) or may_be_lunar(line):
        return None
    if _COUNTS_DAYS.search(plain):
        return None if _has_unread(plain, _COUNTS_DAYS) else _read_day_count(plain)
    if not ASKS_DATE.search(plain) or CLOCK.search(plain) or _has_unread(plain, ASKS_DATE):
        return None
    is_lunar = bool(_LUNAR.search(plain))
    match find_days(plain):
        case [day] if day:
            is_past = not has_year(day) and bool(_PAST.search(plain))
            return None if _names_more(plain) else DateIntent(day, is_past=is_past, lunar=is_lunar)
        case [] | [""]:
            offset, rest = _find_offset(plain)
            is_asked = (
                (offset or is_lunar) and not _names_more(rest) and not _TODAY_TOO.search(rest)
            )
            return DateIntent(days=offset or 0, lunar=is_lunar) if is_asked else None
        case _:
            return None


_TODAY_TOO: Final = compile_any(
    r"\band today\b|(?:和|与|與|跟|、)(?:今天|今日)|(?:今天|今日)(?:和|与|與|跟|、)"
)
_NO_SPAN: Final = compile_any(
    r"\b(?:until|till)\b.*\bfrom\b",
    r"^(?!.*\b(?:between|from|since)\b).*\b(?:until|till|to)\b.*\band\b",
)
"""The end stands before the start, or two ends are named."""


def _read_day_count(plain: str) -> DateIntent | None:
    """The two days of a question how many days lie between them; one may be today."""
    days = list(dict.fromkeys(day for day in find_days(plain) if day))
    if len(days) == 1 and not _names_more(plain.replace(" before ", " ")):
        is_past = not has_year(days[0]) and bool(_PAST.search(plain))
        return DateIntent(until=days[0], is_past=is_past)
    is_span = not (_NO_SPAN.search(plain) or re.search(r"\bsince\b", plain))
    if len(days) != 2 or _names_more(plain) or not is_span:
        return None
    start, end = days
    return DateIntent(start, until=end) if has_year(start) or not has_year(end) else None


_CONDITION: Final = compile_any(
    r"^\W*(?:(?:and|but|so|then)\W+)?(?:if|when|whenever|once|while|during|after|before|until|till|since|as|at|in|on|by|"
    r"for|assuming|suppose|supposing|given|say)\b(?!.*\?)",
    r"^\W*(?:如果|若|要是|假如|假设|假設|当|當|等|每)(?!.*[?？])",
)


def names_moment(part: str) -> bool:
    """Whether a part of a message sets a time for the question beside it: then it is not for now."""
    plain = write_digits(part.lower())
    is_day = any(day for day in find_days(plain))
    return bool(is_day or any(each.search(plain) for each in (_CONDITION, CLOCK, OTHER_DAY)))


def has_year(day: str) -> bool:
    return bool(re.match(r"\d{4}-", day))


def _names_more(line: str) -> bool:
    """Whether the line names a day or a period besides the days that `find_days` finds."""
    rest = DAY.sub(" ", line)
    return bool(OTHER_DAY.search(rest) or _UNREAD.search(rest))


def continue_date(line: str) -> DateIntent | None:
    """A question that only names another day, after one for a date: "and tomorrow?", 那后天呢."""
    match = ELLIPSIS.match(line)
    rest = (match["a"] or match["b"] or match["c"] if match else line).strip(EDGES).lower()
    rest = write_digits(rest)
    if not rest:
        return None
    for pattern, days in _RELATIVE.items():
        if re.fullmatch(pattern, rest):
            return DateIntent(days=days)
    if not (_LATER.fullmatch(rest) or _EARLIER.fullmatch(rest)):
        return None
    offset, _ = _find_offset(rest)
    return None if offset is None else DateIntent(days=offset)


def _find_offset(line: str) -> tuple[int | None, str]:
    """Days from today, None if the line names no such day; and the line without it."""
    for pattern, sign in ((_LATER, 1), (_EARLIER, -1)):
        if match := pattern.search(line):
            values = [value for value in match.groups() if value]
            return sign * int(values[0]) * _UNIT_DAYS[values[1][0]], pattern.sub(" ", line, count=1)
    for words, days in _RELATIVE.items():
        if re.search(words, line):
            return days, re.sub(words, " ", line, count=1)
    return None, line


DAY: Final = re.compile(
    r"(?P<iso>\b\d{4}[-/.]\d{1,2}[-/.]\d{1,2}\b)"
    r"|(?:(?P<year>\d{4})年)?(?P<month>\d{1,2})月(?P<day>\d{1,2})[日号號]?"
    rf"|\b(?P<m1>{_MONTH}) (?P<d1>\d{{1,2}})(?:st|nd|rd|th)?(?:,? (?P<y1>\d{{4}}))?\b"
    rf"|\b(?P<d2>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?(?P<m2>{_MONTH})(?:,? (?P<y2>\d{{4}}))?\b"
    r"|(?P<today>\btoday\b|\bnow\b|今天)"
    + "".join(f"|(?P<h{at}>{pattern})" for at, pattern in enumerate(_HOLIDAYS))
)


def find_days(line: str) -> list[str]:
    """The days that a line names, as the tool takes them; today is empty."""
    return [_read_day(match) for match in DAY.finditer(line)]


def _read_day(match: re.Match[str]) -> str:
    if match["today"]:
        return ""
    if match["iso"]:
        year, month, day = re.split(r"[-/.]", match["iso"])
        return f"{year}-{int(month):02}-{int(day):02}"
    for at, written in enumerate(_HOLIDAYS.values()):
        if match[f"h{at}"]:
            return written
    if match["month"]:
        return _write_day(match["year"], int(match["month"]), match["day"])
    name = match["m1"] or match["m2"]
    month = MONTHS.index(name[:3]) + 1
    return _write_day(match["y1"] or match["y2"], month, match["d1"] or match["d2"])


def _write_day(year: str | None, month: int, day: str) -> str:
    return f"{year}-{month:02}-{int(day):02}" if year else f"{month:02}-{int(day):02}"
