"""Words of questions that name a year, quarter, month or day, in English and Chinese."""

import re
from collections.abc import Mapping
from typing import Final

_YEAR = r"(?<![\d.,])(?P<year>(?:18|19|20|21)\d{2})(?!\d|[.,]\d)"
_LONG = (
    *("january", "february", "march", "april", "may", "june", "july", "august", "september"),
    *("october", "november", "december"),
)
_SHORT = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sept", "oct", "nov", "dec")
MONTH_NUMBERS: Final[Mapping[str, int]] = {
    **{name: number for number, name in enumerate(_LONG, 1)},
    **{name: number for number, name in enumerate(_SHORT, 1)},
    "sep": 9,
    **{name: number for number, name in enumerate("一二三四五六七八九十", 1)},
    "十一": 11,
    "十二": 12,
}
QUARTER_NUMBERS: Final[Mapping[str, int]] = {
    **{name: number for number, name in enumerate(("first", "second", "third", "fourth"), 1)},
    **{name: number for number, name in enumerate(("1st", "2nd", "3rd", "4th"), 1)},
    **{name: number for number, name in enumerate("一二三四", 1)},
}
HALF_NUMBERS: Final[Mapping[str, int]] = {"first": 1, "second": 2, "上": 1, "下": 2, "1": 1, "2": 2}
AMBIGUOUS_NAMES: Final = frozenset({"may", "march", *_SHORT, "sep"})
"""Names of months that are other words or short; without a year they need a capital."""

_NAME = rf"(?<![a-z])(?P<month>{'|'.join(_LONG)}|sept?|{'|'.join(_SHORT)})(?![a-z])\.?"
_DIGITS = r"(?P<month>1[0-2]|0?[1-9])"
_HAN = r"(?P<month>十[一二]|[一二三四五六七八九十])"
_DAY = r"(?P<day>3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?"
_QUARTER = r"(?<![a-z0-9])q(?P<quarter>[1-4])(?![a-z0-9])"
_ORDINAL = r"(?P<quarter>first|second|third|fourth|1st|2nd|3rd|4th)\s+quarter"
_SEASON = r"第?(?P<quarter>[1-4一二三四])\s*季度?"
_HALF = r"(?P<half>first|second)\s+half"
_OF = r"(?:\s+of)?(?:\s+the\s+year)?(?:\s+in)?\s+"

PERIODS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        rf"{_YEAR}[-/.]{_DIGITS}[-/.]{_DAY}(?!\d)",
        rf"{_YEAR}\s*年\s*{_DIGITS}\s*月\s*{_DAY}\s*[日号]",
        rf"{_NAME}\s+{_DAY},?\s+{_YEAR}",
        rf"(?<!\d){_DAY}\s+(?:of\s+)?{_NAME},?\s+{_YEAR}",
        rf"{_YEAR}\s*年?[\s-]*q(?P<quarter>[1-4])(?![a-z0-9])",
        rf"{_YEAR}\s*年\s*{_SEASON}",
        rf"{_QUARTER}(?:\s+of)?[\s,/-]*{_YEAR}",
        rf"{_ORDINAL}{_OF}{_YEAR}",
        rf"{_YEAR}\s*年\s*(?P<half>[上下])半年",
        rf"(?<![a-z0-9])h(?P<half>[12])[\s,/-]*{_YEAR}",
        rf"{_YEAR}[\s-]*h(?P<half>[12])(?![a-z0-9])",
        rf"{_HALF}{_OF}{_YEAR}",
        rf"{_YEAR}\s*年\s*(?:{_DIGITS})\s*月份?",
        rf"{_YEAR}\s*年\s*(?:{_HAN})\s*月份?",
        rf"{_YEAR}[-/]{_DIGITS}(?![\d/-])",
        rf"{_NAME},?\s+(?:of\s+)?{_YEAR}",
        rf"{_YEAR}\s+{_NAME}",
        r"(?<!\d)(?P<decade>(?:18|19|20)\d0)(?:'?s(?![a-z])|年代)",
        rf"{_YEAR}\s*年度?(?!代)",
        _YEAR,
        _QUARTER,
        rf"{_ORDINAL}(?:\s+of\s+(?:the|each|every)\s+year)?",
        rf"(?<![\d一二三四])(?:{_SEASON})(?<=季度|.季)",
        r"(?P<half>[上下])半年",
        rf"{_HALF}\s+of\s+(?:the|each|every)\s+year",
        _NAME,
        rf"(?<![\d个])(?:{_DIGITS})\s*月(?!\d)份?",
        rf"(?<![\d个一二三四五六七八九十])(?:{_HAN})\s*月(?!\d)份?",
    )
)
"""The longer ones first: what one pattern reads is removed before the next one."""

_COUNT = r"(?P<count>\d{1,3}|[a-z]+(?:-[a-z]+)?)"
_HAN_COUNT = r"(?P<count>\d{1,3}|[一二两三四五六七八九十]{1,3})"
_UNIT = r"(?P<unit>day|week|month|quarter|year)s?"
_HAN_UNIT = r"(?P<unit>天|日|周|星期|月|季度?|年)"
RELATIVE: Final = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?:\bthe\s+)?\b(?P<side>last|past|latest|most recent|recent|previous|first)\s+{_COUNT}"
        rf"\s+{_UNIT}\b",
        rf"(?P<side>最近|近|过去|最新|最后|前|最初|头)的?\s*{_HAN_COUNT}\s*个?{_HAN_UNIT}",
    )
)
"""A number of units of time at an end of the data."""
FIRST_SIDES: Final = frozenset({"first", "前", "最初", "头"})
UNIT_NAMES: Final[Mapping[str, str]] = {
    **{unit: unit for unit in ("day", "week", "month", "quarter", "year")},
    **dict.fromkeys(("天", "日"), "day"),
    **dict.fromkeys(("周", "星期"), "week"),
    **dict.fromkeys(("季", "季度"), "quarter"),
    "月": "month",
    "年": "year",
}
BY_TODAY: Final = re.compile(
    r"\b(?:last|this|next|previous|current)\s+(?:day|week|month|quarter|year)\b"
    r"|\b(?:today|yesterday|tomorrow|year to date|ytd|month to date|mtd|recently)\b"
    r"|[今去前明]年|[上本这下]个?(?:月|周|星期|季度)|本年度?|[今昨前]天|昨日|今日|最近(?![\d一二两三四五六七八九十])"
)
"""Times that depend on the day on which the question is asked."""

RANGE: Final = re.compile(r"^\s*(?:to|until|till|through|-|–|—|~|～|到|至)\s*(?:the\s+)?$")
BETWEEN_END: Final = re.compile(r"(?:\bbetween|介于|在)\s*(?:the\s+)?(?:years?\s+)?$")
LISTED: Final = re.compile(
    r"^\s*(?:,|,?\s*and|or|&|/|vs\.?|versus|compared (?:to|with)|、|和|与|及|以及|或|对比|相比)"
    r"\s*(?:in\s+|for\s+)?$"
)
SINCE_END: Final = re.compile(r"(?:\b(?:since|starting(?:\s+(?:in|from))?)|自从?|从)\s*$")
AFTER_END: Final = re.compile(r"\b(?:after|later than)\s*$")
BEFORE_END: Final = re.compile(r"\b(?:before|prior to|earlier than)\s*$")
UNTIL_END: Final = re.compile(r"(?:\b(?:until|till|through|up to|up until)|截至|截止到?)\s*$")
FROM_END: Final = re.compile(r"\b(?:from|by|as\s+of)\s*$")
"""`from 2020` may be the year or all since; `by 2020` may be a limit or a grouping."""
SINCE_NEXT: Final = re.compile(
    r"^\s*(?:onwards?|and later|and after|or later|on(?=\s*(?:$|[,.?]|by\b|per\b))"
    r"|以来|起|开始|至今|到现在|及以后|及之后)"
)
AFTER_NEXT: Final = re.compile(r"^\s*(?:以后|之后|后)")
BEFORE_NEXT: Final = re.compile(r"^\s*(?:以前|之前|前)")
UNTIL_NEXT: Final = re.compile(r"^\s*(?:and earlier|or earlier|and before|为止)")
LEAD_END: Final = re.compile(
    r"(?:\b(?:in|during|for|as\s+of|of|on|within|from|between|over|throughout|since|after|before|"
    r"until|till|through|starting(?:\s+(?:in|from))?|up\s+(?:to|until)|prior\s+to|(?:later|earlier)\s+than|by)"
    r"\s+(?:the\s+)?(?:(?:year|month|quarter)s?\s+(?:of\s+)?)?|\b(?:the\s+)?years?\s+"
    r"|(?:自从?|从|在|于|截至|截止到?|介于)\s*)$"
)
"""Words before a time that belong to it."""
COMPARED_END: Final = re.compile(
    r"(?:\b(?:above|over|below|under|than|least|most|exceed\w*|between|equals?)|[><=≥≤]"
    r"|大于|超过|高于|低于|少于|多于|小于|等于|不到|不足|不超过|至少|至多)\s*[$¥€£]?\s*$"
)
"""Before a number that is compared and no year."""
COUNTED_NEXT: Final = re.compile(
    r"^\s*(?:%|元|块|个|件|次|人|万|亿|千|美元|k\b|m\b|million|thousand)"
)
"""After a number that counts something and is no year."""
