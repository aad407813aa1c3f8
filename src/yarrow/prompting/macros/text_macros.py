"""Macros for text, dates and outlets."""

from datetime import datetime

from yarrow.prompting.macros.date_format import (
    format_date,
    humanize_difference,
    humanize_duration,
    shift_to_offset,
)
from yarrow.prompting.macros.expansion import KeepRaw, MacroCall
from yarrow.prompting.macros.model import MacroWarningCode

_MAX_COUNT_DIGITS = 9
_MAX_FORMAT_LENGTH = 1_000


def empty(_call: MacroCall) -> str:
    return ""


def newline(call: MacroCall) -> str:
    return "\n" * _parse_count(call)


def space(call: MacroCall) -> str:
    return " " * _parse_count(call)


def reverse(call: MacroCall) -> str:
    return call.args[0][::-1]


def trim(call: MacroCall) -> str:
    """Strip the content of `{{trim}}…{{/trim}}`; without content the evaluator trims around it."""
    return call.args[0].strip() if call.args else ""


def has_extension(_call: MacroCall) -> str:
    return "false"


def outlet(call: MacroCall) -> str:
    return call.render_outlet(call.args[0].strip())


def time(call: MacroCall) -> str:
    moment = call.state.environment.now
    return format_date(shift_to_offset(moment, call.args[0]) if call.args else moment, "LT")


def date(call: MacroCall) -> str:
    return format_date(call.state.environment.now, "LL")


def weekday(call: MacroCall) -> str:
    return format_date(call.state.environment.now, "dddd")


def isotime(call: MacroCall) -> str:
    return format_date(call.state.environment.now, "HH:mm")


def isodate(call: MacroCall) -> str:
    return format_date(call.state.environment.now, "YYYY-MM-DD")


def datetimeformat(call: MacroCall) -> str:
    if len(call.args[0]) > _MAX_FORMAT_LENGTH:
        raise KeepRaw(MacroWarningCode.ARG_TYPE_INVALID, "the format is too long")
    return format_date(call.state.environment.now, call.args[0])


def idle_duration(call: MacroCall) -> str:
    since = call.state.environment.idle_since
    if since is None:
        return "just now"
    return humanize_duration((call.state.environment.now - since).total_seconds())


def time_diff(call: MacroCall) -> str:
    left, right = (_parse_time(call, text) for text in call.args)
    return humanize_difference((left - right).total_seconds())


def _parse_time(call: MacroCall, text: str) -> datetime:
    """Parse ISO 8601; a time without an offset is in the user's time zone."""
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError as error:
        raise KeepRaw(MacroWarningCode.ARG_TYPE_INVALID, "not a time in ISO 8601") from error
    return moment if moment.tzinfo else moment.replace(tzinfo=call.state.environment.now.tzinfo)


def _parse_count(call: MacroCall) -> int:
    """Parse a repetition count, limited to what fits into the text."""
    text = call.args[0].strip() if call.args else "1"
    if not (text.isascii() and text.isdecimal() and len(text) <= _MAX_COUNT_DIGITS):
        raise KeepRaw(MacroWarningCode.ARG_TYPE_INVALID, "not a count")
    return min(int(text), call.state.max_length + 1)
