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

_HOW = "YYYY-MM-DD; MM-DD for the next such day from today on; lunar-new-year for the next 春节"


class DateArguments(Arguments, frozen=True):
    date: Annotated[str, Meta(description=f"{_HOW}; today if left out", max_length=20)] = ""
    days: Annotated[
        int,
        Meta(description="So many days later, earlier if negative", ge=-MAX_DAYS, le=MAX_DAYS),
    ] = 0
    until: Annotated[
        str, Meta(description=f"Count the days from date to this one: {_HOW}", max_length=20)
    ] = ""


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
            day = _find_day(asked.date, today) + timedelta(days=asked.days)
            if not asked.until:
                return _show_day(day, words)
            end = _find_day(asked.until, today)
        except (ValueError, OverflowError):
            raise ToolError("there is no such date; write YYYY-MM-DD or MM-DD") from None
        return _show_days(day, end, words)


_WHOLE: Final = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})")
_NEXT: Final = re.compile(r"(\d{1,2})-(\d{1,2})")


def _find_day(text: str, today: date) -> date:
    """The day that an argument names; `ValueError` if there is none."""
    if not text:
        return today
    if text == LUNAR_NEW_YEAR:
        later = (today + timedelta(days=ahead) for ahead in range(400))
        return next(day for day in later if find_lunar_date(day).endswith("年正月初一"))
    if whole := _WHOLE.fullmatch(text):
        return date(int(whole[1]), int(whole[2]), int(whole[3]))
    if (next_one := _NEXT.fullmatch(text)) is None:
        raise ValueError(text)
    month, day = int(next_one[1]), int(next_one[2])
    # 29 February comes again after four years, or eight around 1900 and 2100.
    for year in range(today.year, today.year + 9):
        if (month, day) == (2, 29) and not isleap(year):
            continue
        if (found := date(year, month, day)) >= today:
            return found
    raise ValueError(text)


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
