"""How a prompt came about, under the names a client reads."""

from enum import StrEnum

import msgspec

from yarrow.prompting.budget import GroupUse, TrimReason
from yarrow.prompting.history import HistoryTrace
from yarrow.prompting.macros import MacroReport
from yarrow.prompting.messages import Role
from yarrow.prompting.policy import VisibilityMode
from yarrow.prompting.preset.report import TrackId
from yarrow.prompting.regex_rules import Skipped
from yarrow.prompting.structure import DeliveryTrace, StructureTrace
from yarrow.prompting.worldbook import (
    ActivationMode,
    BookKind,
    CutReason,
    FirstMatch,
    LoreWarning,
    Position,
)


class Source(StrEnum):
    """What a prompt may draw from."""

    HISTORY = "history"
    MEMORY = "memory"
    WORLDBOOK = "worldbook"
    EXAMPLES = "examples"


class ExclusionReason(StrEnum):
    """Why a source, or a piece of it, is not in the prompt."""

    DISABLED_BY_POLICY = "disabled_by_policy"
    BUDGET_TRIMMED = "budget_trimmed"
    PROVIDER_CONSTRAINT = "provider_constraint"
    VISIBILITY_FILTERED = "visibility_filtered"
    NOT_TRIGGERED = "not_triggered"


class ExcludedSource(msgspec.Struct, frozen=True):
    """A source that is left out, wholly or in part."""

    source: Source
    reason: ExclusionReason
    detail: str


class MatchSource(msgspec.Struct, frozen=True, gc=False):
    """The book of a match."""

    kind: BookKind
    worldbook_id: str | None
    worldbook_name: str


class Insertion(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """Where a match stands; depth and role only at a depth, a name only for an outlet."""

    position: Position
    depth: int | None = None
    role: Role | None = None
    outlet_name: str | None = None


class Activation(msgspec.Struct, frozen=True, gc=False):
    """Why a match is active."""

    mode: ActivationMode
    recursion_level: int
    first_match: FirstMatch | None


class WorldbookMatch(msgspec.Struct, frozen=True, gc=False):
    """One active entry."""

    uid: int
    comment: str
    content_preview: str
    order: int
    source: MatchSource
    insertion: Insertion
    activation: Activation


class WorldbookCut(msgspec.Struct, frozen=True):
    """One entry that matched and is not in the prompt."""

    uid: int
    comment: str
    source: MatchSource
    reason: CutReason
    detail: str
    token_count: int


class PresetTrace(msgspec.Struct, frozen=True):
    """Which preset was followed, and how far."""

    preset_used: bool
    selected_prompt_order_character_id: TrackId | None
    ignored_prompt_order_character_ids: tuple[TrackId, ...]
    unsupported_preset_fields: tuple[str, ...]
    ignored_preset_fields: tuple[str, ...]
    unresolved_preset_markers: tuple[str, ...]
    preset_warnings: tuple[str, ...]


class WorldbookTrace(msgspec.Struct, frozen=True):
    """What lore the turn called up."""

    hit_count: int
    matches: tuple[WorldbookMatch, ...] = ()
    cut: tuple[WorldbookCut, ...] = ()
    warnings: tuple[LoreWarning, ...] = ()


class RegexPhase(msgspec.Struct, frozen=True):
    """What the rules did at one step."""

    phase: str
    applied_rules: tuple[str, ...]
    skipped_rules: tuple[Skipped, ...] = ()


class RegexTrace(msgspec.Struct, frozen=True):
    """Which rules were on, and what they did. Reserved placements are never run here."""

    user_input_rules: tuple[str, ...]
    ai_output_rules: tuple[str, ...]
    preprocessed_user_message: str
    phases: tuple[RegexPhase, ...]
    reserved_placements: tuple[int, ...] = ()
    substitution_mode: str = "none"


class BudgetTrace(msgspec.Struct, frozen=True):
    """Where the tokens went, and what was cut."""

    max_input_tokens: int
    reserved_completion_tokens: int
    by_group: tuple[GroupUse, ...]
    trim_reasons: tuple[TrimReason, ...]


class SourceSelectionTrace(msgspec.Struct, frozen=True):
    """What is not in the prompt, and why."""

    excluded_sources: tuple[ExcludedSource, ...] = ()


class MemoryTrace(msgspec.Struct, frozen=True):
    """Whether memory is in the prompt."""

    summary_injected: bool
    token_count: int = 0


class VisibilityTrace(msgspec.Struct, frozen=True):
    """Which floors were kept out of the prompt."""

    mode: VisibilityMode
    filtered_floor_ids: tuple[str, ...]
    filtered_message_count: int


class RuntimeTrace(msgspec.Struct, frozen=True):
    """The whole story of one prompt; visibility only where there are rules for it."""

    preset: PresetTrace
    worldbook: WorldbookTrace
    regex: RegexTrace
    budgets: BudgetTrace
    structure: StructureTrace
    source_selection: SourceSelectionTrace
    memory: MemoryTrace
    macro: MacroReport
    delivery: DeliveryTrace
    history_normalization: HistoryTrace
    visibility: VisibilityTrace | None = None
