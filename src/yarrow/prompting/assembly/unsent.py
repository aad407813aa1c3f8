"""Lore that was called up and is not in the prompt."""

from dataclasses import dataclass

from yarrow.prompting.assembly.story import Story
from yarrow.prompting.worldbook import ActiveEntry, CutReason, Position


@dataclass(frozen=True, slots=True)
class Unsent:
    """Why an active entry is not in the prompt."""

    reason: CutReason
    detail: str


def unsent_lore(story: Story) -> dict[int, Unsent]:
    """The active entries that are not sent, by their numbers."""
    cut = {unit.lore for unit in story.fitted.cut}
    placed = story.layout.placed_lore()
    found: dict[int, Unsent] = {}
    for number, active in enumerate(story.lore.active):
        if number in cut:
            found[number] = Unsent(CutReason.BUDGET, "the prompt was longer than its budget")
        elif not _has_place(number, active, placed=placed, outlets=story.outlets):
            found[number] = Unsent(CutReason.NO_PLACE, no_place(active.entry.position))
    return found


def no_place(position: Position) -> str:
    if position is Position.OUTLET:
        return "no text of the prompt asks for the outlet"
    return f"the prompt has no place for lore at {position}"


def _has_place(
    number: int, active: ActiveEntry, *, placed: set[int], outlets: frozenset[str]
) -> bool:
    if active.entry.position is Position.OUTLET:
        return active.entry.outlet_name in outlets
    return number in placed
