"""Festivals that a question may name as its time, as civil dates."""

import re
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Final

from msgspec import Struct

from yarrow.liuyao.almanac import find_civil_date


class _Festival(Struct, frozen=True):
    """`offset` days after a day of the civil or the lunar year, and so many `days` long."""

    words: re.Pattern[str]
    month: int
    day: int
    days: int = 1
    is_lunar: bool = False
    offset: int = 0


def _make_festival(words: str, month: int, day: int, days: int = 1) -> _Festival:
    return _Festival(re.compile(words, re.IGNORECASE), month, day, days)


def _make_lunar_festival(
    words: str, month: int, day: int, days: int = 1, *, offset: int = 0
) -> _Festival:
    return _Festival(re.compile(words, re.IGNORECASE), month, day, days, True, offset)  # noqa: FBT003


# 过年, but not 通过年检 or 不过年轻人.
_NEW_YEAR: Final = "(?<![通不超])过年(?![轻纪龄检审度])"
# 五一, but not 星期五一定, 十五一起 or 王五一直.
_MAY_DAY: Final = (
    "(?<![周期拜十初第老小])五一"
    r"(?=[节假前去回能期]|小?长假|会(?!儿)|\W|$)"
)
# Holidays of several days are as long as the public holiday in China.
_FESTIVALS: Final = (
    _make_lunar_festival(r"除夕|年三十|(?:chinese|lunar) new year['’]?s eve", 1, 1, offset=-1),
    _make_lunar_festival(rf"春节|{_NEW_YEAR}|(?:chinese|lunar) new year|spring festival", 1, 1, 7),
    _make_lunar_festival("元宵|lantern festival", 1, 15),
    _make_lunar_festival("端午|dragon boat festival", 5, 5),
    _make_lunar_festival("七夕", 7, 7),
    _make_lunar_festival("中秋|mid-?autumn festival", 8, 15),
    _make_lunar_festival("重阳", 9, 9),
    _make_festival("元旦|new year['’]?s day", 1, 1),
    _make_festival(r"情人节|valentine['’]?s day", 2, 14),
    _make_festival(f"{_MAY_DAY}|劳动节", 5, 1, 5),
    _make_festival("国庆", 10, 1, 7),
    _make_festival("平安夜|christmas eve", 12, 24),
    _make_festival("圣诞|christmas", 12, 25),
    _make_festival(r"new year['’]?s eve", 12, 31),
)
NAMES: Final = "|".join(festival.words.pattern for festival in _FESTIVALS)


def find_festival(name: str, today: date, *, year: int | None = None) -> tuple[date, date]:
    """The first and the last day of a festival: in a year, or the next that is not over."""
    festival = next(one for one in _FESTIVALS if one.words.fullmatch(name))
    years = (today.year, today.year + 1) if year is None else (year,)
    spans = list(_list_spans(festival, years))
    return next((span for span in spans if span[1] >= today), (date.min, date.min))


def _list_spans(festival: _Festival, years: tuple[int, ...]) -> Iterator[tuple[date, date]]:
    for year in years:
        if festival.is_lunar:
            first = find_civil_date(year, festival.month, festival.day)
        else:
            first = date(year, festival.month, festival.day)
        if first is not None:
            first += timedelta(days=festival.offset)
            yield first, first + timedelta(days=festival.days - 1)
