"""Paths into structured variables: `资产.金币`, `bag['old coins'].count`, `list[0]`.

A path is tried only when no variable has the whole text as its name.
"""

import re
from typing import TypeAlias

import msgspec

from yarrow.kit.json import JsonValue
from yarrow.prompting.macros.expansion import KeptRaw
from yarrow.prompting.macros.model import WarningCode
from yarrow.prompting.macros.variables import ABSENT

_STEP = re.compile(
    r"""(?P<dot>\.?)(?P<name>[^.\[\]]+)"""
    r"""|\[\s*(?:'(?P<single>[^']*)'|"(?P<double>[^"]*)"|(?P<index>\d{1,9}))\s*\]""",
    re.ASCII,
)

Step: TypeAlias = str | int


class Path(msgspec.Struct, frozen=True, gc=False):
    """A variable and the way to a place inside it."""

    root: str
    steps: tuple[Step, ...]


def looks_like_path(key: str) -> bool:
    return "." in key or "[" in key


def read_path(text: str, *, longest: int) -> Path:
    """Raises `KeptRaw` when the text is no path, or has more steps than `longest`."""
    steps: list[Step] = []
    position = 0
    while position < len(text):
        found = _STEP.match(text, position)
        if found is None or _misplaced(found, first=not steps):
            raise KeptRaw(WarningCode.PARSE_FAILED, "not a variable path")
        steps.append(_step(found))
        position = found.end()
        if len(steps) > longest:
            raise KeptRaw(WarningCode.DEPTH_LIMIT_EXCEEDED, f"more than {longest} steps")
    root = steps[0] if steps else 0
    if isinstance(root, int):
        raise KeptRaw(WarningCode.PARSE_FAILED, "a path begins with a name")
    return Path(root, tuple(steps[1:]))


def _misplaced(found: re.Match[str], *, first: bool) -> bool:
    """A name needs a dot before it, except at the beginning, where it must not have one."""
    name = found["name"]
    return name is not None and (bool(found["dot"]) is first or not name.strip())


def _step(found: re.Match[str]) -> Step:
    match found.lastgroup:
        case "index":
            return int(found["index"])
        case "name":
            return found["name"].strip()
        case _:
            return found["single"] if found["single"] is not None else found["double"]


def value_at(value: JsonValue, steps: tuple[Step, ...]) -> JsonValue:
    """What lies there, or `ABSENT`; raises `KeptRaw` where there is nothing to step into."""
    for step in steps:
        if value is ABSENT or value is None:
            _refuse_index(step)
            return ABSENT
        value = _inside(value, step)
    return value


def with_value(value: JsonValue, steps: tuple[Step, ...], new: JsonValue) -> JsonValue:
    """A copy with `new` at the place; objects that are missing on the way are made."""
    if not steps:
        return new
    step, rest = steps[0], steps[1:]
    if value is ABSENT or value is None:
        _refuse_index(step)
        value = {}
    changed = with_value(_inside(value, step), rest, new)
    if isinstance(step, int):
        if step > len(value):
            raise KeptRaw(WarningCode.ARG_TYPE_INVALID, "an index beyond the end of the list")
        return [*value[:step], changed, *value[step + 1 :]]
    return {**value, step: changed}


def without_value(value: JsonValue, steps: tuple[Step, ...]) -> JsonValue:
    """A copy without the place, which must be there."""
    step, rest = steps[0], steps[1:]
    if rest:
        return with_value(value, (step,), without_value(_inside(value, step), rest))
    if isinstance(step, int):
        return [*value[:step], *value[step + 1 :]]
    return {key: item for key, item in value.items() if key != step}


def _inside(value: JsonValue, step: Step) -> JsonValue:
    match value, step:
        case dict(), str():
            return value.get(step, ABSENT)
        case list(), int():
            return value[step] if step < len(value) else ABSENT
        case _, int():
            raise KeptRaw(WarningCode.PARSE_FAILED, "an index into something that is no list")
        case _:
            raise KeptRaw(WarningCode.ARG_TYPE_INVALID, "a path through a value without fields")


def _refuse_index(step: Step) -> None:
    if isinstance(step, int):
        raise KeptRaw(WarningCode.PARSE_FAILED, "an index into something that is no list")
