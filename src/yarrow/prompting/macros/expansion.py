"""The state of expanding one text: what effects read, write and complain to."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from yarrow.prompting.macros.model import (
    MacroEnvironment,
    MacroLimits,
    MacroTrace,
    MacroWarning,
    Mutation,
    Phase,
    SelectedBranch,
    SourceKind,
    WarningCode,
)
from yarrow.prompting.macros.values import shown_value
from yarrow.prompting.macros.variables import Variables

CLIPPED = 200
"""How many characters of a text a warning or a trace shows."""

_MOST_WARNINGS = 1_000
_MOST_TRACES = 2_000
"""Per run: a report is read by people."""

_DEEPEST = 48
"""No limit goes deeper: each level takes a few of Python's frames."""

_DRY = frozenset({Phase.PREVIEW, Phase.DRY_RUN})


class KeptRaw(Exception):
    """The macro stays in the text as it was written."""

    def __init__(self, code: WarningCode, message: str) -> None:
        super().__init__(message)
        self.code, self.message = code, message


@dataclass(slots=True)
class Journal:
    """What happened, in order. A peek writes into one that nobody reads."""

    warnings: list[MacroWarning] = field(default_factory=list)
    used: dict[str, None] = field(default_factory=dict)
    mutations: list[Mutation] = field(default_factory=list)
    traces: list[MacroTrace] = field(default_factory=list)

    def copy(self) -> "Journal":
        return Journal(
            list(self.warnings), dict(self.used), list(self.mutations), list(self.traces)
        )


class Expansion(msgspec.Struct, gc=False):
    """One text on its way; an outlet inside it shares its counters and has its own source."""

    environment: MacroEnvironment
    phase: Phase
    limits: MacroLimits
    variables: Variables
    journal: Journal
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
    said: tuple[WarningCode, ...] = ()
    """Limits that were reported: once for a text is enough."""

    @property
    def deepest(self) -> int:
        """How many levels of macros, blocks or path steps there may be."""
        return min(self.limits.depth, _DEEPEST)

    def warn(self, code: WarningCode, message: str, *, name: str, start: int, end: int) -> None:
        """Reports a macro of the current source."""
        if len(self.journal.warnings) < _MOST_WARNINGS:
            raw = self.source[start:end][:CLIPPED]
            self.journal.warnings.append(MacroWarning(code, message, name, raw))

    def warn_once(self, code: WarningCode, message: str, *, name: str, start: int) -> None:
        """Reports a limit, which every further macro of this text would run into as well."""
        if code not in self.said:
            self.said += (code,)
            self.warn(code, message, name=name, start=start, end=start + CLIPPED)

    def trace(
        self,
        name: str,
        resolved: str,
        *,
        start: int,
        end: int,
        kind: SourceKind,
        branch: SelectedBranch | None = None,
    ) -> None:
        if len(self.journal.traces) < _MOST_TRACES:
            raw = self.source[start:end][:CLIPPED]
            self.journal.traces.append(
                MacroTrace(name, raw, resolved[:CLIPPED], self.phase, kind, branch)
            )

    def apply(self, mutation: Mutation, call: "Call") -> bool:
        """Makes a write; False when this phase writes nothing, `KeptRaw` when it is too much."""
        if self.phase is Phase.COMMIT_CONSUME:
            message = "nothing is written while staged writes are consumed"
            call.warn(WarningCode.EVAL_PHASE_DISALLOWED, message)
            return False
        self._require_room(mutation)
        self.writes += 1
        self.variables.apply(mutation)
        self.journal.mutations.append(mutation)
        if self.phase in _DRY:
            message = "shown as a would-be write, not stored"
            call.warn(WarningCode.PREVIEW_SIDE_EFFECT_SUPPRESSED, message)
        return True

    def _require_room(self, mutation: Mutation) -> None:
        longest = self.limits.expanded_length
        if self.cut or len(shown_value(mutation.value)) > longest:
            code = WarningCode.EXPANDED_LENGTH_LIMIT_EXCEEDED
            raise KeptRaw(code, f"a variable holds at most {longest} characters")
        if self.writes >= self.limits.writes:
            code = WarningCode.MUTATION_LIMIT_EXCEEDED
            raise KeptRaw(code, f"more than {self.limits.writes} writes")


class Call(msgspec.Struct, frozen=True, gc=False):
    """A macro with its arguments evaluated, on its way to its effect."""

    at: Expansion
    name: str
    args: Sequence[str]
    start: int
    end: int
    render_outlet: Callable[[str], str]

    def warn(self, code: WarningCode, message: str) -> None:
        self.at.warn(code, message, name=self.name, start=self.start, end=self.end)
