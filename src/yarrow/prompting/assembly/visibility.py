"""Floors that a prompt may not show."""

from collections.abc import Iterable, Sequence

from yarrow.prompting.history import HistoryEntry
from yarrow.prompting.policy import FloorRange, VisibilityMode, VisibilityPolicy
from yarrow.prompting.trace import VisibilityTrace


def visible(
    entries: Sequence[HistoryEntry], policy: VisibilityPolicy
) -> tuple[Sequence[HistoryEntry], VisibilityTrace | None]:
    """The entries a prompt may show; no trace where there is no rule."""
    if policy == VisibilityPolicy():
        return entries, None
    shown = [entry for entry in entries if _is_visible(entry, policy)]
    hidden = dict.fromkeys(
        entry.floor_id
        for entry in entries
        if entry.floor_id is not None and not _is_visible(entry, policy)
    )
    return shown, VisibilityTrace(policy.mode, tuple(hidden), len(entries) - len(shown))


def _is_visible(entry: HistoryEntry, policy: VisibilityPolicy) -> bool:
    if entry.floor_id in policy.hidden_floor_ids or _holds(policy.hidden_floor_ranges, entry):
        return False
    match policy.mode:
        case VisibilityMode.ALLOW_ALL_EXCEPT_HIDDEN:
            return True
        case VisibilityMode.DENY_ALL_EXCEPT_VISIBLE:
            return entry.floor_id in policy.visible_floor_ids or _holds(
                policy.visible_floor_ranges, entry
            )


def _holds(ranges: Iterable[FloorRange], entry: HistoryEntry) -> bool:
    number = entry.floor_no
    return number is not None and any(
        one.start_floor_no <= number <= one.end_floor_no for one in ranges
    )
