"""Paths into structured variables: `资产.金币`, `bag['old coins'].count`, `list[0]`.

A path is tried only when no variable has the whole text as its name.
"""

import re
from typing import TypeAlias

import msgspec

from yarrow.kit.json import JsonValue
from yarrow.prompting.macros.expansion import KeepRaw
from yarrow.prompting.macros.model import MacroWarningCode
from yarrow.prompting.macros.variables import ABSENT

_STEP = re.compile(
    r"""(?P<dot>\.?)(?P<name>[^.\[\]]+)"""
    r"""|\[\s*(?:'(?P<single>[^']*)'|"(?P<double>[^"]*)"|(?P<index>\d{1,9}))\s*\]""",
    re.ASCII,
)

PathStep: TypeAlias = str | int


class VariablePath(msgspec.Struct, frozen=True, gc=False):
    """A variable and the way to a place inside it."""

    root: str
    steps: tuple[PathStep, ...]


def looks_like_path(key: str) -> bool:
    return "." in key or "[" in key


def parse_path(text: str, *, longest: int) -> VariablePath:
    """Raises `KeepRaw` when the text is no path, or has more steps than `longest`."""
    steps: list[PathStep] = []
    position = 0
    while position < len(text):
        found = _STEP.match(text, position)
        if found is None or _is_misplaced(found, first=not steps):
            raise KeepRaw(MacroWarningCode.PARSE_FAILED, "not a variable path")
        steps.append(_parse_step(found))
        position = found.end()
        if len(steps) > longest:
            raise KeepRaw(MacroWarningCode.DEPTH_LIMIT_EXCEEDED, f"more than {longest} steps")
    root = steps[0] if steps else 0
    if isinstance(root, int):
        raise KeepRaw(MacroWarningCode.PARSE_FAILED, "a path begins with a name")
    return VariablePath(root, tuple(steps[1:]))


def _is_misplaced(found: re.Match[str], *, first: bool) -> bool:
    """A name needs a dot before it, except at the beginning, where it must not have one."""
    name = found["name"]
    return name is not None and (bool(found["dot"]) is first or not name.strip())


def _parse_step(found: re.Match[str]) -> PathStep:
    match found.lastgroup:
        case "index":
            return int(found["index"])
        case "name":
            return found["name"].strip()
        case _:
            return found["single"] if found["single"] is not None else found["double"]


def get_at_path(value: JsonValue, steps: tuple[PathStep, ...]) -> JsonValue:
    """What lies there, or `ABSENT`; raises `KeepRaw` where there is nothing to step into."""
    for step in steps:
        if value is ABSENT or value is None:
            _refuse_index(step)
            return ABSENT
        value = _get_child(value, step)
    return value


def set_at_path(value: JsonValue, steps: tuple[PathStep, ...], new: JsonValue) -> JsonValue:
    """A copy with `new` at the place; objects that are missing on the way are made."""
    if not steps:
        return new
    step, rest = steps[0], steps[1:]
    if value is ABSENT or value is None:
        _refuse_index(step)
        value = {}
    changed = set_at_path(_get_child(value, step), rest, new)
    if isinstance(step, int):
        if step > len(value):
            raise KeepRaw(MacroWarningCode.ARG_TYPE_INVALID, "an index beyond the end of the list")
        return [*value[:step], changed, *value[step + 1 :]]
    return {**value, step: changed}


def delete_at_path(value: JsonValue, steps: tuple[PathStep, ...]) -> JsonValue:
    """A copy without the place, which must be there."""
    step, rest = steps[0], steps[1:]
    if rest:
        return set_at_path(value, (step,), delete_at_path(_get_child(value, step), rest))
    if isinstance(step, int):
        return [*value[:step], *value[step + 1 :]]
    return {key: item for key, item in value.items() if key != step}


def _get_child(value: JsonValue, step: PathStep) -> JsonValue:
    match value, step:
        case dict(), str():
            return value.get(step, ABSENT)
        case list(), int():
            return value[step] if step < len(value) else ABSENT
        case _, int():
            raise KeepRaw(MacroWarningCode.PARSE_FAILED, "an index into something that is no list")
        case _:
            raise KeepRaw(
                MacroWarningCode.ARG_TYPE_INVALID, "a path through a value without fields"
            )


def _refuse_index(step: PathStep) -> None:
    if isinstance(step, int):
        raise KeepRaw(MacroWarningCode.PARSE_FAILED, "an index into something that is no list")
