"""Put memories into a prompt: which ones depends on the turns that are in it word for word."""

from collections.abc import Callable, Iterable

from msgspec import Struct
from msgspec.structs import replace

from yarrow.prompting.assembly.inputs import AssemblyInput, HistoryTurn
from yarrow.prompting.assembly.layout import PromptLayout
from yarrow.prompting.assembly.state import PromptDraft
from yarrow.prompting.choose_memories import MemorySelection, has_summaries, select_memories
from yarrow.prompting.model import PromptRole

_MAX_ROUNDS = 3
_LARGEST_SHARE = 4
"""Memory takes no more than this part of the prompt, so that a small context has a history."""


class RememberedPrompt(Struct, frozen=True):
    """A draft, and the memories that were chosen for it."""

    inputs: AssemblyInput
    memory: MemorySelection
    layout: PromptLayout
    draft: PromptDraft


MakePrompt = Callable[[AssemblyInput], tuple[PromptLayout, PromptDraft]]


class MemoryChooser:
    """Chooses memories for one prompt."""

    def __init__(self, inputs: AssemblyInput, max_input: int) -> None:
        self._inputs = inputs
        selection = inputs.policy.source_selection
        self._policy = selection.memory_policy
        self._entries = inputs.session.memories if selection.memory else ()
        self._budget = min(self._policy.max_tokens, max_input // _LARGEST_SHARE)
        self._shown = _list_stored(inputs) if self._entries else frozenset[str]()
        self._memory = self._choose_memories(self._shown)

    def start(self) -> AssemblyInput:
        """The input with the memories beside a prompt that contains the whole history."""
        return self._apply_selection(self._memory)

    def make_prompt(self, turns: tuple[HistoryTurn, ...], make: MakePrompt) -> RememberedPrompt:
        """Make the prompt again while the turns that it dropped have summaries to add.

        A turn is never in the prompt beside its own summary: a round counts only if it contains no
        turn that the round before did not.
        """
        memory, inputs = self._memory, self._apply_selection(self._memory)
        layout, draft = make(inputs)
        shown = self._shown
        for _ in range(_MAX_ROUNDS if self._entries else 0):
            kept = _list_kept(turns, layout, draft)
            if not has_summaries(self._entries, shown - kept):
                break
            candidate = self._choose_memories(kept)
            next_inputs = self._apply_selection(candidate)
            next_layout, next_draft = make(next_inputs)
            if not _list_kept(turns, next_layout, next_draft) <= kept:
                # The values of macros were those of the round that is given up.
                layout, draft = make(inputs)
                break
            shown, memory, inputs = kept, candidate, next_inputs
            layout, draft = next_layout, next_draft
        return RememberedPrompt(inputs, memory, layout, draft)

    def _choose_memories(self, shown: frozenset[str]) -> MemorySelection:
        if not self._entries:
            return MemorySelection(self._inputs.memory_summary or "")
        runtime = self._inputs.runtime
        return select_memories(
            self._entries,
            self._policy,
            shown=shown,
            budget=self._budget,
            now_s=runtime.now.timestamp(),
            count=runtime.count,
        )

    def _apply_selection(self, memory: MemorySelection) -> AssemblyInput:
        if not self._entries:
            return self._inputs
        session = replace(self._inputs.session, memory_summary=memory.text or None)
        return replace(self._inputs, session=session)


def _list_stored(inputs: AssemblyInput) -> frozenset[str]:
    """Ids of all replies of the history, and of their turns."""
    replies = (entry for entry in inputs.history if entry.role is not PromptRole.USER)
    return frozenset(each for entry in replies for each in (*entry.message_ids, *entry.turn_ids))


def _list_kept(
    turns: tuple[HistoryTurn, ...], layout: PromptLayout, draft: PromptDraft
) -> frozenset[str]:
    """Ids of the replies that the prompt contains, and of their turns."""
    if not layout.shows_history:
        return frozenset()
    kept: Iterable[HistoryTurn] = turns[len(turns) - len(draft.fitted.prompt.turns) :]
    return frozenset(
        each
        for turn in kept
        if turn.role is PromptRole.ASSISTANT
        for each in (*turn.message_ids, *turn.turn_ids)
    )
