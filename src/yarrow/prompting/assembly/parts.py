"""The pieces of a prompt, before and after their macros have run."""

from collections.abc import Mapping
from enum import IntEnum
from typing import TypeAlias

import msgspec

from yarrow.prompting.messages import Role

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
