"""Decide which summaries of turns are replaced by one summary of all of them. Without I/O."""

from collections.abc import Sequence

from msgspec import Struct

from yarrow.memory.model import StoredMemory
from yarrow.prompting.choose_memories import SummaryTier
from yarrow.prompting.tokens import CountTokens

MICRO_COUNT = 12
MICRO_TOKENS = 900
TURNS_SINCE = 12
KEPT = 4
"""The newest micro summaries are never compacted."""
MIN_TAKEN = 3
MAX_TAKEN = 12


class CompactionPlan(Struct, frozen=True):
    """The summaries to be replaced, oldest first."""

    memories: tuple[StoredMemory, ...]


def plan_compaction(
    memories: Sequence[StoredMemory],
    count: CountTokens,
    *,
    turns_since: int | None = None,
    is_forced: bool = False,
) -> CompactionPlan | None:
    """The oldest micro summaries, if there are many, or long ones; None if it is not time yet.

    `turns_since` counts turns after the last compaction, and None that there was none.
    """
    micros = [memory for memory in memories if memory.tier is SummaryTier.MICRO]
    micros.sort(key=lambda memory: (memory.created_s, memory.memory_id))
    candidates = micros[:-KEPT][:MAX_TAKEN]
    if len(candidates) < MIN_TAKEN:
        return None
    is_due = (
        len(micros) >= MICRO_COUNT
        or (turns_since is not None and turns_since >= TURNS_SINCE)
        or sum(count(memory.content) for memory in micros) >= MICRO_TOKENS
    )
    return CompactionPlan(tuple(candidates)) if is_due or is_forced else None
