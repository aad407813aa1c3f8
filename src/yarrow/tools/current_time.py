"""The current time of the user; models do not know the date."""

from datetime import datetime
from typing import Annotated

from msgspec import Meta

from yarrow.accounts.preferences import find_zone
from yarrow.kit.json import JsonObject, encode_json
from yarrow.tools.arguments import Arguments, build_parameters, read_arguments
from yarrow.tools.model import ToolAnswer, ToolCaller, ToolDescription, ToolError
from yarrow.tools.words import WORDS, ToolWords


class TimeArguments(Arguments, frozen=True):
    timezone: Annotated[
        str, Meta(description="IANA name such as Europe/Paris; the user's own if left out")
    ] = ""


class CurrentTime:
    """Date, time and weekday in the user's timezone or another one."""

    description = ToolDescription(
        name="current_time",
        description="The current date, time and weekday, in the user's timezone or another one.",
        parameters=build_parameters(TimeArguments),
    )

    async def call(self, arguments: JsonObject, caller: ToolCaller) -> ToolAnswer:
        name = read_arguments(TimeArguments, arguments).timezone
        zone = find_zone(name) if name else caller.zone
        if zone is None:
            raise ToolError("unknown timezone; use an IANA name such as Asia/Tokyo")
        now = caller.clock().astimezone(zone)
        result = {
            "iso": now.isoformat(timespec="seconds"),
            "weekday": now.strftime("%A"),
            "timezone": zone.key,
        }
        return ToolAnswer(
            encode_json(result).decode(), _card(now, zone.key, WORDS[caller.language])
        )


def _card(now: datetime, zone: str, words: ToolWords) -> JsonObject:
    day = f"{now:%Y-%m-%d} {words.weekdays[now.weekday()]}"
    return {"title": f"{now:%H:%M}", "facts": {words.date: day, words.timezone: zone}}
