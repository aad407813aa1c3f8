"""The texts of a prompt before and after macro expansion, and where they are inserted."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from yarrow.prompting.model import PromptMessage, PromptRole
from yarrow.prompting.preset.model import ChatPosition

HISTORY = "history"
EXAMPLES = "examples"
WORLDBOOK = "worldbook"
MEMORY = "memory"
TextKey: TypeAlias = tuple[str, int | None]
"""Identifies a text within one prompt: its place, and for lore the entry's number."""

# A higher rank is placed later: models weigh the last text most, so system texts come last.
_ROLE_RANK = {PromptRole.USER: 0, PromptRole.ASSISTANT: 1, PromptRole.SYSTEM: 2}

TextPosition: TypeAlias = tuple[int, int]
"""A text's position: index of its block in `ExpandedPrompt.blocks`, index within the block."""


def name_section(identifier: str) -> str:
    """Name the budget group of one preset entry."""
    return f"section:{identifier}"


class TrimStage(IntEnum):
    """In which order texts are trimmed after the history; FIXED texts never are."""

    EXAMPLES = 1
    LORE = 2
    FIXED = 3


class SourceText(Struct, frozen=True, gc=False):
    """A text before macro expansion. Within a stage the lowest rank is trimmed first.

    Text written by a model or a user is data (`is_data`): its macros are not expanded. `values`
    override macro values of the same name, in this text only. `lore` is the number of the entry
    among the active ones.
    """

    text: str
    place: str
    is_data: bool = False
    lore: int | None = None
    stage: TrimStage = TrimStage.FIXED
    rank: int = 0
    values: Mapping[str, str] | None = None
    depth: int | None = None
    """Of lore at a depth of the history."""


class PromptBlock(Struct, frozen=True, gc=False):
    """Texts that share a place and a role: joined by `glue`, put into `frame` at `{0}`."""

    role: PromptRole
    group: str
    texts: tuple[SourceText, ...]
    frame: str = "{0}"
    glue: str = "\n"


class ExpandedText(Struct, frozen=True, gc=False):
    """A text after macro expansion.

    `has_effects` is true if expanding it wrote a variable or used an outlet.
    """

    text: str
    source: SourceText
    has_effects: bool = False


class ExpandedBlock(Struct, frozen=True, gc=False):
    """A block whose texts are expanded; at least one of them is not blank."""

    source: PromptBlock
    texts: tuple[ExpandedText, ...]

    @property
    def role(self) -> PromptRole:
        return self.source.role

    @property
    def group(self) -> str:
        return self.source.group

    @property
    def text(self) -> str:
        joined = self.source.glue.join(text.text for text in self.texts)
        frame = self.source.frame
        return joined if frame == "{0}" else frame.replace("{0}", joined)


class ChatInsertion(Struct, frozen=True, gc=False):
    """A block to be inserted into the history."""

    position: ChatPosition
    block: PromptBlock


class ExpandedInsertion(Struct, frozen=True, gc=False):
    """An expanded block to be inserted into the history; depth 0 is after the last message."""

    depth: int
    block: ExpandedBlock


def sort_insertions(insertions: Iterable[ChatInsertion]) -> list[ChatInsertion]:
    """Sort by depth (deepest first), order and role; the sort is stable."""
    return sorted(
        insertions,
        key=lambda insertion: (
            -insertion.position.depth,
            insertion.position.order,
            _ROLE_RANK[insertion.block.role],
        ),
    )


def insert_at_depth(
    turns: Sequence[PromptMessage], insertions: Sequence[ExpandedInsertion]
) -> list[PromptMessage | ExpandedBlock]:
    """Insert sorted blocks into the history; one deeper than the history comes first."""
    merged: list[PromptMessage | ExpandedBlock] = []
    done = 0
    for insertion in insertions:
        end = max(done, len(turns) - insertion.depth)
        merged.extend(turns[done:end])
        done = end
        merged.append(insertion.block)
    merged.extend(turns[done:])
    return merged


class ExpandedPrompt(Struct, frozen=True):
    """A prompt before trimming. The last turn is the current input."""

    before: tuple[ExpandedBlock, ...]
    turns: tuple[PromptMessage, ...]
    insertions: tuple[ExpandedInsertion, ...]
    after: tuple[ExpandedBlock, ...]

    @property
    def blocks(self) -> tuple[ExpandedBlock, ...]:
        """All blocks, in the order before, insertions, after."""
        return (*self.before, *(insertion.block for insertion in self.insertions), *self.after)

    def iter_in_order(self) -> Iterator[ExpandedBlock | PromptMessage]:
        """Yield blocks and history messages in the order in which they are sent."""
        yield from self.before
        yield from insert_at_depth(self.turns, self.insertions)
        yield from self.after

    def exchange_starts(self) -> list[int]:
        """Return where exchanges begin: at each user turn, and at the first turn of all."""
        user = PromptRole.USER
        starts = [index for index, turn in enumerate(self.turns) if turn.role is user]
        return starts if starts and not starts[0] else [0, *starts]

    def drop(self, turns: int, texts: Container[TextPosition]) -> "ExpandedPrompt":
        """Return a copy without the oldest turns and the given texts, and without empty blocks."""
        remaining = [_drop_texts(block, number, texts) for number, block in enumerate(self.blocks)]
        first, last = len(self.before), len(remaining) - len(self.after)
        return ExpandedPrompt(
            before=tuple(block for block in remaining[:first] if block is not None),
            turns=self.turns[turns:],
            insertions=tuple(
                ExpandedInsertion(insertion.depth, block)
                for insertion, block in zip(self.insertions, remaining[first:last], strict=True)
                if block is not None
            ),
            after=tuple(block for block in remaining[last:] if block is not None),
        )


def _drop_texts(
    block: ExpandedBlock, number: int, texts: Container[TextPosition]
) -> ExpandedBlock | None:
    remaining = tuple(
        text for index, text in enumerate(block.texts) if (number, index) not in texts
    )
    if len(remaining) == len(block.texts):
        return block
    return replace(block, texts=remaining) if remaining else None
