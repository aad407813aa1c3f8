"""Where the user of a run is, and in which language they are to be answered."""

from zoneinfo import ZoneInfo

from yarrow.accounts.preferences import DEFAULTS, read_preferences
from yarrow.kit.json import JsonValue
from yarrow.liuyao import DayBoundary, language_of
from yarrow.runs.agent import RunContext
from yarrow.runs.model import ClaimedRun
from yarrow.tools.current_time import find_zone
from yarrow.tools.model import ToolCaller


def caller_of(context: RunContext) -> ToolCaller:
    """On whose behalf the tools of this run are called."""
    run = context.run
    chosen = read_preferences(run.preferences)
    return ToolCaller(
        account_id=run.account_id,
        session_id=run.session_id,
        clock=context.clock,
        zone=zone_of(run),
        language=language_of(chosen.ai_language, script=chosen.script),
        day_boundary=DayBoundary(chosen.day_boundary),
    )


def zone_of(run: ClaimedRun) -> ZoneInfo:
    """The client's timezone, if it is a real one, else the profile's."""
    client_time: JsonValue = run.input.options.get("client_time")
    device = client_time.get("device_timezone") if isinstance(client_time, dict) else None
    named = (device, read_preferences(run.preferences).timezone, DEFAULTS.timezone)
    zones = [zone for name in named if isinstance(name, str) and (zone := find_zone(name))]
    return zones[0] if zones else ZoneInfo("UTC")


def language_line(run: ClaimedRun) -> str:
    """The language of the answers as a model is told of it."""
    chosen = read_preferences(run.preferences)
    chinese = chosen.ai_language.lower().startswith("zh")
    hant = chinese and language_of(chosen.ai_language, script=chosen.script)
    return f"{chosen.ai_language} ({hant.value})" if hant else chosen.ai_language
