"""The lunar date (农历) and the solar term (节气) of a moment, from shipped tables.

The lunar date follows the civil date of the moment's own offset; a term begins at an instant. The
twelve 节 come from `pillars`; the twelve 中气 and the months of lunar years 1898 to 2101 were
computed with lunar_python, whose instants differ from an
ephemeris by seconds now and by 93 s in 2100.
"""

from bisect import bisect_right
from datetime import date, datetime, tzinfo
from functools import cache, lru_cache
from itertools import chain, cycle
from typing import Final

from msgspec import Struct
from msgspec.json import decode

from yarrow.liuyao.data_files import read_data
from yarrow.liuyao.pillars import CYCLE, load_jie_table

_JIE: Final = (
    "小寒", "立春", "惊蛰", "清明", "立夏", "芒种", "小暑", "立秋", "白露", "寒露", "立冬", "大雪",
)  # fmt: skip
_QI: Final = (
    "大寒", "雨水", "春分", "谷雨", "小满", "夏至", "大暑", "处暑", "秋分", "霜降", "小雪", "冬至",
)  # fmt: skip
_MONTHS: Final = "正二三四五六七八九十冬腊"
_TENS: Final = ("初", "十", "廿", "三")
_DIGITS: Final = "一二三四五六七八九十"


class LunarYear(Struct, frozen=True):
    first_day: int
    leap: int
    long_months: int


class SolarTerm(Struct, frozen=True):
    """A term and the local time at which it began."""

    name: str
    begins: datetime


class _Tables(Struct, frozen=True):
    first_year: int
    years: tuple[LunarYear, ...]
    first_days: tuple[int, ...]
    terms: tuple[tuple[int, str], ...]
    instants: tuple[int, ...]


@cache
def _load_tables() -> _Tables:
    text = read_data("almanac.json")
    table = decode(text)
    years = tuple(LunarYear(*row) for row in table["years"])
    jie = zip(load_jie_table().instants, cycle(_JIE))
    qi = zip(chain.from_iterable(table["zhongqi"]), cycle(_QI))
    terms = tuple(sorted([*jie, *qi]))
    return _Tables(
        table["first_year"],
        years,
        tuple(year.first_day for year in years),
        terms,
        tuple(instant for instant, _ in terms),
    )


@cache
def find_lunar_date(day: date) -> str:
    """A civil date by the lunar calendar, such as 丙午年二月十六; empty outside the table."""
    tables, ordinal = _load_tables(), day.toordinal()
    place = bisect_right(tables.first_days, ordinal) - 1
    if place < 0:
        return ""
    names, first_days = _list_months(place)
    at = bisect_right(first_days, ordinal) - 1
    return f"{names[at]}{name_lunar_day(ordinal - first_days[at] + 1)}" if names[at] else ""


@cache
def _list_months(place: int) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The months of the lunar year at `place` as 丙午年二月, and their first days; an empty name
    for what comes behind the year."""
    tables = _load_tables()
    year, name = tables.years[place], CYCLE[(tables.first_year + place - 4) % 60].name
    names, first_days = [], [year.first_day]
    for index in range(13 if year.leap else 12):
        names.append(f"{name}年{_name_month(index, year.leap)}")
        first_days.append(first_days[-1] + (30 if year.long_months >> index & 1 else 29))
    return (*names, ""), tuple(first_days)


def find_civil_date(year: int, month: int, day: int) -> date | None:
    """The civil date of a day of a lunar month that is no leap month; None outside the table."""
    tables = _load_tables()
    place = year - tables.first_year
    if not 0 <= place < len(tables.years):
        return None
    lunar = tables.years[place]
    index = month - 1 if not lunar.leap or month <= lunar.leap else month
    before = 29 * index + (lunar.long_months & ((1 << index) - 1)).bit_count()
    return date.fromordinal(lunar.first_day + before + day - 1)


def _name_month(index: int, leap: int) -> str:
    """The name of the month at `index` of a year in which month `leap` is doubled."""
    if leap and index == leap:
        return f"闰{_MONTHS[index - 1]}月"
    return f"{_MONTHS[index - 1 if leap and index > leap else index]}月"


def name_lunar_month(month: int) -> str:
    """The name of a month that is no leap month; `ValueError` if there is none."""
    if not 1 <= month <= 12:
        raise ValueError(month)
    return f"{_MONTHS[month - 1]}月"


def name_lunar_day(day: int) -> str:
    """The name of a day of a lunar month; `ValueError` if there is none."""
    if not 1 <= day <= 30:
        raise ValueError(day)
    if day in {10, 20, 30}:
        return {10: "初十", 20: "二十", 30: "三十"}[day]
    return _TENS[day // 10] + _DIGITS[day % 10 - 1]


def find_terms(moment: datetime) -> tuple[SolarTerm, SolarTerm | None]:
    """The term that a moment lies in, and the next one as far as the table goes."""
    return read_terms(find_term_index(moment), moment.tzinfo)


def find_term_index(moment: datetime) -> int:
    """The index of the term that a moment lies in."""
    return max(bisect_right(_load_tables().instants, moment.timestamp()) - 1, 0)


@lru_cache(maxsize=4096)
def read_terms(place: int, zone: tzinfo | None) -> tuple[SolarTerm, SolarTerm | None]:
    """The term at an index and the next one, their times by the clock of `zone`."""
    terms = [
        SolarTerm(name, datetime.fromtimestamp(instant, zone))
        for instant, name in _load_tables().terms[place : place + 2]
    ]
    return terms[0], terms[1] if len(terms) > 1 else None
