"""The state of expanding one text: limits, variables and log of the macros in it.

`VariableOverlay` holds the variables of a run: stored values with the run's writes on top.
"""

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Final, TypeAlias

from msgspec import Struct, field

from yarrow.kit.json import JsonMapping, JsonValue
from yarrow.prompting.macros.model import (
    DRY_PHASES,
    MacroEnvironment,
    MacroLimits,
    MacroPhase,
    MacroTrace,
    MacroTraceKind,
    MacroWarning,
    MacroWarningCode,
    MutationKind,
    MutationScope,
    SelectedBranch,
    VariableMutation,
)
from yarrow.prompting.macros.values import format_value

EXCERPT_LENGTH = 200
"""How many characters of a text a warning or a trace shows."""

_MAX_WARNINGS = 1_000
_MAX_TRACES = 2_000
"""Per run: reports are read by people."""

_MAX_DEPTH = 48
"""Upper bound of all depth limits: each level takes a few Python frames."""


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


class KeepRaw(Exception):
    """The macro stays in the text as written."""

    def __init__(self, code: MacroWarningCode, message: str) -> None:
        super().__init__(message)
        self.code, self.message = code, message


class MacroLog(Struct):
    """What happened, in order. A peek writes to a log that is discarded."""

    warnings: list[MacroWarning] = field(default_factory=list)
    used: dict[str, None] = field(default_factory=dict)
    mutations: list[VariableMutation] = field(default_factory=list)
    traces: list[MacroTrace] = field(default_factory=list)

    def copy(self) -> "MacroLog":
        return MacroLog(
            list(self.warnings), dict(self.used), list(self.mutations), list(self.traces)
        )


class ExpansionState(Struct, gc=False):
    """The expansion of one text; an outlet inside it shares the counters but has its own source."""

    environment: MacroEnvironment
    phase: MacroPhase
    limits: MacroLimits
    variables: VariableOverlay
    log: MacroLog
    outlets: Mapping[str, str]
    values: Mapping[str, str]
    source: str
    trims: bool
    place: str
    max_length: int
    """The text's own length plus the allowed growth."""
    steps: int = 0
    writes: int = 0
    depth: int = 0
    cut: bool = False
    original_used: bool = False
    inside: tuple[str, ...] = ()
    reported: tuple[MacroWarningCode, ...] = ()
    """Limits that were reported for this text already."""

    @property
    def max_depth(self) -> int:
        """How many levels of macros, blocks or path steps are allowed."""
        return min(self.limits.depth, _MAX_DEPTH)

    def warn(
        self, code: MacroWarningCode, message: str, *, name: str, start: int, end: int
    ) -> None:
        """Report a macro of the current source."""
        if len(self.log.warnings) < _MAX_WARNINGS:
            raw = self.source[start:end][:EXCERPT_LENGTH]
            self.log.warnings.append(MacroWarning(code, message, name, raw))

    def warn_once(self, code: MacroWarningCode, message: str, *, name: str, start: int) -> None:
        """Report a limit once: every further macro of this text would exceed it too."""
        if code not in self.reported:
            self.reported += (code,)
            self.warn(code, message, name=name, start=start, end=start + EXCERPT_LENGTH)

    def trace(
        self,
        name: str,
        resolved: str,
        *,
        start: int,
        end: int,
        kind: MacroTraceKind,
        branch: SelectedBranch | None = None,
    ) -> None:
        if len(self.log.traces) < _MAX_TRACES:
            raw = self.source[start:end][:EXCERPT_LENGTH]
            self.log.traces.append(
                MacroTrace(name, raw, resolved[:EXCERPT_LENGTH], self.phase, kind, branch)
            )

    def apply(self, mutation: VariableMutation, call: "MacroCall") -> bool:
        """Apply a write; False if this phase does not write, `KeepRaw` if a limit is exceeded."""
        if self.phase is MacroPhase.COMMIT_CONSUME:
            message = "nothing is written while staged writes are consumed"
            call.warn(MacroWarningCode.EVAL_PHASE_DISALLOWED, message)
            return False
        self._require_room(mutation)
        self.writes += 1
        self.variables.apply(mutation)
        self.log.mutations.append(mutation)
        if self.phase in DRY_PHASES:
            message = "shown as a would-be write, not stored"
            call.warn(MacroWarningCode.PREVIEW_SIDE_EFFECT_SUPPRESSED, message)
        return True

    def _require_room(self, mutation: VariableMutation) -> None:
        max_length = self.limits.expanded_length
        if self.cut or len(format_value(mutation.value)) > max_length:
            code = MacroWarningCode.EXPANDED_LENGTH_LIMIT_EXCEEDED
            raise KeepRaw(code, f"a variable holds at most {max_length} characters")
        if self.writes >= self.limits.writes:
            code = MacroWarningCode.MUTATION_LIMIT_EXCEEDED
            raise KeepRaw(code, f"more than {self.limits.writes} writes")


class MacroCall(Struct, frozen=True, gc=False):
    """A macro with evaluated arguments, passed to its effect."""

    state: ExpansionState
    name: str
    args: Sequence[str]
    start: int
    end: int
    render_outlet: Callable[[str], str]

    def warn(self, code: MacroWarningCode, message: str) -> None:
        self.state.warn(code, message, name=self.name, start=self.start, end=self.end)
