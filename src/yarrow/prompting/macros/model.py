"""What goes into a macro run and what comes out of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

import msgspec

from yarrow.kit.json import JsonValue


class MacroPhase(StrEnum):
    """When a text is expanded; it decides what a write does."""

    IMPORT = "import"
    PREVIEW = "preview"
    DRY_RUN = "dry_run"
    ASSEMBLE = "assemble"
    COMMIT_CONSUME = "commit_consume"


@dataclass(frozen=True, slots=True)
class MacroLimits:
    """How far one text may go.

    `expanded_length` is how much longer than its source a text may become, and how long a
    variable may be.
    """

    depth: int = 24
    steps: int = 256
    expanded_length: int = 32_768
    writes: int = 64


@dataclass(frozen=True, slots=True)
class MacroEnvironment:
    """Everything a macro may read.

    `values` holds the read-only macros by lower-case name; None is an optional value that is
    missing. They are data: a macro inside a value is not expanded. `stored` is the merged view
    page > floor > branch > chat > global, `now` is aware and in the zone the user sees. Dice
    follow from `seed`, the text's place and the position in it; `pick` from `chat_id`, the raw
    text and the position. `defaults` has names for which neither a value nor a variable was given.
    """

    values: Mapping[str, str | None]
    local: Mapping[str, JsonValue]
    shared: Mapping[str, JsonValue]
    stored: Mapping[str, JsonValue]
    now: datetime
    idle_since: datetime | None = None
    seed: str = ""
    chat_id: str = ""
    defaults: Mapping[str, str] = field(default_factory=dict)


class MutationKind(StrEnum):
    """What a write does to a variable."""

    SET = "set"
    DELETE = "delete"


class MutationScope(StrEnum):
    """Whose variable is written: the branch's (`.x`) or everybody's (`$x`)."""

    BRANCH = "branch"
    GLOBAL = "global"


class VariableMutation(msgspec.Struct, frozen=True, gc=False):
    """One write of a variable as a whole, in the order of the writes."""

    kind: MutationKind
    scope: MutationScope
    key: str
    value: JsonValue = None


class MacroWarningCode(StrEnum):
    """What can be wrong with a text; nothing of it stops an assembly."""

    UNKNOWN = "macro_unknown"
    VALUE_MISSING = "macro_value_missing"
    PARSE_FAILED = "macro_parse_failed"
    ARG_ARITY_INVALID = "macro_arg_arity_invalid"
    ARG_TYPE_INVALID = "macro_arg_type_invalid"
    CONDITION_UNSUPPORTED = "macro_condition_unsupported"
    CYCLE_DETECTED = "macro_cycle_detected"
    DEPTH_LIMIT_EXCEEDED = "macro_depth_limit_exceeded"
    STEP_LIMIT_EXCEEDED = "macro_step_limit_exceeded"
    EXPANDED_LENGTH_LIMIT_EXCEEDED = "macro_expanded_length_limit_exceeded"
    MUTATION_LIMIT_EXCEEDED = "macro_mutation_limit_exceeded"
    UNMATCHED_CLOSING_BLOCK = "macro_unmatched_closing_block"
    SCOPED_BLOCK_UNCLOSED = "macro_scoped_block_unclosed"
    PREVIEW_SIDE_EFFECT_SUPPRESSED = "macro_preview_side_effect_suppressed"
    EVAL_PHASE_DISALLOWED = "macro_eval_phase_disallowed"
    READONLY_NAME_CONFLICT = "macro_readonly_name_conflict"
    INTERNAL_ERROR = "macro_internal_error"


class MacroWarning(msgspec.Struct, frozen=True, gc=False):
    """One thing that was not expanded as written; `raw_text` is clipped."""

    code: MacroWarningCode
    message: str
    macro_name: str
    raw_text: str


class MacroTraceKind(StrEnum):
    """What a trace is about."""

    TEXT = "text"
    RAW = "raw"
    MACRO = "macro"
    IF = "if"


class SelectedBranch(StrEnum):
    """Which side of an if block was taken; RAW when its condition could not be judged."""

    THEN = "then"
    ELSE = "else"
    RAW = "raw"


class MacroTrace(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """What one macro or block became; both texts are clipped."""

    macro_name: str
    raw_text: str
    resolved_text: str
    phase: MacroPhase
    source_kind: MacroTraceKind
    selected_branch: SelectedBranch | None = None


class MacroReport(msgspec.Struct, frozen=True):
    """All that a run has to tell; `used_names` in the order of first use."""

    warnings: tuple[MacroWarning, ...]
    used_names: tuple[str, ...]
    mutation_preview: tuple[VariableMutation, ...]
    staged_mutations: tuple[VariableMutation, ...]
    traces: tuple[MacroTrace, ...]
