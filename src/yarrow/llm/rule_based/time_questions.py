"""Questions for the time and the date: which place, which day, how many days between two."""

import re
from typing import Final

from msgspec import Struct

from yarrow.language.number_words import write_digits
from yarrow.llm.rule_based.patterns import compile_any, has_unread
from yarrow.llm.rule_based.places import PlaceZone, find_places, remove_accents, remove_places


class TimeIntent(Struct, frozen=True):
    """The time now, of the user or at these places; `unknown` is a place without a zone."""

    places: tuple[PlaceZone, ...] = ()
    unknown: str = ""


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


EDGES: Final = " \t,，。.?？!！:：;；、\"'“”‘’「」《》"


_END = (
    r"(?=(?: today| now| right now| currently)*(?:,? please)?(?:[?.!,;\s]*$|[?.!,;]| and\b)"
    r"|(?: today| now| right now)* (?:in|at)\b)"
)
_TIME: Final = compile_any(
    r"\bwhat(?:'s|s| is)? (?:the )?(?:current |local |exact )?time(?: is it)?(?: now| here| there)?"
    r"(?:,? please)?(?=[?.!, ]*$| in\b| at\b| on\b)",
    r"\bwhat time (?:is it|it is)\b",
    r"\btime (?:is it |now )?(?:right now )?in [^\W\d]",
    r"\b(?:current|local) time\b",
    r"\btell me the time\b|^\W*(?:the )?time\W*$|^\W*(?:utc|gmt)(?: time)?(?: now)?\W*$",
    r"\btime difference\b|\bhours?\b.{0,24}\b(?:ahead|behind)\b|\bahead of\b.*\bhours?\b",
    r"(?:差|相差|早|晚|快|慢)(?:多少|[几幾])[个個]?(?:小时|小時|钟头)",
    rf"\bwhat(?:'s| is) (?:the date|today'?s date){_END}",
    rf"\bwhat (?:day|date|year|month)(?: of the week)? is (?:it|today){_END}",
    rf"\bwhich day is (?:it|today){_END}",
    r"[几幾][点點](?:[了钟鐘?？。!！ ]|$)",
    r"(?:现在|現在|当前|當前|此刻|目前).{0,12}(?:(?:时间|時間)(?!戳)|[几幾][点點])",
    r"(?:时间|時間)(?:是多少|是什么|是什麼)",
    r"今天.{0,4}(?:[几幾]号|[几幾]號|星期[几幾]|周[几幾]|週[几幾]|礼拜[几幾]|禮拜[几幾]|[几幾]月)",
    r"^\W*(?:星期|周|週|礼拜|禮拜)[几幾][了啊呀呢]?\W*$",
    r"今天的?日期|时差|時差|今年是?(?:哪一?年|什么年份|几几年)",
)
_DIFFERENCE: Final = compile_any(
    r"\btime difference\b|\bhours?\b.{0,24}\b(?:ahead|behind)\b|时差|時差",
    r"(?:差|相差|早|晚|快|慢)(?:多少|[几幾])[个個]?(?:小时|小時|钟头)",
)
CLOCK: Final = re.compile(
    r"\b\d{1,2}(?::\d{2})? ?(?:am|pm|a\.m|p\.m|o'clock)\b|\b\d{1,2}:\d{2}\b|\d[点點时時]"
    r"|\bnoon\b|\bmidnight\b|[早晚]上[零一二三四五六七八九十两\d]+[点點]",
    re.IGNORECASE,
)
"""A time of the day: the question is about that one, not about now."""
_OTHER_DAY: Final = compile_any(
    r"\b(?:next|last|previous|coming|ago|later|from now|before|after|eve|tomorrow|yesterday)\b",
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b",
    r"\b(?:in|within) (?:[\w-]+ ){1,3}(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?)\b",
    r"\b(?:in|within) (?:a|\d+) (?:fortnight|decade|centur)",
    r"[去前明后後]年|[上下前后後]1?[个個]?(?:月|周|週|星期|礼拜|禮拜)|[明昨后後前]天|[明昨]日",
    r"[天日周週月年期拜时時钟鐘][以之]?[后後前]|[以之][后後前]",
)
"""A day or time other than now, in a line with its numbers in digits."""
_PLACE_ASKED: Final = re.compile(
    r"\b(?:time|day|date|month|year) (?:is it |it is |now )?(?:right now )?(?:in|at|on) (?:the )?"
    r"([^\W\d_][\w .'-]{1,40})",
    re.IGNORECASE,
)
_PLACE_ASKED_CHINESE: Final = re.compile(
    r"([\u3400-\u9fff]{2,10}?)(?:那边|那邊|那里|那裡|当地|當地)?的?(?:现在|現在|当前|當前|此刻|目前)?的?"
    r"(?:是|时间|時間)?(?:[几幾][点點]|时间|時間)"
)
_NO_PLACE: Final = re.compile(
    r"谢谢|謝謝|多谢|多謝|请问|請問|麻烦|麻煩|告诉我|告訴我|帮我|幫我|查一?下?|看一?下?|今天|现在|現在|当前|當前|此刻|目前|"
    r"这里|這裡|这边|這邊|我们|我們|你们|我|你|您|好|的|了|在|都|是|几点|幾點|本地|当地|當地|北京时间|是多少|"
    r"此时|此時|这会儿|知道|说|說|一下|和|与|與|跟|到底|啊|呀|那|么|麼|用|英文|中文|英语|回答"
)
_HERE: Final = frozenset(
    ("here", "my timezone", "my time zone", "moment", "my city", "my place", "my location")
)
_OF_WORDS: Final = compile_any(
    r"\b(?:what|what's|is|it|the|time|now|right|current|local|please|in|at|of|and|tell|me|for)\b",
    r"现在|現在|时间|時間|几点|幾點|的|[了钟鐘]",
)
_OUTSIDE: Final = re.compile(r"^\W*,\s*([A-Z][\w .]{2,30}?)(?:[?.!,]|$)")


def read_time(line: str) -> TimeIntent | None:
    """The place whose time is asked for now; None for other questions and other times."""
    places = tuple(find_places(line))
    is_bare = places and re.search(r"\btime\b|时间|時間", line) and not _rest(line)
    if not (_TIME.search(line) or is_bare) or CLOCK.search(line):
        return None
    if _OTHER_DAY.search(write_digits(line.lower())):
        return None
    if len(places) != 2 and _DIFFERENCE.search(line):
        return None
    intent = _find_asked_places(line, places)
    is_read = intent.unknown or not has_unread(remove_places(line), _FILLERS, _TIME)
    return intent if is_read else None


def _find_asked_places(line: str, places: tuple[PlaceZone, ...]) -> TimeIntent:
    asked = _PLACE_ASKED.search(line)
    if places:
        return TimeIntent(places, _find_other_place(line, places))
    if asked is not None:
        unknown = asked[1].strip(EDGES)
        return TimeIntent((), "" if unknown.lower() in _HERE else unknown)
    return TimeIntent((), _find_chinese_place(line))


_FILLERS: Final = compile_any(
    r"\b(?:what|what's|whats|what is|wat|is|are|the|time|it|now|here|there|right|currently|current|local|exact|please|"
    r"pls|plz|tell|give|show|me|my|can|could|would|will|you|u|i|i'm|we|know|to|in|at|of|and|on|for|a|an|rn|dates?|days?|"
    r"today|today's|months?|years?|week|hey|hi|hello|ok|okay|so|just|also|do|does|differences?|between|how|many|"
    r"hours?|ahead|behind|utc|gmt|thanks?|over|city|moment|want|like|need|friend|buddy|sir|quickly|asap|kindly|inform|exactly|really|actually|both|vs|versus|"
    r"from|with|compared|which|then|too|still|be|yarrow|timezone|place|location|'s|s)\b",
    r"现在|現在|当前|當前|此刻|目前|此时|此時|这会儿|這會兒|时间|時間|时差|時差|时候|時候|小时|小時|钟头|鐘頭|日期|今天|今年|今日|年份|星期|礼拜|禮拜|"
    r"什么|什麼|多少|告诉|告訴|知道|谢谢|謝謝|多谢|多謝|你好|您好|麻烦|麻煩|一下|那边|那邊|那里|那裡|这里|這裡|这边|這邊|当地|當地|本地|到底|可以|"
    r"准确|準確|具体|具體|分别|分別|英文|中文|英语|英語|回答|大概|来着|來着|哥们|哥們|兄弟|朋友|老板|大哥|大家|帅哥|美女|查询|查詢|确切|確切|"
    r"[几幾点點钟鐘了是号號周週月日年请請问問您你我们們帮幫忙看查想吗嗎呢啊呀吧啦哈亲的和与與跟同差相早晚快慢个個比在哪说說给給能那这這么麼都分秒报報为為用一二两兩下儿兒是不有也嘛呗現现时時间間得]",
)
"""Words of questions for the time; with others a question asks for something else, such as when
the sun sets."""


def continue_time(line: str) -> TimeIntent | None:
    """A question that only names another place, after one for the time: "and in London?", 那上海呢."""
    match = _ELLIPSIS.match(line)
    rest = match["a"] or match["b"] or match["c"] if match else line
    rest = rest.strip(EDGES)
    places = tuple(find_places(rest))
    if places and not _rest(rest):
        return TimeIntent(places)
    is_place = _NAMES_PLACE.match(line) and 0 < len(rest.split()) <= 3 and len(rest) <= 24
    return TimeIntent((), rest) if is_place and not _NO_NAME.search(rest) else None


_ELLIPSIS: Final = re.compile(
    r"^\W*(?:(?:and|what|how|also|then|ok(?:ay)?)[, ]+)+(?:about |for |in |at )*(?:the )?(?P<a>.+)$"
    r"|^\W*(?:那么|那|还有|還有|换成|換成)(?P<b>.+?)(?:呢|的呢|又如何|怎么样)?\W*$"
    r"|^(?P<c>.+?)呢\W*$",
    re.IGNORECASE,
)
_NAMES_PLACE: Final = re.compile(
    r"^\W*(?:(?:and|what|how|also|then|ok(?:ay)?)[, ]+)+(?:about )?in |^\W*那.+呢\W*$",
    re.IGNORECASE,
)
"""Follow-ups in which an unknown name stands for a place."""
_NO_NAME: Final = compile_any(
    r"\b(?:why|when|who|how|what|you|i|is|are|do|does|it|that|this|me|my|tomorrow|yesterday|by|then)\b",
    r"为什么|為什麼|什么|什麼|怎么|怎麼|谁|誰|时候|時候|[你我他她它这這]|天|年|月|原因",
)


def _rest(line: str) -> str:
    """What the line has besides places and the words of asking for the time."""
    return _OF_WORDS.sub(" ", remove_places(line)).strip(EDGES)


def _find_other_place(line: str, places: tuple[PlaceZone, ...]) -> str:
    """A namesake of the only place, such as Paris, Texas; empty if there is none."""
    if len(places) != 1:
        return ""
    plain, name = remove_accents(line), places[0].name
    after = plain[plain.find(name) + len(name) :] if name in plain else ""
    outside = _OUTSIDE.match(after)
    if outside is None or find_places(outside[1]) or _OF_WORDS.match(outside[1]):
        return ""
    return f"{name}, {outside[1].strip()}"


def _find_chinese_place(line: str) -> str:
    asked = _PLACE_ASKED_CHINESE.search(line)
    name = _NO_PLACE.sub("", asked[1]) if asked else ""
    return name if len(name) >= 2 else ""


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
ASKS_DATE: Final = compile_any(
    r"\bwhat(?:'s| is| was| will be)?\b.{0,24}\b(?:day|date|weekday)\b",
    r"\b(?:which|what) (?:day|weekday|date)\b",
    r"(?:星期|周|週|礼拜|禮拜)[几幾]|[几幾]月?[几幾]?[号號日]|什么日子|哪[一1]?天|农历|農曆|阴历|陰曆",
)
_COUNTS_DAYS: Final = compile_any(
    r"\bhow many days\b.{0,12}\b(?:until|till|to|between|from|before|since)\b",
    r"\bhow long\b.{0,12}\b(?:until|till|before|since)\b",
    r"\bdays? (?:until|till|between|to|from|left until|since)\b|\bcountdown to\b",
    r"(?:距离|距離|离|離|到).{1,16}(?:还有|還有|有|还剩|還剩|是|相差|差)(?:多少|[几幾])[天日]",
    r"(?:相差|间隔|間隔|过了|過了)(?:多少|[几幾])[天日]|(?:多少|[几幾])天.{0,4}到",
)
_LUNAR: Final = compile_any(r"农历|農曆|阴历|陰曆|\blunar date\b")


_PAST: Final = compile_any(
    r"\bsince\b|\bwas\b|\b(?:to|until|till|and) (?:today|now)\b|[过過][了去]|[到至]今"
)
_UNREAD: Final = compile_any(
    r"(?<!哪)\d(?!下)|\b(?:this|every|each) \w+|\b(?:weeks|months|years)\b|今年|每年|本[周週月]"
)
"""Beside a day that was read: a year, an amount or a period that changes the question."""
_LUNAR_DAY: Final = re.compile(r"(?:农历|農曆|阴历|陰曆)的?\s*\d")


def read_date(line: str) -> DateIntent | None:
    """The date, weekday or number of days that a question asks for.

    None where the line names another day or year beside those that were read.
    """
    plain = write_digits(line.lower())
    if _LUNAR_DAY.search(plain):
        return None
    if _COUNTS_DAYS.search(plain):
        return _read_days_between(plain)
    if not ASKS_DATE.search(plain) or CLOCK.search(plain):
        return None
    is_lunar = bool(_LUNAR.search(plain))
    match find_days(plain):
        case [day] if day:
            is_past = not has_year(day) and bool(_PAST.search(plain))
            return None if _names_more(plain) else DateIntent(day, is_past=is_past, lunar=is_lunar)
        case [] | [""]:
            offset, rest = _find_offset(plain)
            is_asked = (offset or is_lunar) and not _names_more(rest)
            return DateIntent(days=offset or 0, lunar=is_lunar) if is_asked else None
        case _:
            return None


def _read_days_between(plain: str) -> DateIntent | None:
    """The two days of a question how many days lie between them; one may be today."""
    days = list(dict.fromkeys(day for day in find_days(plain) if day))
    if len(days) == 1 and not _names_more(plain.replace(" before ", " ")):
        is_past = not has_year(days[0]) and bool(_PAST.search(plain))
        return DateIntent(until=days[0], is_past=is_past)
    if len(days) != 2 or _names_more(plain) or re.search(r"\bsince\b", plain):
        return None
    start, end = days
    return DateIntent(start, until=end) if has_year(start) or not has_year(end) else None


def has_year(day: str) -> bool:
    return bool(re.match(r"\d{4}-", day))


def _names_more(line: str) -> bool:
    """Whether the line names a day or a period besides the days that `find_days` finds."""
    rest = DAY.sub(" ", line)
    return bool(_OTHER_DAY.search(rest) or _UNREAD.search(rest))


def continue_date(line: str) -> DateIntent | None:
    """A question that only names another day, after one for a date: "and tomorrow?", 那后天呢."""
    match = _ELLIPSIS.match(line)
    rest = (match["a"] or match["b"] or match["c"] if match else line).strip(EDGES).lower()
    rest = write_digits(rest)
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
            return sign * int(values[0]) * _UNIT_DAYS[values[1][0]], pattern.sub(" ", line)
    for words, days in _RELATIVE.items():
        if re.search(words, line):
            return days, re.sub(words, " ", line)
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
