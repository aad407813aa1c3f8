"""Questions for days that only the calendar knows: a weekday of another week, months later, days
after a date, festivals of the lunar calendar, an age, the length of a month."""

import re
from typing import Final

from yarrow.language.number_words import write_digits
from yarrow.llm.rule_based.date_questions import (
    ASKS_DATE,
    DAY,
    MONTHS,
    DateIntent,
    WeekdayIntent,
    find_days,
    has_year,
    may_be_lunar,
)
from yarrow.llm.rule_based.patterns import compile_any
from yarrow.llm.rule_based.time_questions import CLOCK, EDGES, ELLIPSIS

WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_WEEKS: Final = {"上上": -2, "上": -1, "": None, "这": 0, "這": 0, "本": 0, "下": 1, "下下": 2}
_CHINESE_DAY: Final = re.compile(
    r"(?P<week>上上|下下|[上下这這本]|)(?P<one>1[个個]|)[个個]?(?:周|週|星期|礼拜|禮拜)(?P<day>[1-6日天])"
)
_ENGLISH_DAY: Final = re.compile(
    rf"\b(?:(?P<which>next|this|last|this coming|the coming|coming|on) )?(?P<day>{'|'.join(WEEKDAYS)})\b"
)
_ASKS_ENGLISH: Final = compile_any(
    r"\bwhat(?:'s| is| was| will be)? (?:the )?(?:date|day of the month)\b",
    r"\b(?:which|what) date\b|['’]?s date\b|^\W*(?:next|last|this) \w+day'?s? date|\bdate (?:of|for|on)\b",
)
_FILLERS: Final = compile_any(
    r"\b(?:what|what's|whats|which|is|was|will|be|the|date|day|of|for|on|please|it|does|do|tell|me|fall|month|"
    r"and|when|hi|hello|hey|can|you|could|weekday|week|a|an|in|that)\b",
    r"请问|請問|请|告诉我|是|的|哪[1一]?[天日]|[几幾]月?[几幾]?[号號日]|多少[号號]|日期|呢|啊|呀|了|星期[几幾]|周[几幾]|週[几幾]|礼拜[几幾]|"
    r"今天|距离|什么时候|什麼時候|阳历|公历|农历|農曆|[几幾]月|节|節|月",
)


def read_calendar(line: str) -> DateIntent | WeekdayIntent | None:
    """The day that a question asks for; None where it names anything besides."""
    plain = write_digits(line.lower())
    if CLOCK.search(plain) or may_be_lunar(line):
        return None
    for read in (_read_weekday, _read_age, _read_month_length, _read_festival, _read_later):
        if (intent := read(plain)) is not None:
            return intent
    return None


def _read_weekday(plain: str) -> DateIntent | WeekdayIntent | None:
    """下周三 is a day of the calendar week; "next Friday" may be in this week or the next one."""
    if (match := _CHINESE_DAY.search(plain)) and re.search(
        r"[几幾][号號日月]|哪[1一]?天|日期", plain
    ):
        if not _is_filler(_CHINESE_DAY.sub(" ", plain)):
            return None
        weekday = WEEKDAYS["123456日".index(match["day"].replace("天", "日"))]
        if match["one"] and match["week"] in ("上", "下"):
            return WeekdayIntent(weekday, is_past=match["week"] == "上")
        return _name_weekday(weekday, _WEEKS[match["week"]])
    match = _ENGLISH_DAY.search(plain)
    if (
        match is None
        or re.search(r"day week\b", plain)  # a week after that day
        or not _ASKS_ENGLISH.search(plain)
        or not _is_filler(_ENGLISH_DAY.sub(" ", plain))
    ):
        return None
    is_past = match["which"] == "last" or bool(re.search(r"\bwas\b", plain))
    if is_past or match["which"] == "next":
        return WeekdayIntent(match["day"], is_past=is_past)
    return _name_weekday(match["day"], None)


def _name_weekday(weekday: str, week: int | None) -> DateIntent:
    if week is None:
        return DateIntent(weekday=weekday)
    step = (week > 0) - (week < 0)
    name = {-1: "last", 0: "this", 1: "next"}[step]
    return DateIntent(weekday=weekday, week=name, days=7 * (week - step))


def continue_weekday(line: str) -> DateIntent | WeekdayIntent | None:
    """A question that only names another weekday, after one for a date: "and next Friday?", 那下周三呢."""
    match = ELLIPSIS.match(line)
    rest = (match["a"] or match["b"] or match["c"] if match else line).strip(EDGES).lower()
    rest = re.sub(r"['’]s(?: date)?$|是?[几幾][号號]$", "", write_digits(rest))
    if _CHINESE_DAY.fullmatch(rest):
        return _read_weekday(f"{rest}几号")
    return _read_weekday(f"what date is {rest}") if _ENGLISH_DAY.fullmatch(rest) else None


_AGE: Final = compile_any(
    r"\bhow old\b|\bmy age\b|\bwhat age\b|[几幾多]少?岁|多大|年龄|年齡|[几幾]歲|周岁|多少岁"
)
_BORN: Final = compile_any(
    r"\bborn\b|\bbirth(?:day|date)?\b|出生|生日|生于|生於|[日号號]生(?=的|[，,。])"
)


_OF_AGE: Final = compile_any(
    r"\bhow old is [a-z]+|^\W*[a-z]+(?= (?:was |is )?born\b)|^\W*[\u4e00-\u9fff]{2,4}(?=\s*DAY)",
    r"\b(?:mother|father|mom|mum|dad|parent|grand\w+|sister|brother|wife|husband|partner|girlfriend|boyfriend|friend|"
    r"boss|uncle|aunt|cousin|nephew|niece|baby|boy|girl|kid|today)\b",
    r"\b(?:i|i'm|am|was|is|are|were|if|my|me|on|now|today|what|what's|tell|please|someone|somebody|who|he|she|they|his|her|son|"
    r"daughter|child|years?|the|a|an|person|and|then|current|currently|do|does|you|know|so|hi|hello)\b",
    r"今年|现在|現在|如果|请问|請問|儿子|兒子|女儿|女兒|孩子|出生|生(?=的)|[几幾多]少?[岁歲]|[我他她于於在是的了人现今年呢啊多少大]",
)


def _read_age(plain: str) -> DateIntent | None:
    if not _AGE.search(plain) or not _BORN.search(plain) or re.search(r"虚岁|虛歲", plain):
        return None
    days = [day for day in find_days(plain) if day]
    rest = DAY.sub(" DAY ", plain)
    for pattern in (_OF_AGE, _AGE, _BORN, re.compile("DAY")):
        rest = pattern.sub(" ", rest)
    if len(days) != 1 or not has_year(days[0]) or re.search(r"[^\W_]", rest):
        return None
    return DateIntent(until=days[0], is_age=True)


_MONTH_LENGTH: Final = re.compile(
    r"\bhow many days (?:are |does |is )?(?:there )?(?:in |has )?(?P<name>[a-z]{3,9})(?: of)?,? (?P<y1>\d{4})"
    r"(?: have)?[?. ]*$|(?P<y2>\d{4})年(?P<month>\d{1,2})月(?:份)?(?:有|共)?(?:多少|[几幾])天"
)


def _read_month_length(plain: str) -> DateIntent | None:
    """The days from the first of a month to the first of the next one."""
    match = _MONTH_LENGTH.search(plain)
    if match is None or (match["name"] and match["name"][:3] not in MONTHS):
        return None
    year = int(match["y1"] or match["y2"])
    month = int(match["month"] or MONTHS.index(match["name"][:3]) + 1)
    if not 1 <= month <= 12:
        return None
    after = f"{year + month // 12:04}-{month % 12 + 1:02}-01"
    return DateIntent(f"{year:04}-{month:02}-01", until=after)


_FESTIVALS: Final = {
    r"除夕夜?|大年3十|大年30|(?:chinese|lunar) new year'?s eve": "lunar-new-years-eve",
    r"春节|春節|过年|過年|农历新年|農曆新年|(?:chinese|lunar) new year|spring festival": "lunar-new-year",
    r"元宵节?|元宵節|lantern festival": "lunar-01-15",
    r"端午节?|端午節|dragon boat festival": "lunar-05-05",
    r"7夕节?|7夕節": "lunar-07-07",
    r"中元节?|中元節": "lunar-07-15",
    r"中秋节?|中秋節|mid-?autumn festival|moon festival": "lunar-08-15",
    r"重阳节?|重陽節": "lunar-09-09",
    r"腊8节?|臘8節": "lunar-12-08",
    r"国庆节?|國慶節": "10-01",
    r"圣诞节?|聖誕節|christmas(?: day)?(?!'?s? eve)": "12-25",
    r"元旦": "01-01",
    r"年底|the end of (?:the|this) year|year'?s end|new year'?s eve": "12-31",
    r"5[·.]?1劳动节|劳动节|勞動節": "05-01",
}
_YEARS: Final = {
    r"今年|this year(?:'s)?": "this",
    r"明年|next year(?:'s)?": "next",
    r"去年|last year(?:'s)?": "last",
}
_REST_OF_YEAR: Final = compile_any(
    r"\b(?:days|weeks) (?:are |is )?(?:left|remain\w*) (?:in|of) (?:this|the) year\b",
    r"今年(?:还|還)?(?:剩|有)下?(?:多少|[几幾])[个個]?[天周週]",
)
_WHEN: Final = compile_any(
    r"\bwhen\b|\b(?:what|which) (?:date|day)\b|[几幾][月号號日]|哪[1一]?天|什么时候|什麼時候|星期[几幾]|周[几幾]|週[几幾]"
)
_COUNTS: Final = compile_any(
    r"\bhow many (?P<a>days|weeks)(?: are| is)?(?: there)?(?: left)? (?:until|till|to|before)\b|\b(?P<b>days|weeks) (?:until|till)\b",
    r"(?:还有|還有|还剩|還剩|剩|有)(?:多少|[几幾])[个個]?(?P<c>天|周|週|星期)",
)


def _read_festival(plain: str) -> DateIntent | None:
    """When a festival is, this or another year, or how long it is until the next one."""
    left = _REST_OF_YEAR.search(plain)
    if left and _is_filler(re.sub(r"how|many|there", " ", _REST_OF_YEAR.sub(" ", plain))):
        return DateIntent(until="12-31", in_weeks=bool(re.search(r"week|[周週]", left[0])))
    for pattern, day in _FESTIVALS.items():
        if not re.search(pattern, plain):
            continue
        rest = re.sub(pattern, " ", plain, count=1)
        if counts := _COUNTS.search(plain):
            is_bare = _is_filler(
                re.sub(
                    r"[离離到过過就]|距离|until|till|to|before|how|many|there",
                    " ",
                    _COUNTS.sub(" ", rest),
                )
            )
            unit = counts["a"] or counts["b"] or counts["c"]
            return DateIntent(until=day, in_weeks=unit[0] in "w周週星") if is_bare else None
        if not _WHEN.search(plain):
            return None
        return _read_festival_year(rest, day)
    return None


def _read_festival_year(rest: str, day: str) -> DateIntent | None:
    is_lunar_end = day in ("lunar-new-years-eve", "lunar-12-08")
    for pattern, year in _YEARS.items():
        if re.search(pattern, rest):
            is_bare = _is_filler(re.sub(pattern, " ", rest)) and not is_lunar_end
            return DateIntent(day, year=year) if is_bare else None
    if named := re.search(r"\b(?:in )?(\d{4})年?(?!\d)", rest):
        # From the first of January on, the next such day.
        is_bare = _is_filler(rest.replace(named[0], " ")) and not is_lunar_end
        return DateIntent(f"{named[1]}-01-01", until=day, is_when=True) if is_bare else None
    is_past = bool(re.search(r"\bwas\b", rest))
    return DateIntent(day, is_past=is_past) if _is_filler(rest) else None


_STEP = (
    r"(?P<count>\d+|\ban?\b)\s*[个個]?(?P<unit>days?|weeks?|months?|years?|天|日|周|週|星期|月|年)"
)
_LATER: Final = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\b(?P<way>in) {_STEP}\b",
        rf"{_STEP} (?P<way>from|after|before|later|ago)\b",
        rf"{_STEP}[以之]?(?P<way>[后後前])",
    )
)
_AFTER_DAY: Final = re.compile(rf"[以之]?(?P<way>[后後前])的?{_STEP}(?![以之]?[后後前])")
_UNITS: Final = {
    "d": (1, 0),
    "天": (1, 0),
    "日": (1, 0),
    "w": (7, 0),
    "周": (7, 0),
    "週": (7, 0),
    "星": (7, 0),
} | {
    "m": (0, 1),
    "月": (0, 1),
    "y": (0, 12),
    "年": (0, 12),
}


def _read_later(plain: str) -> DateIntent | None:
    """So many days, weeks, months or years after or before today or a date."""
    days = list(DAY.finditer(plain))
    named = [day for day in find_days(plain) if day]
    line = DAY.sub(" ", plain)
    patterns = (*_LATER, _AFTER_DAY) if named else _LATER
    match = next((found for pattern in patterns if (found := pattern.search(line))), None)
    if match is None or len(named) > 1 or len(days) - len(named) > 1:
        return None
    count, unit, way = match["count"], match["unit"], match["way"]
    is_bare = _is_filler(line.replace(match[0], " ", 1).replace(" now", " ").replace("from", " "))
    if not is_bare or (named and way in ("in", "later", "ago")) or (way == "from" and not days):
        return None
    if not named and way in ("after", "before"):
        return None
    sign = -1 if way in ("before", "ago", "前") else 1
    by_days, by_months = _UNITS[unit[0]]
    number = sign * (int(count) if count.isdigit() else 1)
    if abs(number) > 10_000 or not (ASKS_DATE.search(plain) or not _has_question_word(plain)):
        return None
    return DateIntent(named[0] if named else "", days=number * by_days, months=number * by_months)


def _has_question_word(plain: str) -> bool:
    return bool(re.search(r"\b(?:how|who|why|where|will|can|should)\b|什么|怎么|吗", plain))


def _is_filler(rest: str) -> bool:
    """Whether a line says nothing but that it asks for a date."""
    return not re.sub(r"[\W_]", "", _FILLERS.sub(" ", re.sub(r"['’]s\b", " ", rest).strip(EDGES)))
