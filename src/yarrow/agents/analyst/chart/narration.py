"""The text of a reply outside of its JSON objects: what the model says to the user."""

import re
from collections.abc import Sequence

from yarrow.agents.conversation.json_text import JsonSpan

FENCE = "```"

_OPENED = re.compile(r"```[\w-]*[\s\[]*\Z")
"""The fence and the list that an object may be in."""
_LISTED = re.compile(r"\s*\[\s*\Z")
_CLOSED = re.compile(r"[\s,\]]*")


def text_outside_json(text: str, objects: Sequence[JsonSpan]) -> str:
    """The text without these objects, and without the code fences and lists around them."""
    starts = [span.start for span in objects]
    ends = [span.end for span in objects]
    pieces: list[str] = []
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
        pieces.append(piece.strip())
    return "\n".join(filter(None, pieces))


def _end_of(match: re.Match[str] | None) -> int:
    return match.end() if match else 0
