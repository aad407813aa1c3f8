"""Sources that are not in a prompt, and why."""

from collections.abc import Iterator, Mapping

from yarrow.prompting.assembly.parts import CutStage
from yarrow.prompting.assembly.story import Story
from yarrow.prompting.assembly.unsent import Unsent
from yarrow.prompting.trace import ExcludedSource, ExclusionReason, Source, SourceSelectionTrace
from yarrow.prompting.worldbook import CutReason

_CUT_SOURCES = {
    None: Source.HISTORY,
    CutStage.EXAMPLES: Source.EXAMPLES,
    CutStage.LORE: Source.WORLDBOOK,
}


def source_selection_trace(story: Story, unsent: Mapping[int, Unsent]) -> SourceSelectionTrace:
    """Every source that is left out, wholly or in part."""
    of_lore = _by_lore(story, unsent)
    found = (*_by_policy(story), *_by_history(story), *of_lore, *_by_budget(story))
    return SourceSelectionTrace(found)


def _by_policy(story: Story) -> Iterator[ExcludedSource]:
    selection = story.given.policy.source_selection
    switches = {
        Source.MEMORY: selection.memory,
        Source.WORLDBOOK: selection.worldbook,
        Source.EXAMPLES: selection.examples,
    }
    for source, is_on in switches.items():
        if not is_on:
            yield ExcludedSource(
                source, ExclusionReason.DISABLED_BY_POLICY, f"{source} is switched off"
            )


def _by_history(story: Story) -> Iterator[ExcludedSource]:
    trace, visibility = story.turns.trace, story.turns.visibility
    left_out = trace.effective_turn_count - trace.selected_turn_count
    if left_out:
        yield ExcludedSource(
            Source.HISTORY,
            ExclusionReason.DISABLED_BY_POLICY,
            f"the window leaves out {left_out} of {trace.effective_turn_count} turns",
        )
    if not story.layout.shows_history:
        yield ExcludedSource(
            Source.HISTORY,
            ExclusionReason.DISABLED_BY_POLICY,
            "the preset's chatHistory is off for this prompt",
        )
    if visibility is not None and visibility.filtered_message_count:
        yield ExcludedSource(
            Source.HISTORY,
            ExclusionReason.VISIBILITY_FILTERED,
            f"{visibility.filtered_message_count} messages are on hidden floors",
        )


def _by_lore(story: Story, unsent: Mapping[int, Unsent]) -> Iterator[ExcludedSource]:
    if not story.given.assets.books or not story.given.policy.source_selection.worldbook:
        return
    if not story.lore.active:
        yield ExcludedSource(
            Source.WORLDBOOK, ExclusionReason.NOT_TRIGGERED, "no entry was triggered"
        )
    homeless = [one.detail for one in unsent.values() if one.reason is CutReason.NO_PLACE]
    for detail in dict.fromkeys(homeless):
        yield ExcludedSource(Source.WORLDBOOK, ExclusionReason.DISABLED_BY_POLICY, detail)


def _by_budget(story: Story) -> Iterator[ExcludedSource]:
    cut = [_CUT_SOURCES[unit.stage] for unit in story.fitted.cut]
    for source in dict.fromkeys(cut):
        yield ExcludedSource(
            source,
            ExclusionReason.BUDGET_TRIMMED,
            f"{cut.count(source)} parts did not fit the budget",
        )
