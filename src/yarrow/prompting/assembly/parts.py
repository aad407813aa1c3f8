"""The pieces of a prompt, before and after their macros have run."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from typing import TypeAlias

import msgspec
from msgspec.structs import replace

from yarrow.prompting.model import PromptMessage, Role
from yarrow.prompting.preset.model import InChat

HISTORY = "history"
EXAMPLES = "examples"
WORLDBOOK = "worldbook"
MEMORY = "memory"


def section(identifier: str) -> str:
    """The budget group of one entry of a preset."""
    return f"section:{identifier}"


class CutStage(IntEnum):
    """When something is cut, after the history; whatever is FIXED never."""

    EXAMPLES = 1
    LORE = 2
    FIXED = 3


TextKey: TypeAlias = tuple[str, int | None]
"""What tells texts of one prompt apart: a place, and for lore its number."""


class Text(msgspec.Struct, frozen=True, gc=False):
    """A text as its author wrote it. Within a stage the lowest rank is cut first.

    What a model or a user wrote is data: it holds no macros. `values` stand in for the read-only
    ones of the same name, in this text only. `lore` is an entry's number among the active ones.
    """

    text: str
    place: str
    is_data: bool = False
    lore: int | None = None
    stage: CutStage = CutStage.FIXED
    rank: int = 0
    values: Mapping[str, str] | None = None


class Draft(msgspec.Struct, frozen=True, gc=False):
    """Texts that stand together in one place: joined by `glue`, set into `frame` at `{0}`."""

    role: Role
    group: str
    texts: tuple[Text, ...]
    frame: str = "{0}"
    glue: str = "\n"


class Piece(msgspec.Struct, frozen=True, gc=False):
    """A text that is ready to be sent, and what it was made of.

    What `has_effects` wrote a variable or brought an outlet's lore into the prompt.
    """

    text: str
    source: Text
    has_effects: bool = False


class Part(msgspec.Struct, frozen=True, gc=False):
    """A draft whose macros have run."""

    draft: Draft
    pieces: tuple[Piece, ...]

    @property
    def role(self) -> Role:
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
_ROLE_RANK = {Role.USER: 0, Role.ASSISTANT: 1, Role.SYSTEM: 2}


class Injection(msgspec.Struct, frozen=True, gc=False):
    """A draft for a place inside the history."""

    at: InChat
    draft: Draft


class Injected(msgspec.Struct, frozen=True, gc=False):
    """The same with its text ready; depth 0 is after the last message."""

    depth: int
    part: Part


def in_prompt_order(injections: Iterable[Injection]) -> list[Injection]:
    """Deepest first; then by order, role, and the order in which they were given."""
    return sorted(
        injections,
        key=lambda one: (-one.at.depth, one.at.order, _ROLE_RANK[one.draft.role]),
    )


def weave(
    turns: Sequence[PromptMessage], injected: Sequence[Injected]
) -> list[PromptMessage | Part]:
    """The history with its injections, which come in prompt order; too deep means on top."""
    woven: list[PromptMessage | Part] = []
    taken = 0
    for one in injected:
        until = max(taken, len(turns) - one.depth)
        woven.extend(turns[taken:until])
        taken = until
        woven.append(one.part)
    woven.extend(turns[taken:])
    return woven


PieceKey: TypeAlias = tuple[int, int]
"""A piece by its part's place among all parts that are no turns, and its place in the part."""


class Prompt(msgspec.Struct, frozen=True):
    """Everything that wants to be sent, in order. The last turn is the current input."""

    before: tuple[Part, ...]
    turns: tuple[PromptMessage, ...]
    injected: tuple[Injected, ...]
    after: tuple[Part, ...]

    @property
    def others(self) -> tuple[Part, ...]:
        """All parts that are no turns."""
        return (*self.before, *(one.part for one in self.injected), *self.after)

    def in_order(self) -> Iterator[Part | PromptMessage]:
        """Parts and turns as they will be sent."""
        yield from self.before
        yield from weave(self.turns, self.injected)
        yield from self.after

    def exchanges(self) -> list[int]:
        """Where each exchange begins: at a user's turn, or at the first turn of all."""
        return [at for at, turn in enumerate(self.turns) if at == 0 or turn.role is Role.USER]

    def without(self, turns: int, pieces: Container[PieceKey]) -> "Prompt":
        """The same prompt without its oldest turns and some pieces; empty parts go too."""
        kept = [_drop_pieces(part, number, pieces) for number, part in enumerate(self.others)]
        first, last = len(self.before), len(kept) - len(self.after)
        return Prompt(
            before=tuple(part for part in kept[:first] if part is not None),
            turns=self.turns[turns:],
            injected=tuple(
                Injected(one.depth, part)
                for one, part in zip(self.injected, kept[first:last], strict=True)
                if part is not None
            ),
            after=tuple(part for part in kept[last:] if part is not None),
        )


def _drop_pieces(part: Part, number: int, pieces: Container[PieceKey]) -> Part | None:
    kept = tuple(piece for at, piece in enumerate(part.pieces) if (number, at) not in pieces)
    if len(kept) == len(part.pieces):
        return part
    return replace(part, pieces=kept) if kept else None
