"""Paths into structured variables: `资产.金币`, `bag['old coins'].count`, `list[0]`.

A path is used only if no variable has the whole text as its name.
"""

import re
from typing import TypeAlias

import msgspec

from yarrow.kit.json import JsonValue
from yarrow.prompting.macros.expansion import KeepRaw
from yarrow.prompting.macros.model import MacroWarningCode
from yarrow.prompting.macros.variables import ABSENT, VariableValue

_STEP = re.compile(
    r"""(?P<dot>\.?)(?P<name>[^.\[\]]+)"""
    r"""|\[\s*(?:'(?P<single>[^']*)'|"(?P<double>[^"]*)"|(?P<index>\d{1,9}))\s*\]""",
    re.ASCII,
)

PathStep: TypeAlias = str | int


class VariablePath(msgspec.Struct, frozen=True, gc=False):
    """A variable and the steps to a value inside it."""

    root: str
    steps: tuple[PathStep, ...]


def looks_like_path(key: str) -> bool:
    return "." in key or "[" in key


def parse_path(text: str, *, max_steps: int) -> VariablePath:
    """Parse a path; raises `KeepRaw` if it is none or has more than `max_steps` steps."""
    steps: list[PathStep] = []
    position = 0
    while position < len(text):
        match = _STEP.match(text, position)
        if match is None or _is_misplaced(match, first=not steps):
            raise KeepRaw(MacroWarningCode.PARSE_FAILED, "not a variable path")
        steps.append(_parse_step(match))
        position = match.end()
        if len(steps) > max_steps:
            raise KeepRaw(MacroWarningCode.DEPTH_LIMIT_EXCEEDED, f"more than {max_steps} steps")
    root = steps[0] if steps else 0
    if isinstance(root, int):
        raise KeepRaw(MacroWarningCode.PARSE_FAILED, "a path begins with a name")
    return VariablePath(root, tuple(steps[1:]))


def _is_misplaced(match: re.Match[str], *, first: bool) -> bool:
    """A name needs a dot before it, except the first, which must not have one."""
    name = match["name"]
    return name is not None and (bool(match["dot"]) is first or not name.strip())


def _parse_step(match: re.Match[str]) -> PathStep:
    match match.lastgroup:
        case "index":
            return int(match["index"])
        case "name":
            return match["name"].strip()
        case _:
            return match["single"] if match["single"] is not None else match["double"]


def get_at_path(value: VariableValue, steps: tuple[PathStep, ...]) -> VariableValue:
    """Return the value at the path or `ABSENT`; raises `KeepRaw` on a value without children."""
    for step in steps:
        if value is ABSENT or value is None:
            _refuse_index(step)
            return ABSENT
        value = _get_child(value, step)
    return value


def set_at_path(value: VariableValue, steps: tuple[PathStep, ...], new: JsonValue) -> JsonValue:
    """Return a copy with `new` at the path; missing objects on the way are created."""
    if not steps:
        return new
    step, rest = steps[0], steps[1:]
    if value is ABSENT or value is None:
        _refuse_index(step)
        value = {}
    changed = set_at_path(_get_child(value, step), rest, new)
    match value, step:
        case list(), int():
            if step > len(value):
                raise KeepRaw(
                    MacroWarningCode.ARG_TYPE_INVALID, "an index beyond the end of the list"
                )
            return [*value[:step], changed, *value[step + 1 :]]
        case dict(), str():
            return {**value, step: changed}
        case _:
            raise _no_child(step)


def delete_at_path(value: VariableValue, steps: tuple[PathStep, ...]) -> JsonValue:
    """Return a copy without the value at the path, which must exist."""
    step, rest = steps[0], steps[1:]
    if rest:
        return set_at_path(value, (step,), delete_at_path(_get_child(value, step), rest))
    match value, step:
        case list(), int():
            return [*value[:step], *value[step + 1 :]]
        case dict(), str():
            return {key: item for key, item in value.items() if key != step}
        case _:
            raise _no_child(step)


def _get_child(value: VariableValue, step: PathStep) -> VariableValue:
    match value, step:
        case dict(), str():
            child: VariableValue = value.get(step, ABSENT)
            return child
        case list(), int():
            return value[step] if step < len(value) else ABSENT
        case _:
            raise _no_child(step)


def _no_child(step: PathStep) -> KeepRaw:
    if isinstance(step, int):
        return KeepRaw(MacroWarningCode.PARSE_FAILED, "an index into something that is no list")
    return KeepRaw(MacroWarningCode.ARG_TYPE_INVALID, "a path through a value without fields")


def _refuse_index(step: PathStep) -> None:
    if isinstance(step, int):
        raise _no_child(step)
