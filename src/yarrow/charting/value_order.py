"""Sort values that have an order of their own: months, weekdays, quarters, ranges."""

import re
from collections.abc import Iterable, Mapping

from yarrow.charting.model import SemanticType
from yarrow.kit.json import JsonValue

MONTHS = "january february march april may june july august september october november december"
DAYS = "monday tuesday wednesday thursday friday saturday sunday"
HAN_NUMBERS = "一二三四五六七八九十"
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def _number_words(words: str) -> dict[str, int]:
    full = {word: place for place, word in enumerate(words.split(), 1)}
    return full | {word[:3]: place for word, place in full.items()} | {"sept": 9}


def _chinese_months() -> dict[str, int]:
    names = [*HAN_NUMBERS, "十一", "十二"]
    return {f"{name}月": place for place, name in enumerate(names, 1)} | {"正月": 1, "腊月": 12}


def _chinese_days() -> dict[str, int]:
    names = ("一", "二", "三", "四", "五", "六", "日")
    days = {f"{week}{name}": p for week in ("周", "星期") for p, name in enumerate(names, 1)}
    return days | {"星期天": 7, "周天": 7}


PLACES: Mapping[SemanticType, Mapping[str, int]] = {
    SemanticType.MONTH: _number_words(MONTHS) | _chinese_months(),
    SemanticType.DAY: _number_words(DAYS) | _chinese_days(),
    SemanticType.QUARTER: {f"{name}季度": p for p, name in enumerate("一二三四", 1)}
    | {f"第{name}季度": p for p, name in enumerate("一二三四", 1)},
}


def sort_values(values: Iterable[JsonValue], meaning: SemanticType | None) -> list[JsonValue]:
    """Sort by calendar if the values name dates, by size if they have numbers, else by text.

    `10-20` comes after `5-10`, `Mar` after `Feb`, 三月 after 二月.
    """
    places = PLACES.get(meaning, {}) if meaning else {}
    return sorted(values, key=lambda value: _sort_key(value, places))


def _sort_key(value: JsonValue, places: Mapping[str, int]) -> tuple[int, float, float, str]:
    if isinstance(value, int | float):
        return 0, float(value), 0.0, ""
    text = str(value).strip()
    if (place := places.get(text.lower())) is not None:
        return 0, float(place), 0.0, ""
    if text.startswith(("<", "≤")):
        return 0, _first_number(text) - 0.5, 0.0, text
    numbers = [float(number.lstrip("-")) for number in NUMBER.findall(text)]
    if numbers and (text[0].isdigit() or text[0] in "Qq第>≥W-"):
        return 0, numbers[0], numbers[1] if len(numbers) > 1 else 0.0, text
    return 1, 0.0, 0.0, text


def _first_number(text: str) -> float:
    number = NUMBER.search(text)
    return float(number[0]) if number else 0.0
