"""Build the result of an assembly from its state: messages, trace, and the sources left out."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from yarrow.prompting.assembly.history import choose_names
from yarrow.prompting.assembly.layout import NUDGE_NAME
from yarrow.prompting.assembly.lore import DroppedLore, find_dropped
from yarrow.prompting.assembly.macro_values import find_reserved_collisions
from yarrow.prompting.assembly.parts import (
    EXAMPLES,
    HISTORY,
    MEMORY,
    WORLDBOOK,
    ExpandedPrompt,
    TrimStage,
    name_section,
)
from yarrow.prompting.assembly.result import (
    AssemblyDiagnostics,
    AssemblyMode,
    AssemblyResult,
    BudgetTrace,
    ExcludedSource,
    ExclusionReason,
    GroupUse,
    LoreActivation,
    LoreInsertion,
    MatchSource,
    MemoryTrace,
    PresetTrace,
    PromptSnapshot,
    PromptSource,
    RegexTrace,
    RuntimeTrace,
    SourceSelectionTrace,
    TextOrigin,
    TrimCause,
    TrimReason,
    WorldbookCut,
    WorldbookMatch,
    WorldbookTrace,
    digest_prompt,
)
from yarrow.prompting.assembly.state import AssemblyState
from yarrow.prompting.assembly.text_origins import locate_origins
from yarrow.prompting.assembly.trim import TrimUnit, count_cut_tokens
from yarrow.prompting.policy.model import StructureMode
from yarrow.prompting.regex_rules import NEVER_RUN, PatternSubstitution, RulePlacement
from yarrow.prompting.tokens import CountTokens
from yarrow.prompting.worldbook import (
    ActiveEntry,
    BookSource,
    CutEntry,
    CutReason,
    LorePosition,
    LoreScan,
)

_MAX_PLACES = 20

_PREVIEW_LENGTH = 120


def build_result(state: AssemblyState) -> AssemblyResult:
    """Build the messages, diagnostics, snapshot and trace."""
    sent = state.fitted.sent
    trace = _build_runtime_trace(state)
    return AssemblyResult(
        messages=sent.shaped.messages,
        token_estimate=sent.tokens,
        available_for_reply=state.allowance.available_for_reply(sent.tokens),
        memory_summary=state.inputs.memory_summary,
        diagnostics=_build_diagnostics(state, trace),
        snapshot=_build_snapshot(state, trace),
        trace=trace,
        staged_mutations=state.macros.staged_mutations,
        lore_timers=state.lore.timers,
    )


def _build_runtime_trace(state: AssemblyState) -> RuntimeTrace:
    shaped = state.fitted.sent.shaped
    dropped = find_dropped(
        state.lore.active,
        cut={unit.lore for unit in state.fitted.cut},
        placed=state.layout.lore_numbers(),
        outlets=state.outlets,
    )
    return RuntimeTrace(
        preset=_build_preset_trace(state),
        worldbook=_build_worldbook_trace(state.lore, dropped),
        regex=_build_regex_trace(state),
        budgets=build_budget_trace(state),
        structure=shaped.structure,
        source_selection=build_exclusions(state, dropped),
        memory=_build_memory_trace(state),
        macro=state.macros,
        delivery=shaped.delivery,
        history_normalization=state.turns.trace,
        visibility=state.turns.visibility,
        origins=_origins(state, dropped),
    )


def _origins(state: AssemblyState, dropped: Mapping[int, DroppedLore]) -> tuple[TextOrigin, ...]:
    sent = (number for number in range(len(state.lore.active)) if number not in dropped)
    shaped = state.fitted.sent.shaped
    return locate_origins(
        state.fitted.prompt,
        state.turns.all,
        shaped.messages,
        matches={number: place for place, number in enumerate(sent)},
        count=state.inputs.runtime.count,
        keeps_roles=shaped.structure.mode
        not in (StructureMode.NO_ASSISTANT, StructureMode.FLATTENED),
    )


def _build_diagnostics(state: AssemblyState, trace: RuntimeTrace) -> AssemblyDiagnostics:
    nudge = next(
        (block.text for block in state.untrimmed.after if block.group == name_section(NUDGE_NAME)),
        None,
    )
    has_preset = state.inputs.assets.preset is not None
    return AssemblyDiagnostics(
        mode=AssemblyMode.PRESET if has_preset else AssemblyMode.FALLBACK,
        prompt_intent=state.inputs.message.intent,
        assistant_prefill_applied=trace.delivery.assistant_prefill_applied,
        assistant_prefill_strategy=trace.delivery.assistant_prefill_strategy,
        preset_used=has_preset,
        selected_prompt_order_character_id=trace.preset.selected_prompt_order_character_id,
        ignored_prompt_order_character_ids=trace.preset.ignored_prompt_order_character_ids,
        continue_nudge_applied=nudge is not None,
        continue_nudge_text=nudge,
        names_behavior_applied=choose_names(state.preset.names, is_group=state.turns.is_group),
        trigger_filtered_entry_ids=tuple(state.layout.trigger_filtered),
        in_chat_inserted_entry_ids=tuple(state.layout.in_chat),
        worldbook_hits=trace.worldbook.hit_count,
        regex_pre_rules=trace.regex.user_input_rules,
        regex_post_rules=trace.regex.ai_output_rules,
        memory_summary_injected=trace.memory.summary_injected,
        reserved_variable_collisions=find_reserved_collisions(state.inputs),
        unsupported_preset_fields=trace.preset.unsupported_preset_fields,
        ignored_preset_fields=trace.preset.ignored_preset_fields,
        unresolved_preset_markers=trace.preset.unresolved_preset_markers,
        preset_warnings=trace.preset.preset_warnings,
        preprocessed_user_message=state.turns.preprocessed,
        worldbook_matches=trace.worldbook.matches,
    )


def _build_snapshot(state: AssemblyState, trace: RuntimeTrace) -> PromptSnapshot:
    sent = state.fitted.sent
    return PromptSnapshot(
        assets=state.inputs.assets.stamps,
        worldbook_activated_entry_uids=tuple(match.uid for match in trace.worldbook.matches),
        regex_pre_rule_names=trace.regex.user_input_rules,
        regex_post_rule_names=trace.regex.ai_output_rules,
        prompt_mode=state.inputs.mode.value,
        prompt_digest=digest_prompt(sent.shaped.messages),
        token_estimate=sent.tokens,
    )


def _build_preset_trace(state: AssemblyState) -> PresetTrace:
    report = state.preset.report
    return PresetTrace(
        preset_used=state.inputs.assets.preset is not None,
        selected_prompt_order_character_id=report.selected_track,
        ignored_prompt_order_character_ids=report.ignored_tracks,
        unsupported_preset_fields=report.unsupported_fields,
        ignored_preset_fields=report.ignored_fields,
        unresolved_preset_markers=report.unresolved_markers,
        preset_warnings=tuple(warning.text for warning in report.warnings),
    )


def _build_worldbook_trace(lore: LoreScan, dropped: Mapping[int, DroppedLore]) -> WorldbookTrace:
    """Entries in the prompt are matches; entries that matched but are not in it are cuts."""
    sent = [item for number, item in enumerate(lore.active) if number not in dropped]
    omitted = (
        CutEntry(lore.active[number], why.reason, why.detail) for number, why in dropped.items()
    )
    return WorldbookTrace(
        hit_count=len(sent),
        matches=tuple(map(_build_worldbook_match, sent)),
        cut=tuple(map(_build_worldbook_cut, (*lore.cut, *omitted))),
        warnings=lore.warnings,
    )


def _build_worldbook_cut(cut: CutEntry) -> WorldbookCut:
    match = cut.match
    return WorldbookCut(
        uid=match.entry.uid,
        comment=match.entry.comment,
        source=_build_match_source(match.source),
        reason=cut.reason,
        detail=cut.detail,
        token_count=match.tokens,
        activation=LoreActivation(match.mode, match.recursion_level, match.first_match),
    )


def _build_worldbook_match(active: ActiveEntry) -> WorldbookMatch:
    entry = active.entry
    at_depth = entry.position is LorePosition.AT_DEPTH
    return WorldbookMatch(
        uid=entry.uid,
        comment=entry.comment,
        content_preview=entry.content[:_PREVIEW_LENGTH],
        order=entry.order,
        source=_build_match_source(active.source),
        insertion=LoreInsertion(
            position=entry.position,
            depth=entry.depth if at_depth else None,
            role=entry.role if at_depth else None,
            outlet_name=entry.outlet_name if entry.position is LorePosition.OUTLET else None,
        ),
        activation=LoreActivation(active.mode, active.recursion_level, active.first_match),
    )


def _build_match_source(source: BookSource) -> MatchSource:
    return MatchSource(kind=source.kind, worldbook_id=source.id, worldbook_name=source.name)


def _build_regex_trace(state: AssemblyState) -> RegexTrace:
    rules = [rule for rule in state.inputs.assets.rules if not rule.disabled]
    never_run = {place for rule in rules for place in rule.placements} & NEVER_RUN
    modes = {rule.substitution for rule in rules} - {PatternSubstitution.NONE}
    return RegexTrace(
        user_input_rules=tuple(r.name for r in rules if RulePlacement.USER_INPUT in r.placements),
        ai_output_rules=tuple(r.name for r in rules if RulePlacement.AI_OUTPUT in r.placements),
        preprocessed_user_message=state.turns.preprocessed,
        phases=state.turns.phases,
        reserved_placements=tuple(sorted(never_run)),
        substitution_mode="+".join(sorted(modes)) or PatternSubstitution.NONE.value,
    )


def _build_memory_trace(state: AssemblyState) -> MemoryTrace:
    """Memory counts as sent if a message contains it: a policy may drop system messages."""
    block = next((block for block in state.fitted.prompt.blocks if block.group == MEMORY), None)
    if block is None:
        return MemoryTrace(summary_injected=False, omitted=state.memory.omitted)
    messages = state.fitted.sent.shaped.messages
    is_sent = any(block.text in message.content for message in messages)
    return MemoryTrace(
        summary_injected=is_sent,
        token_count=state.inputs.runtime.count(block.text),
        injected_ids=state.memory.chosen if is_sent else (),
        omitted=state.memory.omitted,
    )


def build_budget_trace(state: AssemblyState) -> BudgetTrace:
    """Build token use by group, and the reason for each cut."""
    count = state.inputs.runtime.count
    reasons = tuple(_list_trim_reasons(state.fitted.cut, count))
    tokens_pruned = {reason.group: reason.pruned_token_count for reason in reasons}
    tokens_used = _count_tokens_by_group(state.fitted.prompt, count)
    return BudgetTrace(
        max_input_tokens=state.allowance.max_input,
        reserved_completion_tokens=state.allowance.reserved,
        by_group=tuple(
            GroupUse(
                group=group,
                estimated_token_count=tokens_used.get(group, 0) + tokens_pruned.get(group, 0),
                token_count=tokens_used.get(group, 0),
                pruned_token_count=tokens_pruned.get(group, 0),
            )
            for group in dict.fromkeys((*tokens_used, *tokens_pruned))
        ),
        trim_reasons=reasons,
    )


def _count_tokens_by_group(prompt: ExpandedPrompt, count: CountTokens) -> dict[str, int]:
    """Count text by text: these counts are cached, those of joined texts would not be."""
    tokens_used: dict[str, int] = {}
    for block in prompt.blocks:
        tokens = sum([count(text.text) for text in block.texts])
        tokens_used[block.group] = tokens_used.get(block.group, 0) + tokens
    tokens_used[HISTORY] = sum([count(turn.content) for turn in prompt.turns])
    return tokens_used


def _list_trim_reasons(cut: Sequence[TrimUnit], count: CountTokens) -> Iterable[TrimReason]:
    for group, units in _group_units(cut).items():
        yield TrimReason(
            group=group,
            reason=TrimCause.BUDGET_EXCEEDED,
            detail=_describe_trim(group, units),
            pruned_token_count=count_cut_tokens(units, count),
        )


def _group_units(cut: Sequence[TrimUnit]) -> dict[str, list[TrimUnit]]:
    groups: dict[str, list[TrimUnit]] = {}
    names = {None: HISTORY, TrimStage.EXAMPLES: EXAMPLES, TrimStage.LORE: WORLDBOOK}
    for unit in cut:
        groups.setdefault(names[unit.stage], []).append(unit)
    return groups


def _describe_trim(group: str, units: Sequence[TrimUnit]) -> str:
    if group == HISTORY:
        messages = sum(len(unit.texts) for unit in units)
        exchanges = sum(unit.parts for unit in units)
        return f"the {exchanges} oldest turns ({messages} messages) are left out"
    places = ", ".join(unit.place for unit in units[:_MAX_PLACES])
    more = len(units) - _MAX_PLACES
    return f"left out: {places}" + (f" and {more} more" if more > 0 else "")


_CUT_SOURCES = {
    None: PromptSource.HISTORY,
    TrimStage.EXAMPLES: PromptSource.EXAMPLES,
    TrimStage.LORE: PromptSource.WORLDBOOK,
}


def build_exclusions(
    state: AssemblyState, dropped: Mapping[int, DroppedLore]
) -> SourceSelectionTrace:
    """List every source that is not in the prompt, wholly or in part."""
    excluded = (
        *_list_policy_exclusions(state),
        *_list_history_exclusions(state),
        *_list_lore_exclusions(state, dropped),
        *_list_budget_exclusions(state),
    )
    return SourceSelectionTrace(excluded)


def _list_policy_exclusions(state: AssemblyState) -> Iterator[ExcludedSource]:
    selection = state.inputs.policy.source_selection
    switches = {
        PromptSource.MEMORY: selection.memory,
        PromptSource.WORLDBOOK: selection.worldbook,
        PromptSource.EXAMPLES: selection.examples,
    }
    for source, is_on in switches.items():
        if not is_on:
            yield ExcludedSource(
                source, ExclusionReason.DISABLED_BY_POLICY, f"{source} is switched off"
            )


def _list_history_exclusions(state: AssemblyState) -> Iterator[ExcludedSource]:
    trace, visibility = state.turns.trace, state.turns.visibility
    omitted = trace.effective_turn_count - trace.selected_turn_count
    if omitted:
        yield ExcludedSource(
            PromptSource.HISTORY,
            ExclusionReason.DISABLED_BY_POLICY,
            f"the window leaves out {omitted} of {trace.effective_turn_count} turns",
        )
    if not state.layout.shows_history:
        yield ExcludedSource(
            PromptSource.HISTORY,
            ExclusionReason.DISABLED_BY_POLICY,
            "the preset's chatHistory is off for this prompt",
        )
    if visibility is not None and visibility.filtered_message_count:
        yield ExcludedSource(
            PromptSource.HISTORY,
            ExclusionReason.VISIBILITY_FILTERED,
            f"{visibility.filtered_message_count} messages are on hidden floors",
        )


def _list_lore_exclusions(
    state: AssemblyState, dropped: Mapping[int, DroppedLore]
) -> Iterator[ExcludedSource]:
    if not state.inputs.assets.books or not state.inputs.policy.source_selection.worldbook:
        return
    if not state.lore.active:
        yield ExcludedSource(
            PromptSource.WORLDBOOK, ExclusionReason.NOT_TRIGGERED, "no entry was triggered"
        )
    without_place = [
        entry.detail for entry in dropped.values() if entry.reason is CutReason.NO_PLACE
    ]
    for detail in dict.fromkeys(without_place):
        yield ExcludedSource(PromptSource.WORLDBOOK, ExclusionReason.NO_PLACE, detail)


def _list_budget_exclusions(state: AssemblyState) -> Iterator[ExcludedSource]:
    parts: Counter[PromptSource] = Counter()
    for unit in state.fitted.cut:
        parts[_CUT_SOURCES[unit.stage]] += unit.parts
    for source, number in parts.items():
        yield ExcludedSource(
            source, ExclusionReason.BUDGET_TRIMMED, f"{number} parts did not fit the budget"
        )
