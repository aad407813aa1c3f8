"""The words around actions: what a model says to the user, without the machinery."""

import re
from collections.abc import Sequence

from yarrow.agents.analyst.json_in_text import Found

FENCE = "```"

_OPENED = re.compile(r"```[\w-]*[\s\[]*\Z")
"""The fence and the list that an object may stand in."""
_LISTED = re.compile(r"\s*\[\s*\Z")
_CLOSED = re.compile(r"[\s,\]]*")


def words_around(text: str, objects: Sequence[Found]) -> str:
    """The text without these objects, and without the fences and lists they stood in."""
    starts = [found.start for found in objects]
    ends = [found.end for found in objects]
    words: list[str] = []
    fenced = False
    for begin, end in zip([0, *ends], [*starts, len(text)], strict=True):
        piece = text[begin:end]
        if begin:
            piece = piece[_end_of(_CLOSED.match(piece)) :]
            if fenced and piece.startswith(FENCE):
                piece, fenced = piece.removeprefix(FENCE), False
        if end < len(text):
            fenced = fenced != bool(piece.count(FENCE) % 2)
            piece = (_OPENED if fenced else _LISTED).sub("", piece)
        words.append(piece.strip())
    return "\n".join(filter(None, words))


def _end_of(match: re.Match[str] | None) -> int:
    return match.end() if match else 0
