"""Lines of mixed Chinese and English for a terminal, where Chinese takes two cells a character."""

import re
from typing import Final

from rich.cells import cell_len

# Not allowed at the beginning of a line, and at its end.
_CLOSING: Final = frozenset("，。、；：！？）】》」』”’…,.;:!?)]")
_OPENING: Final = frozenset("（【《「『“‘([")
_PIECE: Final = re.compile(r"\s+|[\u2e80-\uffef]|[^\s\u2e80-\uffef]+")


def to_printable(text: str) -> str:
    """Join the text into one line and drop control characters, which the terminal would execute."""
    return "".join(c for c in " ".join(text.split()) if c.isprintable())


def wrap_text(text: str, width: int) -> list[str]:
    """Wrap to lines of at most `width` cells; Chinese breaks anywhere, English at spaces."""
    lines, line = [], ""
    for piece in _split_pieces(text, width):
        if cell_len(line + piece.rstrip()) <= width:
            line += piece
        else:
            lines.append(line.rstrip())
            line = piece.lstrip()
    return [*lines, line.rstrip()]


def _split_pieces(text: str, width: int) -> list[str]:
    """Split into unbreakable pieces: a word, or a character with its closing punctuation."""
    pieces: list[str] = []
    for piece in _PIECE.findall(to_printable(text)):
        if pieces and (piece[0] in _CLOSING or pieces[-1][-1] in _OPENING):
            pieces[-1] += piece
        else:
            pieces.append(piece)
    return [part for piece in pieces for part in (piece if cell_len(piece) > width else [piece])]
