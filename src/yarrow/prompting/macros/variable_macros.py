"""Macros that read and write variables, and paths such as `hero.bag[0]` to values inside them."""

import re
from typing import TypeAlias

import msgspec
from msgspec import Struct

from yarrow.kit.json import JsonValue, decode_json
from yarrow.prompting.macros.expansion import ABSENT, KeepRaw, MacroCall, VariableValue
from yarrow.prompting.macros.model import (
    MacroWarningCode,
    MutationKind,
    MutationScope,
    VariableMutation,
)
from yarrow.prompting.macros.values import format_number, format_value, parse_number

_MAX_NAME_LENGTH = 512

_STEP = re.compile(
    r"""(?P<dot>\.?)(?P<name>[^.\[\]]+)"""
    r"""|\[\s*(?:'(?P<single>[^']*)'|"(?P<double>[^"]*)"|(?P<index>\d{1,9}))\s*\]""",
    re.ASCII,
)

PathStep: TypeAlias = str | int


class VariablePath(Struct, frozen=True, gc=False):
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
            raise _make_child_error(step)


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
            raise _make_child_error(step)


def _get_child(value: VariableValue, step: PathStep) -> VariableValue:
    match value, step:
        case dict(), str():
            child: VariableValue = value.get(step, ABSENT)
            return child
        case list(), int():
            return value[step] if step < len(value) else ABSENT
        case _:
            raise _make_child_error(step)


def _make_child_error(step: PathStep) -> KeepRaw:
    if isinstance(step, int):
        return KeepRaw(MacroWarningCode.PARSE_FAILED, "an index into something that is no list")
    return KeepRaw(MacroWarningCode.ARG_TYPE_INVALID, "a path through a value without fields")


def _refuse_index(step: PathStep) -> None:
    if isinstance(step, int):
        raise _make_child_error(step)


class VariableEffects:
    """The effects of one scope: `getvar` and its siblings, or `getglobalvar` and its siblings."""

    def __init__(self, scope: MutationScope) -> None:
        self._scope = scope

    def get(self, call: MacroCall) -> str:
        return format_value(_replace_absent(self._read_variable(call, self._locate_variable(call))))

    def has(self, call: MacroCall) -> str:
        return (
            "false" if self._read_variable(call, self._locate_variable(call)) is ABSENT else "true"
        )

    def set(self, call: MacroCall) -> str:
        self._write_variable(call, self._locate_variable(call), call.args[1])
        return ""

    def add(self, call: MacroCall) -> str:
        path = self._locate_variable(call)
        self._write_variable(call, path, _add_values(self._read_variable(call, path), call.args[1]))
        return ""

    def increase(self, call: MacroCall) -> str:
        return self._step_number(call, 1)

    def decrease(self, call: MacroCall) -> str:
        return self._step_number(call, -1)

    def delete(self, call: MacroCall) -> str:
        """Delete a variable, even a missing one; a missing value inside a variable is ignored."""
        path = self._locate_variable(call)
        if not path.steps:
            call.state.apply(VariableMutation(MutationKind.DELETE, self._scope, path.root), call)
        elif self._read_variable(call, path) is not ABSENT:
            root = call.state.variables.get(self._scope, path.root)
            self._write_variable(
                call, VariablePath(path.root, ()), delete_at_path(root, path.steps)
            )
        return ""

    def _step_number(self, call: MacroCall, step: int) -> str:
        """Add `step` to the number and return it; the old value if nothing was written."""
        path = self._locate_variable(call)
        old = format_value(_replace_absent(self._read_variable(call, path)))
        new = format_number((parse_number(old) or 0.0) + step)
        return new if self._write_variable(call, path, new) else old

    def _locate_variable(self, call: MacroCall) -> VariablePath:
        name = call.args[0].strip()
        if not name:
            raise KeepRaw(MacroWarningCode.ARG_ARITY_INVALID, "the variable has no name")
        if len(name) > _MAX_NAME_LENGTH:
            code = MacroWarningCode.EXPANDED_LENGTH_LIMIT_EXCEEDED
            raise KeepRaw(code, f"a variable's name has at most {_MAX_NAME_LENGTH} characters")
        if not looks_like_path(name) or call.state.variables.get(self._scope, name) is not ABSENT:
            return VariablePath(name, ())
        return parse_path(name, max_steps=call.state.max_depth)

    def _read_variable(self, call: MacroCall, path: VariablePath) -> VariableValue:
        return get_at_path(call.state.variables.get(self._scope, path.root), path.steps)

    def _write_variable(self, call: MacroCall, path: VariablePath, value: JsonValue) -> bool:
        if path.steps:
            root = call.state.variables.get(self._scope, path.root)
            value = set_at_path(root, path.steps, value)
        return call.state.apply(
            VariableMutation(MutationKind.SET, self._scope, path.root, value), call
        )


def _replace_absent(value: VariableValue) -> JsonValue:
    return None if value is ABSENT else value


def _add_values(old: VariableValue, added: str) -> JsonValue:
    """Add numbers, append to a list, or join as text."""
    if isinstance(old, list):
        return [*old, added]
    text = format_value(_replace_absent(old))
    if (items := _parse_list(text)) is not None:
        return format_value([*items, added])
    left, right = parse_number(text or "0"), parse_number(added)
    if left is None or right is None:
        return text + added
    return format_number(left + right)


def _parse_list(text: str) -> list[JsonValue] | None:
    """Parse a JSON list: SillyTavern stores lists in text variables."""
    if not text.startswith("["):
        return None
    try:
        value = decode_json(text)
    except (msgspec.DecodeError, RecursionError):
        return None
    return value if isinstance(value, list) else None
