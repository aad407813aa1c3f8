"""Running the macros of drafts, strictly in the order in which they stand in the prompt."""

from collections.abc import Container, Sequence
from dataclasses import dataclass

from yarrow.prompting.assembly.history import Ruling
from yarrow.prompting.assembly.layout import Layout
from yarrow.prompting.assembly.lore import Outlets
from yarrow.prompting.assembly.parts import (
    Draft,
    Injected,
    Part,
    Piece,
    Prompt,
    Text,
    TextKey,
    in_prompt_order,
)
from yarrow.prompting.macros import MacroRun
from yarrow.prompting.model import PromptMessage
from yarrow.prompting.regex_rules import Channel, Placement


@dataclass(frozen=True, slots=True)
class Expander:
    """One macro run for a whole prompt; what one text writes, the next one reads."""

    run: MacroRun
    outlets: Outlets
    ruling: Ruling
    left_out: Container[TextKey] = ()

    def prompt(self, layout: Layout, turns: Sequence[PromptMessage]) -> Prompt:
        """The layout with its texts ready, around the history."""
        before = self._parts(layout.before)
        injected = [
            Injected(one.at.depth, part)
            for one in in_prompt_order(layout.injections)
            if (part := self._part(one.draft)) is not None
        ]
        after = self._parts(layout.after)
        return Prompt(tuple(before), tuple(turns), tuple(injected), tuple(after))

    def _parts(self, drafts: Sequence[Draft]) -> list[Part]:
        return [part for draft in drafts if (part := self._part(draft)) is not None]

    def _part(self, draft: Draft) -> Part | None:
        """A draft of which nothing is left gives no part."""
        pieces = tuple(piece for text in draft.texts if (piece := self._piece(text)) is not None)
        return Part(draft, pieces) if pieces else None

    def _piece(self, text: Text) -> Piece | None:
        written = text.text
        if not written or written.isspace() or (text.place, text.lore) in self.left_out:
            return None
        effects = self._effects()
        if not text.is_data:
            written = self.run.expand(written, place=text.place, values=text.values)
        if text.lore is not None:
            written = self.ruling(written, Placement.WORLD_INFO, Channel.PROMPT).text
        if not written or written.isspace():
            return None
        return Piece(written, text, self._effects() > effects)

    def _effects(self) -> int:
        return self.run.write_count + len(self.outlets.asked)
