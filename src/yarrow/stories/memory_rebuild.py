"""Rebuild the summaries of a scope from the replies of its live turns."""

from uuid import UUID

from msgspec import Struct

from yarrow.db import Tx
from yarrow.ids import AccountId, MemoryId
from yarrow.memory import store
from yarrow.memory.model import MemoryJob, MemoryScope
from yarrow.product_events.story import STORY_REPLY
from yarrow.prompting.choose_memories import SummaryTier
from yarrow.sessions import turn_store
from yarrow.sessions.model import TurnView
from yarrow.stories.memory_commit import MemoryOwner, note_summaries, store_notes
from yarrow.stories.memory_jobs import ScopeWork
from yarrow.stories.story_state import read_state


class RebuildPlan(Struct, frozen=True):
    """Summaries of replies to be stored, and compacted ones to be removed."""

    account_id: AccountId
    replies: tuple[tuple[MemoryOwner, tuple[str, ...]], ...]
    removed: tuple[MemoryId, ...]

    @property
    def count(self) -> int:
        return sum(len(summaries) for _, summaries in self.replies)

    async def store(self, tx: Tx) -> None:
        """Summaries that are stored already stay as they are."""
        await store.delete_items(tx, self.account_id, self.removed)
        for owner, summaries in self.replies:
            await store_notes(tx, owner, note_summaries(summaries))


async def rebuild_summaries(tx: Tx, job: MemoryJob, work: ScopeWork) -> RebuildPlan:
    """Find what a rebuild changes: macro summaries of turns go, micro summaries come back."""
    state = await read_state(tx, job.account_id, job.session_id, job.branch)
    turns = await turn_store.read_path_turns(tx, job.session_id, job.branch)
    if work.scope is MemoryScope.TURN:
        turns = tuple(turn for turn in turns if str(turn.id) == work.turn_id)
    replies = [each for turn in turns for each in _read_summaries(job, turn)]
    removed = [
        MemoryId(UUID(memory.memory_id))
        for memory in state.list_memories()
        if memory.tier is SummaryTier.MACRO
        and memory.replies
        and (memory.scope, memory.turn_id) == (work.scope, work.turn_id)
    ]
    return RebuildPlan(job.account_id, tuple(replies), tuple(removed))


def _read_summaries(job: MemoryJob, turn: TurnView) -> list[tuple[MemoryOwner, tuple[str, ...]]]:
    """The active replies of a turn with their summaries."""
    found: list[tuple[MemoryOwner, tuple[str, ...]]] = []
    for version in turn.versions:
        product = version.details.products.get(STORY_REPLY)
        summaries = product.get("summaries") if isinstance(product, dict) else None
        if version.active and isinstance(summaries, list) and summaries:
            owner = MemoryOwner(job.account_id, job.session_id, job.branch_id, turn.id, version.id)
            found.append((owner, tuple(map(str, summaries))))
    return found
