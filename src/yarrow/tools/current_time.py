"""The time where the user is: models do not know what day it is."""

from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from yarrow.json_values import JsonObject, encode_json
from yarrow.tools.model import ToolCaller, ToolDescription, ToolError


class CurrentTime:
    """Tells date, time and weekday in the user's timezone or in a named one."""

    description = ToolDescription(
        name="current_time",
        description="The current date, time and weekday, in the user's timezone or another one.",
        parameters={
            "type": "object",
            "properties": {
                "timezone": {
                    "type": "string",
                    "description": "IANA name such as Europe/Paris; the user's own if left out",
                }
            },
            "additionalProperties": False,
        },
    )

    async def call(self, arguments: JsonObject, caller: ToolCaller) -> str:
        name = arguments.get("timezone") or caller.timezone
        try:
            now = caller.clock().astimezone(ZoneInfo(name))
        except (ZoneInfoNotFoundError, ValueError, TypeError, OSError) as unknown:
            raise ToolError("unknown timezone; use an IANA name such as Asia/Tokyo") from unknown
        return encode_json(
            {
                "iso": now.isoformat(timespec="seconds"),
                "weekday": now.strftime("%A"),
                "timezone": name,
            }
        ).decode()
