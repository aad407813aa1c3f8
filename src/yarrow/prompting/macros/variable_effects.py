"""Macros that read and write variables."""

import msgspec

from yarrow.kit.json import JsonValue, decode_json
from yarrow.prompting.macros.expansion import Call, KeptRaw
from yarrow.prompting.macros.model import Mutation, MutationKind, MutationScope, WarningCode
from yarrow.prompting.macros.paths import (
    Path,
    looks_like_path,
    read_path,
    value_at,
    with_value,
    without_value,
)
from yarrow.prompting.macros.values import finite_number, shown_number, shown_value
from yarrow.prompting.macros.variables import ABSENT

_LONGEST_NAME = 512


class VariableEffects:
    """The effects of one scope: `getvar` and its siblings, or `getglobalvar` and its own."""

    def __init__(self, scope: MutationScope) -> None:
        self._scope = scope

    def get(self, call: Call) -> str:
        return shown_value(_or_none(self._read(call, self._locate(call))))

    def has(self, call: Call) -> str:
        return "false" if self._read(call, self._locate(call)) is ABSENT else "true"

    def set(self, call: Call) -> str:
        self._write(call, self._locate(call), call.args[1])
        return ""

    def add(self, call: Call) -> str:
        path = self._locate(call)
        self._write(call, path, _sum(self._read(call, path), call.args[1]))
        return ""

    def increase(self, call: Call) -> str:
        return self._count(call, 1)

    def decrease(self, call: Call) -> str:
        return self._count(call, -1)

    def delete(self, call: Call) -> str:
        """A missing variable is deleted all the same; a missing place inside one is not."""
        path = self._locate(call)
        if not path.steps:
            call.at.apply(Mutation(MutationKind.DELETE, self._scope, path.root), call)
        elif self._read(call, path) is not ABSENT:
            root = call.at.variables.get(self._scope, path.root)
            self._write(call, Path(path.root, ()), without_value(root, path.steps))
        return ""

    def _count(self, call: Call, step: int) -> str:
        """The new value; what is no number counts as zero. The old value if nothing is written."""
        path = self._locate(call)
        old = shown_value(_or_none(self._read(call, path)))
        new = shown_number((finite_number(old) or 0.0) + step)
        return new if self._write(call, path, new) else old

    def _locate(self, call: Call) -> Path:
        name = call.args[0].strip()
        if not name:
            raise KeptRaw(WarningCode.ARG_ARITY_INVALID, "the variable has no name")
        if len(name) > _LONGEST_NAME:
            code = WarningCode.EXPANDED_LENGTH_LIMIT_EXCEEDED
            raise KeptRaw(code, f"a variable's name has at most {_LONGEST_NAME} characters")
        if not looks_like_path(name) or call.at.variables.get(self._scope, name) is not ABSENT:
            return Path(name, ())
        return read_path(name, longest=call.at.deepest)

    def _read(self, call: Call, path: Path) -> JsonValue:
        return value_at(call.at.variables.get(self._scope, path.root), path.steps)

    def _write(self, call: Call, path: Path, value: JsonValue) -> bool:
        if path.steps:
            root = call.at.variables.get(self._scope, path.root)
            value = with_value(root, path.steps, value)
        return call.at.apply(Mutation(MutationKind.SET, self._scope, path.root, value), call)


def _or_none(value: JsonValue) -> JsonValue:
    return None if value is ABSENT else value


def _sum(old: JsonValue, added: str) -> JsonValue:
    """Numbers are added, a list gets one more item, anything else is joined as text."""
    if isinstance(old, list):
        return [*old, added]
    text = shown_value(_or_none(old))
    if (items := _list_in(text)) is not None:
        return shown_value([*items, added])
    left, right = finite_number(text or "0"), finite_number(added)
    if left is None or right is None:
        return text + added
    return shown_number(left + right)


def _list_in(text: str) -> list[JsonValue] | None:
    """The list that a text writes as JSON, as SillyTavern keeps lists in text variables."""
    if not text.startswith("["):
        return None
    try:
        value = decode_json(text)
    except (msgspec.DecodeError, RecursionError):
        return None
    return value if isinstance(value, list) else None
