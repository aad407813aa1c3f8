"""Running the macros of drafts, strictly in the order in which they stand in the prompt."""

from collections.abc import Container, Sequence
from dataclasses import dataclass

from yarrow.prompting.assembly.history import RegexRunner
from yarrow.prompting.assembly.layout import PromptLayout
from yarrow.prompting.assembly.lore import OutletTexts
from yarrow.prompting.assembly.parts import (
    ExpandedBlock,
    ExpandedInsertion,
    ExpandedPrompt,
    ExpandedText,
    PromptBlock,
    SourceText,
    TextKey,
    sort_insertions,
)
from yarrow.prompting.macros import MacroRun
from yarrow.prompting.model import PromptMessage
from yarrow.prompting.regex_rules import RuleChannel, RulePlacement


@dataclass(frozen=True, slots=True)
class PromptExpander:
    """One macro run for a whole prompt; what one text writes, the next one reads."""

    run: MacroRun
    outlets: OutletTexts
    ruling: RegexRunner
    left_out: Container[TextKey] = ()

    def prompt(self, layout: PromptLayout, turns: Sequence[PromptMessage]) -> ExpandedPrompt:
        """The layout with its texts ready, around the history."""
        before = self._parts(layout.before)
        injected = [
            ExpandedInsertion(one.at.depth, part)
            for one in sort_insertions(layout.injections)
            if (part := self._part(one.draft)) is not None
        ]
        after = self._parts(layout.after)
        return ExpandedPrompt(tuple(before), tuple(turns), tuple(injected), tuple(after))

    def _parts(self, drafts: Sequence[PromptBlock]) -> list[ExpandedBlock]:
        return [part for draft in drafts if (part := self._part(draft)) is not None]

    def _part(self, draft: PromptBlock) -> ExpandedBlock | None:
        """A draft of which nothing is left gives no part."""
        pieces = tuple(piece for text in draft.texts if (piece := self._piece(text)) is not None)
        return ExpandedBlock(draft, pieces) if pieces else None

    def _piece(self, text: SourceText) -> ExpandedText | None:
        written = text.text
        if not written or written.isspace() or (text.place, text.lore) in self.left_out:
            return None
        effects = self._effects()
        if not text.is_data:
            written = self.run.expand(written, place=text.place, values=text.values)
        if text.lore is not None:
            written = self.ruling(written, RulePlacement.WORLD_INFO, RuleChannel.PROMPT).text
        if not written or written.isspace():
            return None
        return ExpandedText(written, text, self._effects() > effects)

    def _effects(self) -> int:
        return self.run.write_count + len(self.outlets.asked)
