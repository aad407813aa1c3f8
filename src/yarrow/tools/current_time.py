"""The current time of the user or elsewhere, and a time of one zone in another."""

import re
from datetime import datetime, timedelta
from typing import Annotated, Final
from zoneinfo import ZoneInfo

from msgspec import Meta

from yarrow.accounts.preferences import find_zone
from yarrow.kit.json import JsonObject, encode_json
from yarrow.tools.arguments import Arguments, build_parameters, read_arguments
from yarrow.tools.model import ToolAnswer, ToolCaller, ToolDescription, ToolError
from yarrow.tools.words import WORDS, ToolWords

MINUTES = 60 * 24 * 366


class TimeArguments(Arguments, frozen=True):
    timezone: Annotated[
        str, Meta(description="IANA name such as Europe/Paris; the user's own if left out")
    ] = ""
    at: Annotated[
        str, Meta(description="HH:MM of today instead of now, to see it in timezone", max_length=5)
    ] = ""
    at_timezone: Annotated[
        str, Meta(description="The IANA name of the timezone of at; the user's own if left out")
    ] = ""
    minutes: Annotated[
        int,
        Meta(description="So many minutes later, earlier if negative", ge=-MINUTES, le=MINUTES),
    ] = 0


class CurrentTime:
    """Date, time and weekday in the user's timezone or another one."""

    description = ToolDescription(
        name="current_time",
        description="The current date, time and weekday, in the user's timezone or another one; or "
        "what a time of today in one timezone is in another.",
        parameters=build_parameters(TimeArguments),
    )

    async def call(self, arguments: JsonObject, caller: ToolCaller) -> ToolAnswer:
        query = read_arguments(TimeArguments, arguments)
        zone = _find_zone(query.timezone, caller)
        moment = caller.clock()
        if query.at:
            moment = _find_moment(
                query.at, moment.astimezone(_find_zone(query.at_timezone, caller))
            )
        now = (moment + timedelta(minutes=query.minutes)).astimezone(zone)
        result = {
            "iso": now.isoformat(timespec="seconds"),
            "weekday": now.strftime("%A"),
            "timezone": zone.key,
        }
        return ToolAnswer(
            encode_json(result).decode(), _make_card(now, zone.key, WORDS[caller.language])
        )


_CLOCK: Final = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)")


def _find_zone(name: str, caller: ToolCaller) -> ZoneInfo:
    zone = find_zone(name) if name else caller.zone
    if zone is None:
        raise ToolError("unknown timezone; use an IANA name such as Asia/Tokyo")
    return zone


def _find_moment(clock: str, now: datetime) -> datetime:
    """The moment of a time of the day on the day of `now`, in its zone."""
    match = _CLOCK.fullmatch(clock)
    if match is None:
        raise ToolError("at must be a time of the day such as 14:30")
    return now.replace(hour=int(match[1]), minute=int(match[2]), second=0, microsecond=0, fold=0)


def _make_card(now: datetime, zone: str, words: ToolWords) -> JsonObject:
    day = f"{now:%Y-%m-%d} {words.weekdays[now.weekday()]}"
    return {"title": f"{now:%H:%M}", "facts": {words.date: day, words.timezone: zone}}
