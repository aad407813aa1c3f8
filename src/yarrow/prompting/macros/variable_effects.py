"""Macros that read and write variables."""

import msgspec

from yarrow.kit.json import JsonValue, decode_json
from yarrow.prompting.macros.expansion import KeepRaw, MacroCall
from yarrow.prompting.macros.model import (
    MacroWarningCode,
    MutationKind,
    MutationScope,
    VariableMutation,
)
from yarrow.prompting.macros.paths import (
    VariablePath,
    delete_at_path,
    get_at_path,
    looks_like_path,
    parse_path,
    set_at_path,
)
from yarrow.prompting.macros.values import format_number, format_value, parse_number
from yarrow.prompting.macros.variables import ABSENT, VariableValue

_MAX_NAME_LENGTH = 512


class VariableEffects:
    """The effects of one scope: `getvar` and its siblings, or `getglobalvar` and its siblings."""

    def __init__(self, scope: MutationScope) -> None:
        self._scope = scope

    def get(self, call: MacroCall) -> str:
        return format_value(_or_none(self._read(call, self._locate(call))))

    def has(self, call: MacroCall) -> str:
        return "false" if self._read(call, self._locate(call)) is ABSENT else "true"

    def set(self, call: MacroCall) -> str:
        self._write(call, self._locate(call), call.args[1])
        return ""

    def add(self, call: MacroCall) -> str:
        path = self._locate(call)
        self._write(call, path, _sum(self._read(call, path), call.args[1]))
        return ""

    def increase(self, call: MacroCall) -> str:
        return self._count(call, 1)

    def decrease(self, call: MacroCall) -> str:
        return self._count(call, -1)

    def delete(self, call: MacroCall) -> str:
        """Delete a variable, even a missing one; a missing value inside a variable is ignored."""
        path = self._locate(call)
        if not path.steps:
            call.state.apply(VariableMutation(MutationKind.DELETE, self._scope, path.root), call)
        elif self._read(call, path) is not ABSENT:
            root = call.state.variables.get(self._scope, path.root)
            self._write(call, VariablePath(path.root, ()), delete_at_path(root, path.steps))
        return ""

    def _count(self, call: MacroCall, step: int) -> str:
        """Add `step` to the number and return it; the old value if nothing was written."""
        path = self._locate(call)
        old = format_value(_or_none(self._read(call, path)))
        new = format_number((parse_number(old) or 0.0) + step)
        return new if self._write(call, path, new) else old

    def _locate(self, call: MacroCall) -> VariablePath:
        name = call.args[0].strip()
        if not name:
            raise KeepRaw(MacroWarningCode.ARG_ARITY_INVALID, "the variable has no name")
        if len(name) > _MAX_NAME_LENGTH:
            code = MacroWarningCode.EXPANDED_LENGTH_LIMIT_EXCEEDED
            raise KeepRaw(code, f"a variable's name has at most {_MAX_NAME_LENGTH} characters")
        if not looks_like_path(name) or call.state.variables.get(self._scope, name) is not ABSENT:
            return VariablePath(name, ())
        return parse_path(name, max_steps=call.state.max_depth)

    def _read(self, call: MacroCall, path: VariablePath) -> VariableValue:
        return get_at_path(call.state.variables.get(self._scope, path.root), path.steps)

    def _write(self, call: MacroCall, path: VariablePath, value: JsonValue) -> bool:
        if path.steps:
            root = call.state.variables.get(self._scope, path.root)
            value = set_at_path(root, path.steps, value)
        return call.state.apply(
            VariableMutation(MutationKind.SET, self._scope, path.root, value), call
        )


def _or_none(value: VariableValue) -> JsonValue:
    return None if value is ABSENT else value


def _sum(old: VariableValue, added: str) -> JsonValue:
    """Add numbers, append to a list, or join as text."""
    if isinstance(old, list):
        return [*old, added]
    text = format_value(_or_none(old))
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
