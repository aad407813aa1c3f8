"""A whole prompt before it is cut to size."""

from collections.abc import Container, Iterator
from typing import TypeAlias

import msgspec
from msgspec.structs import replace

from yarrow.prompting.assembly.in_chat import Injected, weave
from yarrow.prompting.assembly.parts import Part
from yarrow.prompting.messages import PromptMessage, Role

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
        kept = [_without(part, number, pieces) for number, part in enumerate(self.others)]
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


def _without(part: Part, number: int, pieces: Container[PieceKey]) -> Part | None:
    kept = tuple(piece for at, piece in enumerate(part.pieces) if (number, at) not in pieces)
    if len(kept) == len(part.pieces):
        return part
    return replace(part, pieces=kept) if kept else None
