"""Input and output of a macro run."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum

from msgspec import Struct, field

from yarrow.kit.json import JsonMapping, JsonValue


class MacroPhase(StrEnum):
    """When a text is expanded; decides what variable writes do."""

    IMPORT = "import"
    PREVIEW = "preview"
    DRY_RUN = "dry_run"
    ASSEMBLE = "assemble"
    COMMIT_CONSUME = "commit_consume"


DRY_PHASES = frozenset({MacroPhase.PREVIEW, MacroPhase.DRY_RUN})
"""Variable writes are only shown, and never stored."""


class MacroLimits(Struct, frozen=True):
    """Limits for expanding one text.

    `expanded_length` limits how much longer than its source a text may become, and the length of a
    variable.
    """

    depth: int = 24
    steps: int = 256
    expanded_length: int = 32_768
    writes: int = 64


class MacroEnvironment(Struct, frozen=True):
    """Everything a macro may read.

    `values` are the read-only macros by lower-case name; None is a missing optional value. They are
    data: macros inside a value are not expanded. `stored` is the merged view of all variable
    scopes, from message to global. `now` is aware, in the user's time zone. Dice are seeded by
    `seed`, the text's place and the position in it; `pick` by `chat_id`, the raw text and the
    position. `defaults` are used if neither a value nor a variable exists.
    """

    values: Mapping[str, str | None]
    local: JsonMapping
    shared: JsonMapping
    stored: JsonMapping
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
    """The scope of a variable: branch (`.x`) or global (`$x`)."""

    BRANCH = "branch"
    GLOBAL = "global"


class VariableMutation(Struct, frozen=True, gc=False):
    """One write of a whole variable."""

    kind: MutationKind
    scope: MutationScope
    key: str
    value: JsonValue = None


class MacroWarningCode(StrEnum):
    """Problems of a text; none of them stops an assembly."""

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


class MacroWarning(Struct, frozen=True, gc=False):
    """A macro that was not expanded as written; `raw_text` is an excerpt."""

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
    """Which branch of an if block was used; RAW if its condition is invalid."""

    THEN = "then"
    ELSE = "else"
    RAW = "raw"


class MacroTrace(Struct, frozen=True, gc=False, omit_defaults=True):
    """What one macro or block expanded to; both texts are excerpts."""

    macro_name: str
    raw_text: str
    resolved_text: str
    phase: MacroPhase
    source_kind: MacroTraceKind
    selected_branch: SelectedBranch | None = None


class MacroReport(Struct, frozen=True):
    """Everything a run reports; `used_names` in order of first use."""

    warnings: tuple[MacroWarning, ...]
    used_names: tuple[str, ...]
    mutation_preview: tuple[VariableMutation, ...]
    staged_mutations: tuple[VariableMutation, ...]
    traces: tuple[MacroTrace, ...]
