"""List the sources that are not in a prompt, wholly or in part, and why."""

from collections.abc import Iterator, Mapping

from yarrow.prompting.assembly.lore import DroppedLore
from yarrow.prompting.assembly.parts import TrimStage
from yarrow.prompting.assembly.result import (
    ExcludedSource,
    ExclusionReason,
    PromptSource,
    SourceSelectionTrace,
)
from yarrow.prompting.assembly.state import AssemblyState
from yarrow.prompting.worldbook import CutReason

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
        *_policy_exclusions(state),
        *_history_exclusions(state),
        *_lore_exclusions(state, dropped),
        *_budget_exclusions(state),
    )
    return SourceSelectionTrace(excluded)


def _policy_exclusions(state: AssemblyState) -> Iterator[ExcludedSource]:
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


def _history_exclusions(state: AssemblyState) -> Iterator[ExcludedSource]:
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


def _lore_exclusions(
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


def _budget_exclusions(state: AssemblyState) -> Iterator[ExcludedSource]:
    cut = [_CUT_SOURCES[unit.stage] for unit in state.fitted.cut]
    for source in dict.fromkeys(cut):
        yield ExcludedSource(
            source,
            ExclusionReason.BUDGET_TRIMMED,
            f"{cut.count(source)} parts did not fit the budget",
        )
