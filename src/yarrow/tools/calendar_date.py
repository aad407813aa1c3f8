"""The weekday and the lunar date of a day, days or months later, and the days between two."""

import re
from calendar import isleap, monthrange
from datetime import date, timedelta
from typing import Annotated, Final, Literal

from msgspec import Meta

from yarrow.kit.json import JsonObject, encode_json
from yarrow.liuyao.almanac import find_lunar_date, name_lunar_day, name_lunar_month
from yarrow.tools.arguments import Arguments, build_parameters, read_arguments
from yarrow.tools.model import ToolAnswer, ToolCaller, ToolDescription, ToolError
from yarrow.tools.words import WORDS, ToolWords

MAX_DAYS = 1_000_000
MAX_MONTHS = 12_000
MAX_LUNAR_DISTANCE: Final = (400, 366 * 10)
"""In days; the thirtieth of a month is not in every year."""
GREGORIAN: Final = date(1582, 10, 15)
"""Days before it had other dates, and other weekdays than these dates would have."""
LUNAR_NEW_YEAR = "lunar-new-year"
LUNAR_NEW_YEARS_EVE = "lunar-new-years-eve"

_HOW = (
    "YYYY-MM-DD; MM-DD for the next such day; lunar-MM-DD for the next such day of the lunar "
    "calendar, lunar-new-year for 春节, lunar-new-years-eve for 除夕"
)


WEEKDAYS: Final = (
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
)


class DateArguments(Arguments, frozen=True):
    date: Annotated[str, Meta(description=f"{_HOW}; today if left out", max_length=20)] = ""
    year: Annotated[
        Literal["", "last", "this", "next"],
        Meta(
            description="The calendar year of a date without a year, instead of the next such day"
        ),
    ] = ""
    months: Annotated[
        int,
        Meta(
            description="So many months later, earlier if negative", ge=-MAX_MONTHS, le=MAX_MONTHS
        ),
    ] = 0
    days: Annotated[
        int,
        Meta(description="So many days later, earlier if negative", ge=-MAX_DAYS, le=MAX_DAYS),
    ] = 0
    weekday: Annotated[
        Literal["", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"],
        Meta(description="The next such weekday from that day on, today included"),
    ] = ""
    week: Annotated[
        Literal["", "last", "this", "next"],
        Meta(description="With weekday: that day of this calendar week, which begins on Monday"),
    ] = ""
    until: Annotated[
        str,
        Meta(description=f"Count the days from date to this one: {_HOW} from date", max_length=20),
    ] = ""
    past: Annotated[
        bool,
        Meta(description="A day without a year is the last such one until today, not the next"),
    ] = False


class CalendarDate:
    """Days are those of the user's timezone."""

    description = ToolDescription(
        name="calendar_date",
        description="A date, its weekday and its lunar date (农历): of today or another day, of so "
        "many days or months later or earlier, of a weekday of this or another week; and how many "
        "days there are between two dates.",
        parameters=build_parameters(DateArguments),
    )

    async def call(self, arguments: JsonObject, caller: ToolCaller) -> ToolAnswer:
        query, words = read_arguments(DateArguments, arguments), WORDS[caller.language]
        today = caller.clock().astimezone(caller.zone).date()
        try:
            day = _move_day(_find_start(query, today), query)
            end = _find_day(query.until, day, past=query.past and not query.date)
        except (ValueError, OverflowError):
            raise ToolError("there is no such date; write YYYY-MM-DD or MM-DD") from None
        if min(day, end) < GREGORIAN:
            raise ToolError(f"the Gregorian calendar begins on {GREGORIAN}")
        return _show_days(day, end, words) if query.until else _show_day(day, today, words)


_STEPS: Final = {"last": -1, "this": 0, "next": 1}


def _find_start(query: DateArguments, today: date) -> date:
    if not query.year or not query.date or _WHOLE.fullmatch(query.date):
        return _find_day(query.date, today, past=query.past)
    year = today.year + _STEPS[query.year]
    day = _find_day(query.date, date(year, 1, 1), past=False)
    if day.year != year:
        raise ValueError(query.date)
    return day


def _move_day(day: date, query: DateArguments) -> date:
    """The day so many months and days later, then the weekday that is asked for."""
    years, month = divmod(day.month - 1 + query.months, 12)
    year, month = day.year + years, month + 1
    if query.months:
        day = date(year, month, min(day.day, monthrange(year, month)[1]))
    day += timedelta(days=query.days)
    if not query.weekday:
        return day
    distance = WEEKDAYS.index(query.weekday) - day.weekday()
    if not query.week:
        return day + timedelta(days=distance % 7)
    return day + timedelta(days=distance, weeks=_STEPS[query.week])


_WHOLE: Final = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})")
_NEXT: Final = re.compile(r"(\d{1,2})-(\d{1,2})")
_LUNAR: Final = re.compile(r"lunar-(\d{1,2})-(\d{1,2})")


def _find_day(text: str, start: date, *, past: bool) -> date:
    """The day that an argument names, the next or last one from `start`.

    `ValueError` if there is none.
    """
    if not text:
        return start
    step = -1 if past else 1
    if text == LUNAR_NEW_YEARS_EVE:
        eve = timedelta(days=1)
        return _find_lunar_day(1, 1, start + eve, step) - eve
    if text == LUNAR_NEW_YEAR:
        return _find_lunar_day(1, 1, start, step)
    if lunar := _LUNAR.fullmatch(text):
        return _find_lunar_day(int(lunar[1]), int(lunar[2]), start, step)
    if whole := _WHOLE.fullmatch(text):
        return date(int(whole[1]), int(whole[2]), int(whole[3]))
    if (next_one := _NEXT.fullmatch(text)) is None:
        raise ValueError(text)
    month, day = int(next_one[1]), int(next_one[2])
    # 29 February comes again after four years, or eight around 1900 and 2100.
    for year in range(start.year, start.year + 9 * step, step):
        if (month, day) == (2, 29) and not isleap(year):
            continue
        candidate = date(year, month, day)
        if (candidate <= start) if past else (candidate >= start):
            return candidate
    raise ValueError(text)


def _find_lunar_day(month: int, day: int, start: date, step: int) -> date:
    """The next or last such day, not in a leap month; `ValueError` if the calendar has none."""
    name = f"年{name_lunar_month(month)}{name_lunar_day(day)}"
    for distance in range(MAX_LUNAR_DISTANCE[day > 29]):
        found = start + timedelta(days=step * distance)
        if find_lunar_date(found).endswith(name):
            return found
    raise ToolError("the almanac has no such lunar date then; it covers 1898 to 2101")


def _show_day(day: date, today: date, words: ToolWords) -> ToolAnswer:
    lunar, weekday = find_lunar_date(day), words.weekdays[day.weekday()]
    result = {
        "date": f"{day}",
        "weekday": f"{day:%A}",
        "lunar": lunar,
        "days_from_today": (day - today).days,
    }
    card: JsonObject = {"title": f"{day} {weekday}"}
    if lunar:
        card["facts"] = {words.lunar: lunar}
    return ToolAnswer(encode_json(result).decode(), card)


def _show_days(day: date, end: date, words: ToolWords) -> ToolAnswer:
    count = (end - day).days
    result = {"date": f"{day}", "until": f"{end}", "weekday": f"{end:%A}", "days": count}
    span = f"{day} → {end} {words.weekdays[end.weekday()]}"
    return ToolAnswer(
        encode_json(result).decode(),
        {"title": words.days.format(count=count), "facts": {words.date: span}},
    )
