"""The state of expanding one text: what effects read, write and complain to."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from yarrow.prompting.macros.model import (
    MacroEnvironment,
    MacroLimits,
    MacroPhase,
    MacroTrace,
    MacroTraceKind,
    MacroWarning,
    MacroWarningCode,
    SelectedBranch,
    VariableMutation,
)
from yarrow.prompting.macros.values import format_value
from yarrow.prompting.macros.variables import VariableOverlay

EXCERPT_LENGTH = 200
"""How many characters of a text a warning or a trace shows."""

_MAX_WARNINGS = 1_000
_MAX_TRACES = 2_000
"""Per run: a report is read by people."""

_MAX_DEPTH = 48
"""No limit goes deeper: each level takes a few of Python's frames."""

_DRY_PHASES = frozenset({MacroPhase.PREVIEW, MacroPhase.DRY_RUN})


class KeepRaw(Exception):
    """The macro stays in the text as it was written."""

    def __init__(self, code: MacroWarningCode, message: str) -> None:
        super().__init__(message)
        self.code, self.message = code, message


@dataclass(slots=True)
class MacroLog:
    """What happened, in order. A peek writes into one that nobody reads."""

    warnings: list[MacroWarning] = field(default_factory=list)
    used: dict[str, None] = field(default_factory=dict)
    mutations: list[VariableMutation] = field(default_factory=list)
    traces: list[MacroTrace] = field(default_factory=list)

    def copy(self) -> "MacroLog":
        return MacroLog(
            list(self.warnings), dict(self.used), list(self.mutations), list(self.traces)
        )


class ExpansionState(msgspec.Struct, gc=False):
    """One text on its way; an outlet inside it shares its counters and has its own source."""

    environment: MacroEnvironment
    phase: MacroPhase
    limits: MacroLimits
    variables: VariableOverlay
    journal: MacroLog
    outlets: Mapping[str, str]
    values: Mapping[str, str]
    source: str
    trims: bool
    place: str
    longest: int
    """What a text may grow to: its own length is its author's wish, only growth is limited."""
    steps: int = 0
    writes: int = 0
    depth: int = 0
    cut: bool = False
    original_used: bool = False
    inside: tuple[str, ...] = ()
    said: tuple[MacroWarningCode, ...] = ()
    """Limits that were reported: once for a text is enough."""

    @property
    def deepest(self) -> int:
        """How many levels of macros, blocks or path steps there may be."""
        return min(self.limits.depth, _MAX_DEPTH)

    def warn(
        self, code: MacroWarningCode, message: str, *, name: str, start: int, end: int
    ) -> None:
        """Reports a macro of the current source."""
        if len(self.journal.warnings) < _MAX_WARNINGS:
            raw = self.source[start:end][:EXCERPT_LENGTH]
            self.journal.warnings.append(MacroWarning(code, message, name, raw))

    def warn_once(self, code: MacroWarningCode, message: str, *, name: str, start: int) -> None:
        """Reports a limit, which every further macro of this text would run into as well."""
        if code not in self.said:
            self.said += (code,)
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
        if len(self.journal.traces) < _MAX_TRACES:
            raw = self.source[start:end][:EXCERPT_LENGTH]
            self.journal.traces.append(
                MacroTrace(name, raw, resolved[:EXCERPT_LENGTH], self.phase, kind, branch)
            )

    def apply(self, mutation: VariableMutation, call: "MacroCall") -> bool:
        """Makes a write; False when this phase writes nothing, `KeepRaw` when it is too much."""
        if self.phase is MacroPhase.COMMIT_CONSUME:
            message = "nothing is written while staged writes are consumed"
            call.warn(MacroWarningCode.EVAL_PHASE_DISALLOWED, message)
            return False
        self._require_room(mutation)
        self.writes += 1
        self.variables.apply(mutation)
        self.journal.mutations.append(mutation)
        if self.phase in _DRY_PHASES:
            message = "shown as a would-be write, not stored"
            call.warn(MacroWarningCode.PREVIEW_SIDE_EFFECT_SUPPRESSED, message)
        return True

    def _require_room(self, mutation: VariableMutation) -> None:
        longest = self.limits.expanded_length
        if self.cut or len(format_value(mutation.value)) > longest:
            code = MacroWarningCode.EXPANDED_LENGTH_LIMIT_EXCEEDED
            raise KeepRaw(code, f"a variable holds at most {longest} characters")
        if self.writes >= self.limits.writes:
            code = MacroWarningCode.MUTATION_LIMIT_EXCEEDED
            raise KeepRaw(code, f"more than {self.limits.writes} writes")


class MacroCall(msgspec.Struct, frozen=True, gc=False):
    """A macro with its arguments evaluated, on its way to its effect."""

    at: ExpansionState
    name: str
    args: Sequence[str]
    start: int
    end: int
    render_outlet: Callable[[str], str]

    def warn(self, code: MacroWarningCode, message: str) -> None:
        self.at.warn(code, message, name=self.name, start=self.start, end=self.end)
