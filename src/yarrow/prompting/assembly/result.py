"""What assembling gives back."""

from collections.abc import Mapping
from enum import StrEnum

import msgspec

from yarrow.prompting.macros import MacroReport, Mutation
from yarrow.prompting.messages import PromptMessage
from yarrow.prompting.preset import NamesBehavior, PromptIntent
from yarrow.prompting.preset.report import TrackId
from yarrow.prompting.snapshot import PromptSnapshot
from yarrow.prompting.structure import PrefillStrategy
from yarrow.prompting.trace import RuntimeTrace, WorldbookMatch
from yarrow.prompting.worldbook import Timer, TimerKey


class AssemblyMode(StrEnum):
    """Whose order a prompt follows."""

    PRESET = "preset"
    FALLBACK = "fallback"


class AssemblyDiagnostics(msgspec.Struct, frozen=True):
    """The summary that goes with a dry run."""

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


class Assembly(msgspec.Struct, frozen=True):
    """A prompt, what it costs, and how it came about.

    `staged_mutations` and `lore_timers` are for a live turn's settlement to keep.
    """

    messages: tuple[PromptMessage, ...]
    token_estimate: int
    available_for_reply: int
    memory_summary: str | None
    diagnostics: AssemblyDiagnostics
    snapshot: PromptSnapshot
    trace: RuntimeTrace
    staged_mutations: tuple[Mutation, ...]
    lore_timers: Mapping[TimerKey, Timer]


class Preview(msgspec.Struct, frozen=True):
    """One text after its macros, and what they did."""

    text: str
    macro: MacroReport
