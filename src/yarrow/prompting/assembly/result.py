"""The result of an assembly and its trace. Field names are those that clients read."""

import hashlib
from collections.abc import Iterable, Mapping
from enum import StrEnum

from msgspec import Struct

from yarrow.prompting.assembly.inputs import AssetStamps
from yarrow.prompting.assembly.structure import DeliveryTrace, PrefillStrategy, StructureTrace
from yarrow.prompting.choose_memories import OmittedMemory
from yarrow.prompting.macros import MacroReport, VariableMutation
from yarrow.prompting.model import PromptMessage, PromptRole
from yarrow.prompting.policy import VisibilityMode
from yarrow.prompting.preset import NamesBehavior, PromptIntent
from yarrow.prompting.preset.report import TrackId
from yarrow.prompting.regex_rules import SkippedRule
from yarrow.prompting.worldbook import (
    ActivationMode,
    BookKind,
    CutReason,
    FirstMatch,
    LorePosition,
    LoreTimer,
    LoreTimerKey,
    LoreWarning,
)


class TrimCause(StrEnum):
    """Why texts were trimmed."""

    BUDGET_EXCEEDED = "budget_exceeded"


class TrimReason(Struct, frozen=True):
    """One group's trimmed texts and the tokens saved."""

    group: str
    reason: TrimCause
    detail: str
    pruned_token_count: int


class GroupUse(Struct, frozen=True, gc=False):
    """The tokens of one group: wanted, used and trimmed."""

    group: str
    estimated_token_count: int
    token_count: int
    pruned_token_count: int


class HistoryViolationCode(StrEnum):
    """Problems of a history."""

    ADJACENT_ASSISTANT_TURNS = "adjacent_assistant_turns"


class MergedGroup(Struct, frozen=True):
    """User entries that were merged into one turn."""

    effective_role: PromptRole
    source_turn_ids: tuple[str, ...]
    source_message_ids: tuple[str, ...]
    includes_current_input: bool


class HistoryViolation(Struct, frozen=True):
    """Two adjacent turns that should not be adjacent."""

    code: HistoryViolationCode
    turn_ids: tuple[str, ...]


class HistoryTrace(Struct, frozen=True):
    """How the turns were built; merges and violations cover the whole history, not the window."""

    raw_entry_count: int
    effective_turn_count: int
    selected_turn_count: int
    trailing_user_turn_ids: tuple[str, ...]
    merged_user_groups: tuple[MergedGroup, ...]
    violations: tuple[HistoryViolation, ...]


class PromptSource(StrEnum):
    """A source of a prompt's texts."""

    HISTORY = "history"
    MEMORY = "memory"
    WORLDBOOK = "worldbook"
    EXAMPLES = "examples"


class ExclusionReason(StrEnum):
    """Why a source, or a part of it, is not in the prompt."""

    DISABLED_BY_POLICY = "disabled_by_policy"
    BUDGET_TRIMMED = "budget_trimmed"
    VISIBILITY_FILTERED = "visibility_filtered"
    NOT_TRIGGERED = "not_triggered"
    NO_PLACE = "no_place"
    """The preset has no place for it."""


class ExcludedSource(Struct, frozen=True):
    """A source that is not in the prompt, wholly or in part."""

    source: PromptSource
    reason: ExclusionReason
    detail: str


class MatchSource(Struct, frozen=True, gc=False):
    """The book of a lore entry."""

    kind: BookKind
    worldbook_id: str | None
    worldbook_name: str


class LoreInsertion(Struct, frozen=True, gc=False, omit_defaults=True):
    """Where an entry is inserted; depth and role only at a depth, a name only for an outlet."""

    position: LorePosition
    depth: int | None = None
    role: PromptRole | None = None
    outlet_name: str | None = None


class LoreActivation(Struct, frozen=True, gc=False):
    """Why an entry is active."""

    mode: ActivationMode
    recursion_level: int
    first_match: FirstMatch | None


class WorldbookMatch(Struct, frozen=True, gc=False):
    """One active entry."""

    uid: int
    comment: str
    content_preview: str
    order: int
    source: MatchSource
    insertion: LoreInsertion
    activation: LoreActivation


class WorldbookCut(Struct, frozen=True):
    """One entry that matched but is not in the prompt."""

    uid: int
    comment: str
    source: MatchSource
    reason: CutReason
    detail: str
    token_count: int
    activation: LoreActivation | None = None
    """None in records that were stored before it was kept."""


class PresetTrace(Struct, frozen=True):
    """Which preset track was used, and which of its fields were not."""

    preset_used: bool
    selected_prompt_order_character_id: TrackId | None
    ignored_prompt_order_character_ids: tuple[TrackId, ...]
    unsupported_preset_fields: tuple[str, ...]
    ignored_preset_fields: tuple[str, ...]
    unresolved_preset_markers: tuple[str, ...]
    preset_warnings: tuple[str, ...]


class WorldbookTrace(Struct, frozen=True):
    """The lore of the turn."""

    hit_count: int
    matches: tuple[WorldbookMatch, ...] = ()
    cut: tuple[WorldbookCut, ...] = ()
    warnings: tuple[LoreWarning, ...] = ()


class RegexPhase(Struct, frozen=True):
    """What the regex rules did at one step."""

    phase: str
    applied_rules: tuple[str, ...]
    skipped_rules: tuple[SkippedRule, ...] = ()


class RegexTrace(Struct, frozen=True):
    """The enabled rules and what they did; rules of reserved placements are never run."""

    user_input_rules: tuple[str, ...]
    ai_output_rules: tuple[str, ...]
    preprocessed_user_message: str
    phases: tuple[RegexPhase, ...]
    reserved_placements: tuple[int, ...] = ()
    substitution_mode: str = "none"


class BudgetTrace(Struct, frozen=True):
    """Token use by group, and what was trimmed."""

    max_input_tokens: int
    reserved_completion_tokens: int
    by_group: tuple[GroupUse, ...]
    trim_reasons: tuple[TrimReason, ...]


class SourceSelectionTrace(Struct, frozen=True):
    """What is not in the prompt, and why."""

    excluded_sources: tuple[ExcludedSource, ...] = ()


class MemoryTrace(Struct, frozen=True):
    """Whether the memory summary is in the prompt, of which memories, and which are left out."""

    summary_injected: bool
    token_count: int = 0
    injected_ids: tuple[str, ...] = ()
    omitted: tuple[OmittedMemory, ...] = ()


class VisibilityTrace(Struct, frozen=True):
    """Which turns the visibility policy excluded."""

    mode: VisibilityMode
    filtered_turn_ids: tuple[str, ...]
    filtered_message_count: int


class DirectorTrace(Struct, frozen=True):
    """The director's advice as it was put into the prompt."""

    directive: str
    tone: str
    focus_elements: tuple[str, ...]


class TextOrigin(Struct, frozen=True, gc=False, omit_defaults=True):
    """The source of the characters `start` to `end` of one message, in UTF-16 units.

    `place` is `preset:<entry>`, `card:<field>`, `lore:<book>:<uid>`, `history` and so on.
    `template` is the text before macros and regex rules, if they changed it; `match` is the number
    of the entry among the matches of the worldbook trace.
    """

    message: int
    start: int
    end: int
    place: str
    token_count: int
    template: str | None = None
    match: int | None = None
    turn_ids: tuple[str, ...] = ()


class RuntimeTrace(Struct, frozen=True):
    """The full trace of one prompt; visibility is None without visibility rules."""

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
    director: DirectorTrace | None = None
    origins: tuple[TextOrigin, ...] = ()


class PromptSnapshot(Struct, frozen=True):
    """Facts of a prompt that are stored for later comparison.

    Rule names are those of the enabled rules, not of the ones that matched.
    """

    assets: AssetStamps
    worldbook_activated_entry_uids: tuple[int, ...]
    regex_pre_rule_names: tuple[str, ...]
    regex_post_rule_names: tuple[str, ...]
    prompt_mode: str
    prompt_digest: str
    token_estimate: int


def digest_prompt(messages: Iterable[PromptMessage]) -> str:
    """Return SHA-256 over role, NUL, content and 0x01 of each message."""
    whole = "".join([f"{message.role}\x00{message.content}\x01" for message in messages])
    return f"sha256:{hashlib.sha256(whole.encode('utf-8', 'surrogatepass')).hexdigest()}"


class AssemblyMode(StrEnum):
    """Whether a preset or the built-in order was used."""

    PRESET = "preset"
    FALLBACK = "fallback"


class AssemblyDiagnostics(Struct, frozen=True):
    """The summary of a dry run."""

    mode: AssemblyMode
    prompt_intent: PromptIntent
    assistant_prefill_applied: bool
    assistant_prefill_strategy: PrefillStrategy
    preset_used: bool
    selected_prompt_order_character_id: TrackId | None
    ignored_prompt_order_character_ids: tuple[TrackId, ...]
    continue_nudge_applied: bool
    continue_nudge_text: str | None
    names_behavior_applied: NamesBehavior
    trigger_filtered_entry_ids: tuple[str, ...]
    in_chat_inserted_entry_ids: tuple[str, ...]
    worldbook_hits: int
    regex_pre_rules: tuple[str, ...]
    regex_post_rules: tuple[str, ...]
    memory_summary_injected: bool
    reserved_variable_collisions: tuple[str, ...]
    unsupported_preset_fields: tuple[str, ...]
    ignored_preset_fields: tuple[str, ...]
    unresolved_preset_markers: tuple[str, ...]
    preset_warnings: tuple[str, ...]
    preprocessed_user_message: str
    worldbook_matches: tuple[WorldbookMatch, ...]


class AssemblyResult(Struct, frozen=True):
    """A prompt, its token counts and its trace.

    A live turn stores `staged_mutations` and `lore_timers` when it is committed.
    """

    messages: tuple[PromptMessage, ...]
    token_estimate: int
    available_for_reply: int
    memory_summary: str | None
    diagnostics: AssemblyDiagnostics
    snapshot: PromptSnapshot
    trace: RuntimeTrace
    staged_mutations: tuple[VariableMutation, ...]
    lore_timers: Mapping[LoreTimerKey, LoreTimer]


class MacroPreview(Struct, frozen=True):
    """One expanded text and what its macros did."""

    text: str
    macro: MacroReport
