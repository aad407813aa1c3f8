"""The pieces of a prompt, before and after their macros have run."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from typing import TypeAlias

import msgspec
from msgspec.structs import replace

from yarrow.prompting.model import PromptMessage, PromptRole
from yarrow.prompting.preset.model import ChatPosition

HISTORY = "history"
EXAMPLES = "examples"
WORLDBOOK = "worldbook"
MEMORY = "memory"


def section_group(identifier: str) -> str:
    """The budget group of one entry of a preset."""
    return f"section:{identifier}"


class TrimStage(IntEnum):
    """When something is cut, after the history; whatever is FIXED never."""

    EXAMPLES = 1
    LORE = 2
    FIXED = 3


TextKey: TypeAlias = tuple[str, int | None]
"""What tells texts of one prompt apart: a place, and for lore its number."""


class SourceText(msgspec.Struct, frozen=True, gc=False):
    """A text as its author wrote it. Within a stage the lowest rank is cut first.

    What a model or a user wrote is data: it holds no macros. `values` stand in for the read-only
    ones of the same name, in this text only. `lore` is an entry's number among the active ones.
    """

    text: str
    place: str
    is_data: bool = False
    lore: int | None = None
    stage: TrimStage = TrimStage.FIXED
    rank: int = 0
    values: Mapping[str, str] | None = None


class PromptBlock(msgspec.Struct, frozen=True, gc=False):
    """Texts that stand together in one place: joined by `glue`, set into `frame` at `{0}`."""

    role: PromptRole
    group: str
    texts: tuple[SourceText, ...]
    frame: str = "{0}"
    glue: str = "\n"


class ExpandedText(msgspec.Struct, frozen=True, gc=False):
    """A text that is ready to be sent, and what it was made of.

    What `has_effects` wrote a variable or brought an outlet's lore into the prompt.
    """

    text: str
    source: SourceText
    has_effects: bool = False


class ExpandedBlock(msgspec.Struct, frozen=True, gc=False):
    """A draft whose macros have run."""

    draft: PromptBlock
    pieces: tuple[ExpandedText, ...]

    @property
    def role(self) -> PromptRole:
        return self.draft.role

    @property
    def group(self) -> str:
        return self.draft.group

    @property
    def text(self) -> str:
        joined = self.draft.glue.join(piece.text for piece in self.pieces)
        frame = self.draft.frame
        return joined if frame == "{0}" else frame.replace("{0}", joined)


# The later one stands lower, so a system text has the last word.
_ROLE_RANK = {PromptRole.USER: 0, PromptRole.ASSISTANT: 1, PromptRole.SYSTEM: 2}


class ChatInsertion(msgspec.Struct, frozen=True, gc=False):
    """A draft for a place inside the history."""

    at: ChatPosition
    draft: PromptBlock


class ExpandedInsertion(msgspec.Struct, frozen=True, gc=False):
    """The same with its text ready; depth 0 is after the last message."""

    depth: int
    part: ExpandedBlock


def sort_insertions(injections: Iterable[ChatInsertion]) -> list[ChatInsertion]:
    """Deepest first; then by order, role, and the order in which they were given."""
    return sorted(
        injections,
        key=lambda one: (-one.at.depth, one.at.order, _ROLE_RANK[one.draft.role]),
    )


def insert_at_depth(
    turns: Sequence[PromptMessage], injected: Sequence[ExpandedInsertion]
) -> list[PromptMessage | ExpandedBlock]:
    """The history with its injections, which come in prompt order; too deep means on top."""
    woven: list[PromptMessage | ExpandedBlock] = []
    taken = 0
    for one in injected:
        until = max(taken, len(turns) - one.depth)
        woven.extend(turns[taken:until])
        taken = until
        woven.append(one.part)
    woven.extend(turns[taken:])
    return woven


TextPosition: TypeAlias = tuple[int, int]
"""A piece by its part's place among all parts that are no turns, and its place in the part."""


class ExpandedPrompt(msgspec.Struct, frozen=True):
    """Everything that wants to be sent, in order. The last turn is the current input."""

    before: tuple[ExpandedBlock, ...]
    turns: tuple[PromptMessage, ...]
    injected: tuple[ExpandedInsertion, ...]
    after: tuple[ExpandedBlock, ...]

    @property
    def others(self) -> tuple[ExpandedBlock, ...]:
        """All parts that are no turns."""
        return (*self.before, *(one.part for one in self.injected), *self.after)

    def in_order(self) -> Iterator[ExpandedBlock | PromptMessage]:
        """Parts and turns as they will be sent."""
        yield from self.before
        yield from insert_at_depth(self.turns, self.injected)
        yield from self.after

    def exchanges(self) -> list[int]:
        """Where each exchange begins: at a user's turn, or at the first turn of all."""
        return [at for at, turn in enumerate(self.turns) if at == 0 or turn.role is PromptRole.USER]

    def without(self, turns: int, pieces: Container[TextPosition]) -> "ExpandedPrompt":
        """The same prompt without its oldest turns and some pieces; empty parts go too."""
        kept = [_drop_texts(part, number, pieces) for number, part in enumerate(self.others)]
        first, last = len(self.before), len(kept) - len(self.after)
        return ExpandedPrompt(
            before=tuple(part for part in kept[:first] if part is not None),
            turns=self.turns[turns:],
            injected=tuple(
                ExpandedInsertion(one.depth, part)
                for one, part in zip(self.injected, kept[first:last], strict=True)
                if part is not None
            ),
            after=tuple(part for part in kept[last:] if part is not None),
        )


def _drop_texts(
    part: ExpandedBlock, number: int, pieces: Container[TextPosition]
) -> ExpandedBlock | None:
    kept = tuple(piece for at, piece in enumerate(part.pieces) if (number, at) not in pieces)
    if len(kept) == len(part.pieces):
        return part
    return replace(part, pieces=kept) if kept else None
