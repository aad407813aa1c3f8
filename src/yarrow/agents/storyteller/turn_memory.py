"""Note what a turn remembers: the summaries of its reply, and what the memory model adds."""

from collections.abc import AsyncIterator, Callable, Sequence

from msgspec import Struct

from yarrow.agents.storyteller.consolidate import (
    MEMORY_FAILED,
    ask_compaction,
    ask_memory,
    make_macro_summary,
    parse_consolidation,
)
from yarrow.agents.storyteller.director_verifier import InternalQuestion
from yarrow.journal.events import RunEvent
from yarrow.memory.compaction import plan_compaction
from yarrow.memory.model import StoredMemory
from yarrow.product_events.story import MemoryNote
from yarrow.prompting.tokens import estimate_tokens

MakeQuestion = Callable[[], InternalQuestion]


class TurnConsolidation(Struct):
    """Asks the memory model about one exchange; `notes` and `deprecates` are its answer."""

    make_question: MakeQuestion
    memories: Sequence[StoredMemory]
    """Those that count before the turn."""
    turns_since_compaction: int | None = None
    notes: tuple[MemoryNote, ...] = ()
    deprecates: tuple[str, ...] = ()
    has_failed: bool = False

    async def consolidate(
        self, message: str, reply: str, summaries: tuple[str, ...]
    ) -> AsyncIterator[RunEvent]:
        """Ask what to remember, and compact old summaries if it is time."""
        question = self.make_question()
        async for event in ask_memory(question, self.memories, message, reply):
            yield event
        result = parse_consolidation(question.reply, self.memories, is_summarised=bool(summaries))
        if result is None:
            self.has_failed = True
            yield MEMORY_FAILED
            return
        self.notes, self.deprecates = result.notes, result.deprecates
        async for event in self._compact_summaries():
            yield event

    async def _compact_summaries(self) -> AsyncIterator[RunEvent]:
        plan = plan_compaction(
            self.memories, estimate_tokens, turns_since=self.turns_since_compaction
        )
        if plan is None:
            return
        question = self.make_question()
        async for event in ask_compaction(question, plan):
            yield event
        if macro := make_macro_summary(plan, question.reply):
            self.notes = (*self.notes, macro)
