"""The variables of a run: what was stored, under what the run has written so far."""

from collections.abc import Mapping
from enum import Enum
from typing import TypeAlias

from yarrow.json_values import JsonValue
from yarrow.prompting.macros.model import (
    MacroEnvironment,
    Mutation,
    MutationKind,
    MutationScope,
)


class Absent(Enum):
    """No such variable, as distinct from one that is null."""

    ABSENT = "absent"


ABSENT = Absent.ABSENT
Changes: TypeAlias = dict[str, JsonValue]


class Variables:
    """Both scopes and the merged view. Values are replaced, never changed in place."""

    __slots__ = ("_changes", "_environment")

    def __init__(self, environment: MacroEnvironment) -> None:
        self._environment = environment
        self._changes: dict[MutationScope, Changes] = {
            MutationScope.BRANCH: {},
            MutationScope.GLOBAL: {},
        }

    def fork(self) -> "Variables":
        """A copy to write into without consequences."""
        copy = Variables(self._environment)
        copy._changes = {scope: dict(changes) for scope, changes in self._changes.items()}
        return copy

    def get(self, scope: MutationScope, key: str) -> JsonValue:
        """The variable called exactly `key`, or `ABSENT`."""
        changes = self._changes[scope]
        return changes[key] if key in changes else self._base(scope).get(key, ABSENT)

    def apply(self, mutation: Mutation) -> None:
        """Makes a write visible to what is read later."""
        value = mutation.value if mutation.kind is MutationKind.SET else ABSENT
        self._changes[mutation.scope][mutation.key] = value

    def is_stored(self, key: str) -> bool:
        """Whether `{{key}}` reads something."""
        changed = any(key in changes for changes in self._changes.values())
        return (changed or key in self._environment.stored) and self.merged(key) is not ABSENT

    def merged(self, key: str) -> JsonValue:
        """What `{{key}}` reads, or `ABSENT`.

        The stored view does not say which scope a value came from. It came from the scope that
        holds the same value; a value that neither scope holds comes from one that hides both.
        A deleted variable uncovers the global one.
        """
        stored = self._environment.stored.get(key, ABSENT)
        for scope, below in (
            (MutationScope.BRANCH, self._environment.shared),
            (MutationScope.GLOBAL, {}),
        ):
            own = self._base(scope).get(key, ABSENT)
            if key not in self._changes[scope] or stored not in (ABSENT, own):
                continue
            if (changed := self._changes[scope][key]) is not ABSENT:
                return changed
            stored = below.get(key, ABSENT)
        return stored

    def _base(self, scope: MutationScope) -> Mapping[str, JsonValue]:
        match scope:
            case MutationScope.BRANCH:
                return self._environment.local
            case MutationScope.GLOBAL:
                return self._environment.shared
