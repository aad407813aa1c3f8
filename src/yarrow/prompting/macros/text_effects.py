"""Macros that make or change text, tell the time, or show an outlet."""

from datetime import datetime

from yarrow.prompting.macros.date_format import at_utc_offset, formatted, humanised, towards
from yarrow.prompting.macros.expansion import Call, KeptRaw
from yarrow.prompting.macros.model import WarningCode

_LONGEST_COUNT = 9
_LONGEST_FORMAT = 1_000


def nothing(_call: Call) -> str:
    return ""


def newline(call: Call) -> str:
    return "\n" * _count(call)


def space(call: Call) -> str:
    return " " * _count(call)


def reverse(call: Call) -> str:
    return call.args[0][::-1]


def trimmed(call: Call) -> str:
    """The content of `{{trim}}…{{/trim}}`; without content, trimming is the reader's work."""
    return call.args[0].strip() if call.args else ""


def has_extension(_call: Call) -> str:
    return "false"


def outlet(call: Call) -> str:
    return call.render_outlet(call.args[0].strip())


def time(call: Call) -> str:
    moment = call.at.environment.now
    return formatted(at_utc_offset(moment, call.args[0]) if call.args else moment, "LT")


def date(call: Call) -> str:
    return formatted(call.at.environment.now, "LL")


def weekday(call: Call) -> str:
    return formatted(call.at.environment.now, "dddd")


def isotime(call: Call) -> str:
    return formatted(call.at.environment.now, "HH:mm")


def isodate(call: Call) -> str:
    return formatted(call.at.environment.now, "YYYY-MM-DD")


def datetimeformat(call: Call) -> str:
    if len(call.args[0]) > _LONGEST_FORMAT:
        raise KeptRaw(WarningCode.ARG_TYPE_INVALID, "the format is too long")
    return formatted(call.at.environment.now, call.args[0])


def idle_duration(call: Call) -> str:
    since = call.at.environment.idle_since
    if since is None:
        return "just now"
    return humanised((call.at.environment.now - since).total_seconds())


def time_diff(call: Call) -> str:
    left, right = (_moment(call, text) for text in call.args)
    return towards((left - right).total_seconds())


def _moment(call: Call, text: str) -> datetime:
    """A time in ISO 8601; without an offset it is on the user's clock."""
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError as error:
        raise KeptRaw(WarningCode.ARG_TYPE_INVALID, "not a time in ISO 8601") from error
    return moment if moment.tzinfo else moment.replace(tzinfo=call.at.environment.now.tzinfo)


def _count(call: Call) -> int:
    """How many are asked for; never more than fit into a text."""
    text = call.args[0].strip() if call.args else "1"
    if not (text.isascii() and text.isdecimal() and len(text) <= _LONGEST_COUNT):
        raise KeptRaw(WarningCode.ARG_TYPE_INVALID, "not a count")
    return min(int(text), call.at.longest + 1)
