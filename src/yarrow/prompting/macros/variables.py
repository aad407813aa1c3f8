"""The variables of a run: stored values with the run's writes on top."""

from enum import Enum
from typing import Final, TypeAlias

from yarrow.kit.json import JsonMapping, JsonValue
from yarrow.prompting.macros.model import (
    MacroEnvironment,
    MutationKind,
    MutationScope,
    VariableMutation,
)


class AbsentVariable(Enum):
    """No such variable, as distinct from one that is null."""

    ABSENT = "absent"


ABSENT: Final = AbsentVariable.ABSENT
VariableValue: TypeAlias = JsonValue | AbsentVariable
VariableChanges: TypeAlias = dict[str, VariableValue]


class VariableOverlay:
    """Both scopes and the merged view. Values are replaced, never modified."""

    __slots__ = ("_bases", "_changes", "_environment", "_written")

    def __init__(self, environment: MacroEnvironment) -> None:
        self._environment = environment
        self._bases: dict[MutationScope, JsonMapping] = {
            MutationScope.BRANCH: environment.local,
            MutationScope.GLOBAL: environment.shared,
        }
        self._changes: dict[MutationScope, VariableChanges] = {
            MutationScope.BRANCH: {},
            MutationScope.GLOBAL: {},
        }
        self._written: set[str] = set()

    def fork(self) -> "VariableOverlay":
        """Return a copy whose writes do not affect this one."""
        copy = VariableOverlay(self._environment)
        copy._changes = {scope: dict(changes) for scope, changes in self._changes.items()}
        copy._written = set(self._written)
        return copy

    def get(self, scope: MutationScope, key: str) -> VariableValue:
        """Return the variable named exactly `key`, or `ABSENT`."""
        changes = self._changes[scope]
        return changes[key] if key in changes else self._bases[scope].get(key, ABSENT)

    def apply(self, mutation: VariableMutation) -> None:
        """Apply a write."""
        value = mutation.value if mutation.kind is MutationKind.SET else ABSENT
        self._changes[mutation.scope][mutation.key] = value
        self._written.add(mutation.key)

    def is_stored(self, key: str) -> bool:
        """Whether `{{key}}` has a value."""
        if key not in self._written and key not in self._environment.stored:
            return False
        return self.read_merged(key) is not ABSENT

    def read_merged(self, key: str) -> VariableValue:
        """Return what `{{key}}` reads, or `ABSENT`.

        The stored view does not say which scope a value came from. It is the scope that has the
        same value; a value that neither scope has comes from a scope that hides both. Deleting a
        variable uncovers the global one.
        """
        stored: VariableValue = self._environment.stored.get(key, ABSENT)
        for scope, fallback in (
            (MutationScope.BRANCH, self._environment.shared),
            (MutationScope.GLOBAL, {}),
        ):
            own = self._bases[scope].get(key, ABSENT)
            if key not in self._changes[scope] or stored not in (ABSENT, own):
                continue
            if (changed := self._changes[scope][key]) is not ABSENT:
                return changed
            stored = fallback.get(key, ABSENT)
        return stored
