"""Where a prompt's tokens went, and what was cut."""

from collections.abc import Iterable, Sequence

from yarrow.prompting.assembly.parts import EXAMPLES, HISTORY, WORLDBOOK, CutStage
from yarrow.prompting.assembly.prompt import Prompt
from yarrow.prompting.assembly.story import Story
from yarrow.prompting.assembly.trim import Unit, cut_tokens
from yarrow.prompting.budget import GroupUse, TrimCause, TrimReason
from yarrow.prompting.tokens import CountTokens
from yarrow.prompting.trace import BudgetTrace

_SHOWN_PLACES = 20


def budget_trace(story: Story) -> BudgetTrace:
    """Tokens by group, and the reason for each cut."""
    count = story.given.surroundings.count
    reasons = tuple(_reasons(story.fitted.cut, count))
    pruned = {reason.group: reason.pruned_token_count for reason in reasons}
    used = _used(story.fitted.prompt, count)
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


def _used(prompt: Prompt, count: CountTokens) -> dict[str, int]:
    """Piece by piece: these have been counted before, joined they would be new texts."""
    used: dict[str, int] = {}
    for part in prompt.others:
        tokens = sum([count(piece.text) for piece in part.pieces])
        used[part.group] = used.get(part.group, 0) + tokens
    used[HISTORY] = sum([count(turn.content) for turn in prompt.turns])
    return used


def _reasons(cut: Sequence[Unit], count: CountTokens) -> Iterable[TrimReason]:
    for group, units in _by_group(cut).items():
        yield TrimReason(
            group=group,
            reason=TrimCause.BUDGET_EXCEEDED,
            detail=_detail(group, units),
            pruned_token_count=cut_tokens(units, count),
        )


def _by_group(cut: Sequence[Unit]) -> dict[str, list[Unit]]:
    groups: dict[str, list[Unit]] = {}
    names = {None: HISTORY, CutStage.EXAMPLES: EXAMPLES, CutStage.LORE: WORLDBOOK}
    for unit in cut:
        groups.setdefault(names[unit.stage], []).append(unit)
    return groups


def _detail(group: str, units: Sequence[Unit]) -> str:
    if group == HISTORY:
        messages = sum(len(unit.texts) for unit in units)
        return f"the {len(units)} oldest turns ({messages} messages) are left out"
    places = ", ".join(unit.place for unit in units[:_SHOWN_PLACES])
    more = len(units) - _SHOWN_PLACES
    return f"left out: {places}" + (f" and {more} more" if more > 0 else "")
