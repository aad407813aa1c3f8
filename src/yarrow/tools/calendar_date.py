"""The weekday and the lunar date of a day, days later or earlier, and the days between two."""

import re
from calendar import isleap
from datetime import date, timedelta
from typing import Annotated, Final

from msgspec import Meta

from yarrow.kit.json import JsonObject, encode_json
from yarrow.liuyao.almanac import find_lunar_date
from yarrow.tools.arguments import Arguments, build_parameters, read_arguments
from yarrow.tools.model import ToolAnswer, ToolCaller, ToolDescription, ToolError
from yarrow.tools.words import WORDS, ToolWords

MAX_DAYS = 1_000_000
LUNAR_NEW_YEAR = "lunar-new-year"

_HOW = "YYYY-MM-DD; MM-DD for the next such day; lunar-new-year for the next 春节"


class DateArguments(Arguments, frozen=True):
    date: Annotated[str, Meta(description=f"{_HOW}; today if left out", max_length=20)] = ""
    days: Annotated[
        int,
        Meta(description="So many days later, earlier if negative", ge=-MAX_DAYS, le=MAX_DAYS),
    ] = 0
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
        "many days later or earlier; and how many days there are between two dates.",
        parameters=build_parameters(DateArguments),
    )

    async def call(self, arguments: JsonObject, caller: ToolCaller) -> ToolAnswer:
        asked, words = read_arguments(DateArguments, arguments), WORDS[caller.language]
        today = caller.clock().astimezone(caller.zone).date()
        try:
            day = _find_day(asked.date, today, past=asked.past) + timedelta(days=asked.days)
            if not asked.until:
                return _show_day(day, words)
            end = _find_day(asked.until, day, past=asked.past and not asked.date)
        except (ValueError, OverflowError):
            raise ToolError("there is no such date; write YYYY-MM-DD or MM-DD") from None
        return _show_days(day, end, words)


_WHOLE: Final = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})")
_NEXT: Final = re.compile(r"(\d{1,2})-(\d{1,2})")


def _find_day(text: str, start: date, *, past: bool) -> date:
    """The day that an argument names, the next or last one from `start`.

    `ValueError` if there is none.
    """
    if not text:
        return start
    step = -1 if past else 1
    if text == LUNAR_NEW_YEAR:
        return _find_lunar_new_year(start, step)
    if whole := _WHOLE.fullmatch(text):
        return date(int(whole[1]), int(whole[2]), int(whole[3]))
    if (next_one := _NEXT.fullmatch(text)) is None:
        raise ValueError(text)
    month, day = int(next_one[1]), int(next_one[2])
    # 29 February comes again after four years, or eight around 1900 and 2100.
    for year in range(start.year, start.year + 9 * step, step):
        if (month, day) == (2, 29) and not isleap(year):
            continue
        found = date(year, month, day)
        if (found <= start) if past else (found >= start):
            return found
    raise ValueError(text)


def _find_lunar_new_year(start: date, step: int) -> date:
    for distance in range(400):
        day = start + timedelta(days=step * distance)
        if find_lunar_date(day).endswith("年正月初一"):
            return day
    raise ToolError("the almanac has no lunar new year then; it covers 1898 to 2101")


def _show_day(day: date, words: ToolWords) -> ToolAnswer:
    lunar, weekday = find_lunar_date(day), words.weekdays[day.weekday()]
    result = {"date": f"{day}", "weekday": f"{day:%A}", "lunar": lunar}
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
