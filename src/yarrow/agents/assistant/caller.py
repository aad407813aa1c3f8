"""The timezone and the language of the user of a run."""

from zoneinfo import ZoneInfo

from yarrow.accounts.preferences import DEFAULTS, read_preferences
from yarrow.kit.json import JsonValue
from yarrow.kit.language import Language, nearest_language
from yarrow.liuyao import DayBoundary
from yarrow.runs.agent import RunContext
from yarrow.runs.model import ClaimedRun
from yarrow.tools.current_time import find_zone
from yarrow.tools.model import ToolCaller


def make_caller(context: RunContext) -> ToolCaller:
    """The caller that the tools of this run get."""
    run = context.run
    preferences = read_preferences(run.preferences)
    return ToolCaller(
        account_id=run.account_id,
        session_id=run.session_id,
        clock=context.clock,
        zone=user_zone(run),
        language=nearest_language(preferences.ai_language, script=preferences.script),
        day_boundary=DayBoundary(preferences.day_boundary),
    )


def user_zone(run: ClaimedRun) -> ZoneInfo:
    """The client's timezone if it exists, else the profile's."""
    client_time: JsonValue = run.input.options.get("client_time")
    device = client_time.get("device_timezone") if isinstance(client_time, dict) else None
    names = (device, read_preferences(run.preferences).timezone, DEFAULTS.timezone)
    zones = [zone for name in names if isinstance(name, str) and (zone := find_zone(name))]
    return zones[0] if zones else ZoneInfo("UTC")


def language_line(run: ClaimedRun) -> str:
    """The language to answer in, as the prompt names it; for Chinese with its script."""
    preferences = read_preferences(run.preferences)
    tag = preferences.ai_language
    nearest = nearest_language(tag, script=preferences.script)
    return tag if nearest is Language.ENGLISH else f"{tag} ({nearest.value})"
