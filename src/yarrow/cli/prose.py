"""Lines of mixed Chinese and English for a terminal, where Chinese takes two cells a character."""

import re
from typing import Final

from rich.cells import cell_len

# Never at the beginning of a line, and never at its end.
_CLOSING: Final = frozenset("，。、；：！？）】》」』”’…,.;:!?)]")
_OPENING: Final = frozenset("（【《「『“‘([")
_PIECE: Final = re.compile(r"\s+|[\u2e80-\uffef]|[^\s\u2e80-\uffef]+")


def printable(text: str) -> str:
    """One line of `text` without what would drive the terminal instead of being shown."""
    return "".join(c for c in " ".join(text.split()) if c.isprintable())


def wrapped(text: str, width: int) -> list[str]:
    """`text` in lines of at most `width` cells; Chinese breaks anywhere, English at spaces."""
    lines, line = [], ""
    for piece in _pieces(text, width):
        if cell_len(line + piece.rstrip()) <= width:
            line += piece
        else:
            lines.append(line.rstrip())
            line = piece.lstrip()
    return [*lines, line.rstrip()]


def _pieces(text: str, width: int) -> list[str]:
    """What must not be broken: a word, or a character with the punctuation that closes it."""
    pieces: list[str] = []
    for piece in _PIECE.findall(printable(text)):
        if pieces and (piece[0] in _CLOSING or pieces[-1][-1] in _OPENING):
            pieces[-1] += piece
        else:
            pieces.append(piece)
    return [part for piece in pieces for part in (piece if cell_len(piece) > width else [piece])]
