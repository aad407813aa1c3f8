"""Sort values that have an order of their own: months, weekdays, quarters, ranges."""

import re
from collections.abc import Collection, Iterable, Mapping
from functools import cache

from yarrow.charting.calendar_names import MONTH_NAMES, WEEKDAY_NAMES
from yarrow.charting.model import SemanticType
from yarrow.kit.json import JsonValue

NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
RANGE = re.compile(r"(0|[1-9]\d*(?:\.\d+)?) ?[-–—~～] ?(\d+(?:\.\d+)?) ?[^\W\d]{0,5}")
OPEN_RANGE = re.compile(r"[<≤>≥] ?\d+(?:\.\d+)? ?[^\W\d]{0,5}|\d+(?:\.\d+)? ?[^\W\d]{0,5}\+")
_END = r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?"
INTERVAL = re.compile(rf"[\[(]({_END}|-inf), ?({_END}|inf)[\])]")
"""As pandas writes what `pd.cut` made: `(0, 10]`."""
SCALES = (
    "strongly disagree|disagree|somewhat disagree|slightly disagree|neither agree nor disagree|"
    "neutral|undecided|slightly agree|somewhat agree|agree|strongly agree",
    "very dissatisfied|dissatisfied|somewhat dissatisfied|neither satisfied nor dissatisfied|"
    "neutral|somewhat satisfied|satisfied|very satisfied",
    "never|rarely|seldom|occasionally|sometimes|often|usually|very often|always",
    "very low|low|medium|moderate|high|very high|critical",
    "very poor|poor|fair|average|good|very good|excellent",
    "very unlikely|unlikely|neutral|likely|very likely",
    "非常不同意|不同意|比较不同意|不确定|中立|一般|比较同意|同意|非常同意",
    "非常不满意|不满意|比较不满意|一般|比较满意|满意|非常满意",
    "从不|很少|偶尔|有时|经常|总是",
    "很低|低|中|中等|高|很高",
    "很差|差|较差|一般|较好|良好|好|很好|优秀",
)
"""Answers of surveys and levels, from the lowest."""
SHORT_NAME, SHORT_NAMES_MIN = 2, 5
"""Names of up to so many letters could be anything, unless most of the week is there."""
OTHER_NAMES: Mapping[SemanticType, Mapping[str, int]] = {
    SemanticType.MONTH: {"sept": 9, "正月": 1, "腊月": 12},
    SemanticType.DAY: {"星期天": 7, "周天": 7, "tues": 2, "thur": 4, "thurs": 4},
    SemanticType.QUARTER: {
        f"{prefix}{name}季度": place
        for prefix in ("", "第")
        for place, name in enumerate("一二三四", 1)
    },
}


@cache
def _build_calendars() -> Mapping[SemanticType, tuple[Mapping[str, int], ...]]:
    """By meaning: for each language the places of its names, long, short and mixed."""
    lists = {SemanticType.MONTH: MONTH_NAMES, SemanticType.DAY: WEEKDAY_NAMES}
    tables = {
        meaning: [{n: place for place, n in enumerate(names.split("|"), 1)} for names in texts]
        for meaning, texts in lists.items()
    }
    # English and Chinese come first, each in two lists, whose names may be mixed.
    return {
        meaning: (
            {**languages[0], **languages[1], **languages[2], **OTHER_NAMES[meaning]},
            *languages,
        )
        for meaning, languages in tables.items()
    }


def find_calendar(values: Collection[JsonValue]) -> SemanticType | None:
    """Month or Day if all values that are not null are names of them, in one language."""
    names = {_normalise_name(value) for value in values if isinstance(value, str)}
    if len(names) <= 1 or any(v is not None and not isinstance(v, str) for v in values):
        return None
    if max(map(len, names)) <= SHORT_NAME and len(names) < SHORT_NAMES_MIN:
        return None
    for meaning, languages in _build_calendars().items():
        if any(names <= places.keys() for places in languages):
            return meaning
    return None


def find_month(name: str) -> int | None:
    """The number of a month by its name in any language; None if it is no such name."""
    languages = _build_calendars()[SemanticType.MONTH]
    places = (names.get(_normalise_name(name)) for names in languages)
    return next((place for place in places if place is not None), None)


def sort_values(values: Iterable[JsonValue], meaning: SemanticType | None) -> list[JsonValue]:
    """Sort by calendar if the values name dates, by size if they have numbers, else by text.

    `10-20` comes after `5-10`, `Mar` after `Feb`, 三月 after 二月, mars after février.
    """
    listed = list(values)
    places = _find_places(listed, meaning) if meaning else {}
    return sorted(listed, key=lambda value: _make_sort_key(value, places))


def _find_places(values: Iterable[JsonValue], meaning: SemanticType) -> Mapping[str, int]:
    """The names of the language that knows most of the values."""
    names = {_normalise_name(value) for value in values if isinstance(value, str)}
    scales = _build_scales() if meaning is SemanticType.RANGE else ()
    languages = _build_calendars().get(meaning) or scales or (OTHER_NAMES.get(meaning, {}),)
    return max(languages, key=lambda places: len(names & places.keys()))


@cache
def _build_scales() -> tuple[Mapping[str, int], ...]:
    return tuple({n: place for place, n in enumerate(names.split("|"))} for names in SCALES)


def names_ranges(values: Collection[JsonValue]) -> bool:
    """Whether all values that are not null are ranges of numbers, or levels of one scale."""
    texts = {value.strip() for value in values if isinstance(value, str)}
    if len(texts) <= 1 or any(v is not None and not isinstance(v, str) for v in values):
        return False
    if any({_normalise_name(text) for text in texts} <= scale.keys() for scale in _build_scales()):
        return True
    if all(INTERVAL.fullmatch(text) for text in texts):
        return True
    closed = [match for text in texts if (match := RANGE.fullmatch(text))]
    rises = all(float(match[1]) < float(match[2]) for match in closed)
    others = texts - {match[0] for match in closed}
    return bool(closed) and rises and all(OPEN_RANGE.fullmatch(text) for text in others)


def _normalise_name(text: str) -> str:
    return text.strip().rstrip(".").lower()


def _make_sort_key(value: JsonValue, places: Mapping[str, int]) -> tuple[int, float, float, str]:
    if isinstance(value, int | float):
        return 0, float(value), 0.0, ""
    text = str(value).strip()
    if (place := places.get(_normalise_name(text))) is not None:
        return 0, float(place), 0.0, ""
    if interval := INTERVAL.fullmatch(text):
        return 0, float(interval[1]), float(interval[2]), ""
    if text.startswith(("<", "≤")):
        return 0, _find_first_number(text) - 0.5, 0.0, text
    numbers = [float(number.lstrip("-")) for number in NUMBER.findall(text)]
    if numbers and (text[0].isdigit() or text[0] in "Qq第>≥W-"):
        return 0, numbers[0], numbers[1] if len(numbers) > 1 else 0.0, text
    return 1, 0.0, 0.0, text


def _find_first_number(text: str) -> float:
    number = NUMBER.search(text)
    return float(number[0]) if number else 0.0
