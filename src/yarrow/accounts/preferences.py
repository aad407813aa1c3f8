"""The settings of a profile: keys, rules for their values, defaults."""

import re
from collections.abc import Callable
from functools import cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from yarrow.accounts.model import Preferences
from yarrow.errors import InvalidInput
from yarrow.kit.json import JsonMapping, JsonObject, JsonValue

DEFAULTS = Preferences(
    ai_language="zh-CN", timezone="Asia/Shanghai", day_boundary="23:00", script="hans", gender=""
)
"""The signup trigger writes the same; these are for profiles without a key."""

DAY_BOUNDARIES = ("23:00", "00:00")
SCRIPTS = ("hans", "hant")
GENDERS = ("male", "female", "男", "女", "")
"""The empty one takes it back."""

_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8}){0,4}")
_SECRET_KEY = re.compile(
    r"pass(?:word|wd|phrase)|secret|token|api.?key|credential|private|authorization|cookie",
    re.IGNORECASE,
)
_SECRET_VALUE = re.compile(
    r"-----BEGIN|^(?:sk|pk|rk)[-_]\w{8}|^gh[opsu]_|^xox[abp]-|^AKIA[0-9A-Z]{8}"
    r"|^eyJ[\w-]+\.[\w-]+|^bearer\s",
    re.IGNORECASE,
)


def read_preferences(settings: JsonMapping) -> Preferences:
    """The preferences in a profile's settings, with defaults."""
    return Preferences(
        ai_language=_read_text(settings.get("ai_language"), DEFAULTS.ai_language),
        timezone=_read_text(settings.get("timezone"), DEFAULTS.timezone),
        day_boundary=_read_text(settings.get("day_boundary"), DEFAULTS.day_boundary),
        script=_read_text(settings.get("script"), DEFAULTS.script),
        gender=_read_text(settings.get("gender"), DEFAULTS.gender),
    )


def _read_text(value: JsonValue, default: str) -> str:
    return value if isinstance(value, str) else default


def find_zone(name: str) -> ZoneInfo | None:
    """The timezone of this name, if there is one."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def require_settings(settings: JsonObject) -> None:
    """Allow only known keys with valid values; refuse what looks like a secret."""
    for key, value in settings.items():
        if _SECRET_KEY.search(key) or (isinstance(value, str) and _SECRET_VALUE.search(value)):
            raise InvalidInput("settings must not contain secrets", field="settings")
        rule = _RULES.get(key)
        if rule is None:
            raise InvalidInput(
                f"settings has no such key; known are {', '.join(_RULES)}", field="settings"
            )
        is_valid, expected = rule
        if not isinstance(value, str) or not is_valid(value):
            raise InvalidInput(f"settings.{key} must be {expected}", field=f"settings.{key}")


@cache
def _list_zones() -> frozenset[str]:
    # `localtime` is the server's zone.
    return frozenset(available_timezones()) - {"localtime"}


_RULES: dict[str, tuple[Callable[[str], bool], str]] = {
    "ai_language": (
        lambda value: _LANGUAGE.fullmatch(value) is not None,
        "a language tag such as zh-CN or en",
    ),
    "timezone": (lambda value: value in _list_zones(), "an IANA time zone such as Asia/Shanghai"),
    "day_boundary": (lambda value: value in DAY_BOUNDARIES, "23:00 or 00:00"),
    "script": (lambda value: value in SCRIPTS, "hans or hant"),
    "gender": (lambda value: value in GENDERS, "male, female or empty"),
}

SETTINGS_SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "ai_language": {
            "type": "string",
            "pattern": f"^{_LANGUAGE.pattern}$",
            "description": "The language of answers and cards",
        },
        "timezone": {"type": "string", "description": "An IANA name, for runs without one"},
        "day_boundary": {
            "enum": list(DAY_BOUNDARIES),
            "description": "When a day begins in a divination",
        },
        "script": {"enum": list(SCRIPTS), "description": "The script of Chinese text"},
        "gender": {
            "enum": list(GENDERS),
            "description": "Who asks in a divination: it decides which line is the partner",
        },
    },
    "additionalProperties": False,
}
"""The same rules as JSON Schema, as far as it can express them."""
