"""Words of a question that would pick rows, and why they do not."""

from collections.abc import Mapping

import msgspec

from yarrow.charting.notes import Note


class UnappliedWords(msgspec.Struct, frozen=True):
    """Words that were not applied; `reason` is a note with the slots `words` and `facts`."""

    words: str
    reason: Note
    facts: Mapping[str, str] = {}
