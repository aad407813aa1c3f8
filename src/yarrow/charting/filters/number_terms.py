"""Words of questions that compare numbers, in English and Chinese."""

import re
from collections.abc import Mapping
from typing import Final

NUMBER = (
    r"(?:[$¥€£￥]\s*)?(?P<{0}>-?\d[\d,]*(?:\.\d+)?)"
    r"(?:\s*(?P<{0}_scale>k(?![a-z])|m(?![a-z])|bn(?![a-z])|thousand|million|billion|[百千]?万|亿|千))?"
)
SCALES: Final[Mapping[str, int]] = {
    **dict.fromkeys(("k", "thousand", "千"), 10**3),
    **dict.fromkeys(("m", "million", "百万"), 10**6),
    **dict.fromkeys(("bn", "billion"), 10**9),
    "万": 10**4,
    "千万": 10**7,
    "亿": 10**8,
}
_WORDS: Final[Mapping[str, str]] = {
    "ge": r"(?:at least|no less than|not less than|no fewer than|not below|minimum of|>=|≥"
    r"|大于等于|不少于|不低于|不小于|至少)",
    "le": r"(?:at most|no more than|not more than|not above|up to|maximum of|<=|≤"
    r"|小于等于|不超过|不高于|不大于|不多于|至多|最多)",
    "gt": r"(?:above|over|exceed(?:s|ed|ing)?|(?:greater|more|larger|higher|bigger|better) than|>"
    r"|大于|超过|高于|多于|超出)",
    "lt": r"(?:below|under|(?:less|lower|smaller|fewer) than|<|小于|低于|少于|不到|不足)",
    "eq": r"(?:equals?(?:\s+to)?|equal to|exactly|==?|等于)",
}
NO_MORE_NEXT: Final = (
    r"(?!\s*(?:[-–—~～,，、/]|to\b|and\b|or\b|到|至|和|与|或)?\s*\d)"
    r"(?!\s*(?:at (?:least|most)|(?:or )?so\b|左右|上下))"
)
"""Behind a number that is no part of a list or a range, and no limit."""
COMPARISONS: Final = tuple(
    (
        name,
        re.compile(
            rf"(?<![a-z]){words}\s*{NUMBER.format('number')}"
            + (rf"(?![\d.]){NO_MORE_NEXT}" if name == "eq" else "")
        ),
    )
    for name, words in _WORDS.items()
)
RANGES: Final = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\bbetween\s+{NUMBER.format('low')}\s+and\s+{NUMBER.format('high')}",
        rf"\bfrom\s+{NUMBER.format('low')}\s+(?:to|up to)\s+{NUMBER.format('high')}",
        rf"(?:介于|在)\s*{NUMBER.format('low')}\s*[和与到至~-]\s*{NUMBER.format('high')}\s*之间",
        rf"{NUMBER.format('low')}\s*[到至]\s*{NUMBER.format('high')}\s*之间",
    )
)
_TO = r"\s*(?:-|–|—|~|～|to\b|到|至)\s*"
PLAIN_RANGE: Final = rf"{NUMBER.format('low')}{_TO}{NUMBER.format('high')}(?:\s*之间)?"
"""`5-10` beside the name of a column."""
NO_MORE_END: Final = (
    r"(?<![\w.,])(?<!\d[-–—~～,，、/到至和与或])(?<!\d (?:to|or) )(?<!\d and )(?<!\d, )(?<!\d - )"
)
"""Before such a number: 8 of `4 or 8 cylinders` is none."""
_COUNTER = r"(?P<counter>[元块分岁个件次人名位条点星]|美元)?"
SUFFIXES: Final = tuple(
    (name, re.compile(rf"(?<![\d.,a-z年月]){NUMBER.format('number')}\s*{words}"))
    for name, words in (
        ("ge", r"(?:or (?:more|higher|above|over|greater|better)|and (?:above|over|up|higher)|\+)"),
        ("le", r"(?:or (?:less|fewer|lower|below|under)|and (?:below|under|lower))"),
        ("ge", rf"{_COUNTER}\s*(?:及|或)?以上"),
        ("le", rf"{_COUNTER}\s*(?:及|或)?以下"),
    )
)
SUBJECT_END: Final = re.compile(
    r"(?:\s+(?:that|which))?(?:\s+(?:is|are|was|were|of|value|values|being|has|have|in))?\s*$"
    r"|\s*(?:的值?|值|为|是|在|,)?\s*$"
)
"""Between the name of a column and what is said about its numbers."""
OBJECT_NEXT: Final = re.compile(r"^\s*(?:in\s+|of\s+|的)?$")
"""Between a number and the name of its column: `more than 100 horsepower`."""
AND_ALSO: Final = re.compile(r"^\s*(?:and|but|,|且|并且|而且|、)?\s*$")
CLAUSE_END: Final = re.compile(
    r"(?:\b(?:with|whose|having|where|that have|which have|who have|that has|having a)|中)\s*"
    r"(?:an?\s+|the\s+)?$"
)
"""Before the name of a column that only says which rows are meant."""
PLAIN_UNITS: Final = re.compile(
    r"^\s*(?:dollars?|usd|euros?|eur|yuan|rmb|pounds sterling|points?|stars?|people|units?|pieces?|"
    r"times|元|块钱?|美元|人民币|分|个|件|次|人|名|位|条|点|星|票)(?![a-z])"
)
"""Units that every number of their column has."""
OTHER_UNITS: Final = re.compile(
    r"^\s*(?:%|years old|岁|"
    r"percent|(?:milli)?seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|"
    r"years?|km|kms|kilomet(?:er|re)s?|miles?|met(?:er|re)s?|cm|mm|feet|foot|ft|inch(?:es)?|kg|kgs|"
    r"kilograms?|grams?|lbs?|pounds?|tons?|tonnes?|litres?|liters?|degrees?|celsius|fahrenheit|mph|"
    r"kph|秒|分钟|小时|天|周|个?月|年|公里|千米|米|厘米|毫米|公斤|千克|克|斤|吨|升|度|摄氏度|百分)(?![a-z])"
)
"""Units in which the numbers of a column may not be."""
AGE_UNITS: Final[Mapping[str, str]] = {"years old": "age", "岁": "年龄"}
"""Units that only a column of this name has."""
