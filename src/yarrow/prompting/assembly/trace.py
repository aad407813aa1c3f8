"""Turning the steps of an assembly into its result."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

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
    section_group,
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
    TrimCause,
    TrimReason,
    WorldbookCut,
    WorldbookMatch,
    WorldbookTrace,
    prompt_digest,
)
from yarrow.prompting.assembly.state import AssemblyState
from yarrow.prompting.assembly.trim import TrimUnit, count_cut_tokens
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


def build_budget_trace(story: AssemblyState) -> BudgetTrace:
    """Tokens by group, and the reason for each cut."""
    count = story.given.surroundings.count
    reasons = tuple(_trim_reasons(story.fitted.cut, count))
    pruned = {reason.group: reason.pruned_token_count for reason in reasons}
    used = _tokens_by_group(story.fitted.prompt, count)
    return BudgetTrace(
        max_input_tokens=story.allowance.max_input,
        reserved_completion_tokens=story.allowance.reserved,
        by_group=tuple(
            GroupUse(
                group=group,
                estimated_token_count=used.get(group, 0) + pruned.get(group, 0),
                token_count=used.get(group, 0),
                pruned_token_count=pruned.get(group, 0),
            )
            for group in dict.fromkeys((*used, *pruned))
        ),
        trim_reasons=reasons,
    )


def _tokens_by_group(prompt: ExpandedPrompt, count: CountTokens) -> dict[str, int]:
    """Piece by piece: these have been counted before, joined they would be new texts."""
    used: dict[str, int] = {}
    for part in prompt.others:
        tokens = sum([count(piece.text) for piece in part.pieces])
        used[part.group] = used.get(part.group, 0) + tokens
    used[HISTORY] = sum([count(turn.content) for turn in prompt.turns])
    return used


def _trim_reasons(cut: Sequence[TrimUnit], count: CountTokens) -> Iterable[TrimReason]:
    for group, units in _group_units(cut).items():
        yield TrimReason(
            group=group,
            reason=TrimCause.BUDGET_EXCEEDED,
            detail=_trim_detail(group, units),
            pruned_token_count=count_cut_tokens(units, count),
        )


def _group_units(cut: Sequence[TrimUnit]) -> dict[str, list[TrimUnit]]:
    groups: dict[str, list[TrimUnit]] = {}
    names = {None: HISTORY, TrimStage.EXAMPLES: EXAMPLES, TrimStage.LORE: WORLDBOOK}
    for unit in cut:
        groups.setdefault(names[unit.stage], []).append(unit)
    return groups


def _trim_detail(group: str, units: Sequence[TrimUnit]) -> str:
    if group == HISTORY:
        messages = sum(len(unit.texts) for unit in units)
        return f"the {len(units)} oldest turns ({messages} messages) are left out"
    places = ", ".join(unit.place for unit in units[:_MAX_PLACES])
    more = len(units) - _MAX_PLACES
    return f"left out: {places}" + (f" and {more} more" if more > 0 else "")


_CUT_SOURCES = {
    None: PromptSource.HISTORY,
    TrimStage.EXAMPLES: PromptSource.EXAMPLES,
    TrimStage.LORE: PromptSource.WORLDBOOK,
}


def build_exclusions(
    story: AssemblyState, unsent: Mapping[int, DroppedLore]
) -> SourceSelectionTrace:
    """Every source that is left out, wholly or in part."""
    of_lore = _lore_exclusions(story, unsent)
    found = (
        *_policy_exclusions(story),
        *_history_exclusions(story),
        *of_lore,
        *_budget_exclusions(story),
    )
    return SourceSelectionTrace(found)


def _policy_exclusions(story: AssemblyState) -> Iterator[ExcludedSource]:
    selection = story.given.policy.source_selection
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


def _history_exclusions(story: AssemblyState) -> Iterator[ExcludedSource]:
    trace, visibility = story.turns.trace, story.turns.visibility
    left_out = trace.effective_turn_count - trace.selected_turn_count
    if left_out:
        yield ExcludedSource(
            PromptSource.HISTORY,
            ExclusionReason.DISABLED_BY_POLICY,
            f"the window leaves out {left_out} of {trace.effective_turn_count} turns",
        )
    if not story.layout.shows_history:
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


def _lore_exclusions(
    story: AssemblyState, unsent: Mapping[int, DroppedLore]
) -> Iterator[ExcludedSource]:
    if not story.given.assets.books or not story.given.policy.source_selection.worldbook:
        return
    if not story.lore.active:
        yield ExcludedSource(
            PromptSource.WORLDBOOK, ExclusionReason.NOT_TRIGGERED, "no entry was triggered"
        )
    homeless = [one.detail for one in unsent.values() if one.reason is CutReason.NO_PLACE]
    for detail in dict.fromkeys(homeless):
        yield ExcludedSource(PromptSource.WORLDBOOK, ExclusionReason.DISABLED_BY_POLICY, detail)


def _budget_exclusions(story: AssemblyState) -> Iterator[ExcludedSource]:
    cut = [_CUT_SOURCES[unit.stage] for unit in story.fitted.cut]
    for source in dict.fromkeys(cut):
        yield ExcludedSource(
            source,
            ExclusionReason.BUDGET_TRIMMED,
            f"{cut.count(source)} parts did not fit the budget",
        )


_PREVIEW_LENGTH = 120


def build_result(story: AssemblyState) -> AssemblyResult:
    """The result with everything a client may want to know about it."""
    sent = story.fitted.sent
    trace = _runtime_trace(story)
    return AssemblyResult(
        messages=sent.shaped.messages,
        token_estimate=sent.tokens,
        available_for_reply=story.allowance.available_for_reply(sent.tokens),
        memory_summary=story.given.memory_summary,
        diagnostics=_diagnostics(story, trace),
        snapshot=_snapshot(story, trace),
        trace=trace,
        staged_mutations=story.macros.staged_mutations,
        lore_timers=story.lore.timers,
    )


def _runtime_trace(story: AssemblyState) -> RuntimeTrace:
    shaped = story.fitted.sent.shaped
    unsent = find_dropped(
        story.lore.active,
        cut={unit.lore for unit in story.fitted.cut},
        placed=story.layout.placed_lore(),
        outlets=story.outlets,
    )
    return RuntimeTrace(
        preset=_preset_trace(story),
        worldbook=_worldbook_trace(story.lore, unsent),
        regex=_regex_trace(story),
        budgets=build_budget_trace(story),
        structure=shaped.structure,
        source_selection=build_exclusions(story, unsent),
        memory=_memory_trace(story),
        macro=story.macros,
        delivery=shaped.delivery,
        history_normalization=story.turns.trace,
        visibility=story.turns.visibility,
    )


def _diagnostics(story: AssemblyState, trace: RuntimeTrace) -> AssemblyDiagnostics:
    nudge = next((p.text for p in story.whole.after if p.group == section_group(NUDGE_NAME)), None)
    has_preset = story.given.assets.preset is not None
    return AssemblyDiagnostics(
        mode=AssemblyMode.PRESET if has_preset else AssemblyMode.FALLBACK,
        prompt_intent=story.given.message.intent,
        assistant_prefill_applied=trace.delivery.assistant_prefill_applied,
        assistant_prefill_strategy=trace.delivery.assistant_prefill_strategy,
        preset_used=has_preset,
        selected_prompt_order_character_id=trace.preset.selected_prompt_order_character_id,
        ignored_prompt_order_character_ids=trace.preset.ignored_prompt_order_character_ids,
        continue_nudge_applied=nudge is not None,
        continue_nudge_text=nudge,
        names_behavior_applied=story.preset.names,
        trigger_filtered_entry_ids=tuple(story.layout.trigger_filtered),
        in_chat_inserted_entry_ids=tuple(story.layout.in_chat),
        worldbook_hits=trace.worldbook.hit_count,
        regex_pre_rules=trace.regex.user_input_rules,
        regex_post_rules=trace.regex.ai_output_rules,
        memory_summary_injected=trace.memory.summary_injected,
        reserved_variable_collisions=find_reserved_collisions(story.given),
        unsupported_preset_fields=trace.preset.unsupported_preset_fields,
        ignored_preset_fields=trace.preset.ignored_preset_fields,
        unresolved_preset_markers=trace.preset.unresolved_preset_markers,
        preset_warnings=trace.preset.preset_warnings,
        preprocessed_user_message=story.turns.preprocessed,
        worldbook_matches=trace.worldbook.matches,
    )


def _snapshot(story: AssemblyState, trace: RuntimeTrace) -> PromptSnapshot:
    sent = story.fitted.sent
    return PromptSnapshot(
        assets=story.given.assets.stamps,
        worldbook_activated_entry_uids=tuple(match.uid for match in trace.worldbook.matches),
        regex_pre_rule_names=trace.regex.user_input_rules,
        regex_post_rule_names=trace.regex.ai_output_rules,
        prompt_mode=story.given.mode.value,
        prompt_digest=prompt_digest(sent.shaped.messages),
        token_estimate=sent.tokens,
    )


def _preset_trace(story: AssemblyState) -> PresetTrace:
    report = story.preset.report
    return PresetTrace(
        preset_used=story.given.assets.preset is not None,
        selected_prompt_order_character_id=report.selected_track,
        ignored_prompt_order_character_ids=report.ignored_tracks,
        unsupported_preset_fields=report.unsupported_fields,
        ignored_preset_fields=report.ignored_fields,
        unresolved_preset_markers=report.unresolved_markers,
        preset_warnings=tuple(warning.text for warning in report.warnings),
    )


def _worldbook_trace(lore: LoreScan, unsent: Mapping[int, DroppedLore]) -> WorldbookTrace:
    """Entries that are in the prompt are matches; what matched and is not, is cut."""
    sent = [one for number, one in enumerate(lore.active) if number not in unsent]
    left_out = (
        CutEntry(one.entry, one.source, why.reason, why.detail, one.tokens)
        for one, why in ((lore.active[number], why) for number, why in unsent.items())
    )
    return WorldbookTrace(
        hit_count=len(sent),
        matches=tuple(map(_worldbook_match, sent)),
        cut=tuple(map(_worldbook_cut, (*lore.cut, *left_out))),
        warnings=lore.warnings,
    )


def _worldbook_cut(cut: CutEntry) -> WorldbookCut:
    return WorldbookCut(
        uid=cut.entry.uid,
        comment=cut.entry.comment,
        source=_match_source(cut.source),
        reason=cut.reason,
        detail=cut.detail,
        token_count=cut.tokens,
    )


def _worldbook_match(active: ActiveEntry) -> WorldbookMatch:
    entry = active.entry
    at_depth = entry.position is LorePosition.AT_DEPTH
    return WorldbookMatch(
        uid=entry.uid,
        comment=entry.comment,
        content_preview=entry.content[:_PREVIEW_LENGTH],
        order=entry.order,
        source=_match_source(active.source),
        insertion=LoreInsertion(
            position=entry.position,
            depth=entry.depth if at_depth else None,
            role=entry.role if at_depth else None,
            outlet_name=entry.outlet_name if entry.position is LorePosition.OUTLET else None,
        ),
        activation=LoreActivation(active.mode, active.recursion_level, active.first_match),
    )


def _match_source(source: BookSource) -> MatchSource:
    return MatchSource(kind=source.kind, worldbook_id=source.id, worldbook_name=source.name)


def _regex_trace(story: AssemblyState) -> RegexTrace:
    rules = [rule for rule in story.given.assets.rules if not rule.disabled]
    never_run = {place for rule in rules for place in rule.placements} & NEVER_RUN
    modes = {rule.substitution for rule in rules} - {PatternSubstitution.NONE}
    return RegexTrace(
        user_input_rules=tuple(r.name for r in rules if RulePlacement.USER_INPUT in r.placements),
        ai_output_rules=tuple(r.name for r in rules if RulePlacement.AI_OUTPUT in r.placements),
        preprocessed_user_message=story.turns.preprocessed,
        phases=story.turns.phases,
        reserved_placements=tuple(sorted(never_run)),
        substitution_mode="+".join(sorted(modes)) or PatternSubstitution.NONE.value,
    )


def _memory_trace(story: AssemblyState) -> MemoryTrace:
    """Memory counts as sent when a message holds it: a policy may drop system messages."""
    part = next((part for part in story.fitted.prompt.others if part.group == MEMORY), None)
    if part is None:
        return MemoryTrace(summary_injected=False)
    messages = story.fitted.sent.shaped.messages
    return MemoryTrace(
        summary_injected=any(part.text in message.content for message in messages),
        token_count=story.given.surroundings.count(part.text),
    )
