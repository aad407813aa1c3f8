"""Expand the macros of all texts in the order in which they appear in the prompt."""

from collections.abc import Container, Sequence

from msgspec import Struct

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


class PromptExpander(Struct, frozen=True):
    """Expands a layout with one macro run: a variable that one text writes is seen by the next.

    `excluded` texts are skipped as if they had been trimmed before.
    """

    run: MacroRun
    outlets: OutletTexts
    runner: RegexRunner
    excluded: Container[TextKey] = ()

    def expand_layout(self, layout: PromptLayout, turns: Sequence[PromptMessage]) -> ExpandedPrompt:
        """Expand every block of the layout; blank ones are dropped."""
        before = self._expand_blocks(layout.before)
        insertions = [
            ExpandedInsertion(insertion.position.depth, expanded)
            for insertion in sort_insertions(layout.insertions)
            if (expanded := self._expand_block(insertion.block)) is not None
        ]
        after = self._expand_blocks(layout.after)
        return ExpandedPrompt(tuple(before), tuple(turns), tuple(insertions), tuple(after))

    def _expand_blocks(self, blocks: Sequence[PromptBlock]) -> list[ExpandedBlock]:
        return [expanded for block in blocks if (expanded := self._expand_block(block)) is not None]

    def _expand_block(self, block: PromptBlock) -> ExpandedBlock | None:
        """Expand the texts of a block; None if all of them are blank."""
        texts = tuple(
            expanded for text in block.texts if (expanded := self._expand_text(text)) is not None
        )
        return ExpandedBlock(block, texts) if texts else None

    def _expand_text(self, text: SourceText) -> ExpandedText | None:
        content = text.text
        if not content or content.isspace() or (text.place, text.lore) in self.excluded:
            return None
        effects = self._count_effects()
        if not text.is_data:
            content = self.run.expand(content, place=text.place, values=text.values)
        if text.lore is not None:
            content = self.runner.apply(
                content, RulePlacement.WORLD_INFO, RuleChannel.PROMPT, depth=text.depth
            ).text
        if not content or content.isspace():
            return None
        return ExpandedText(content, text, self._count_effects() > effects)

    def _count_effects(self) -> int:
        return self.run.write_count + len(self.outlets.used)
