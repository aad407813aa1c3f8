"""An entry that a scan came upon, before it is decided whether it may stay."""

import msgspec

from yarrow.prompting.worldbook.model import BookSource, Entry
from yarrow.prompting.worldbook.request import ActivationMode, CutReason, FirstMatch


class Barrier(msgspec.Struct, frozen=True):
    """What keeps an entry out although it matched."""

    reason: CutReason
    detail: str


class Found(msgspec.Struct, frozen=True, gc=False, eq=False):
    """Book and place say where it stands among all entries.

    `score` counts its keys in the text and decides in a group if `scored`. What `echoes` has a
    content that may trigger others.
    """

    book: int
    place: int
    entry: Entry
    source: BookSource
    mode: ActivationMode
    level: int
    first_match: FirstMatch | None
    score: int
    scored: bool
    echoes: bool

    @property
    def rank(self) -> tuple[bool, int, int, int]:
        """Who is served first: sticky ones, then the higher order."""
        loose = self.mode is not ActivationMode.STICKY
        return loose, -self.entry.order, self.book, self.place

    @property
    def text_place(self) -> tuple[int, int, int]:
        """Who stands first in the text: the lower order."""
        return self.entry.order, self.book, self.place
