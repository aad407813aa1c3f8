"""A board as one SVG picture, self-contained, in the colours of the page around it."""

from collections.abc import Iterator
from html import escape
from typing import Final

from yarrow.liuyao.board import Board, BoardLine

_WIDTH: Final = 760
_TOP: Final = 132
_ROW: Final = 44
_BAR: Final = 96
_GAP: Final = 16
_THICK: Final = 14
_FITS: Final = 46
# The x of each column.
_SPIRIT, _HIDDEN, _LABEL, _BARS, _MARK = 24, 80, 176, 268, 376
_TARGET_LABEL, _TARGET_BARS, _TARGET_MARK = 468, 560, 668
_STYLE: Final = (
    "text{font-family:'Noto Serif CJK SC','Songti SC','SimSun',serif;font-size:15px;"
    "fill:currentColor}.name{font-size:20px;font-weight:bold}.faint{opacity:.62}"
    ".moving{fill:#b3261e}rect{fill:currentColor}rect.moving{fill:#b3261e}"
)


def svg_of(board: Board) -> str:
    """The picture of `board`; the question is escaped, so it may hold anything."""
    height = _TOP + 6 * _ROW + 48
    body = "".join(_body(board))
    title = escape(f"{board.name}{'之' + board.target_name if board.target_name else ''}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img" '
        f'aria-label="{title}"><title>{title}</title><desc>{escape(board.question)}</desc>'
        f"<style>{_STYLE}</style>{body}</svg>"
    )


def _body(board: Board) -> Iterator[str]:
    yield _text(_SPIRIT, 28, _shortened(board.question))
    yield _text(_SPIRIT, 54, board.moment, "faint")
    pillars = "　".join(f"{pillar}{name}" for name, pillar in board.pillars)
    yield _text(_SPIRIT, 80, f"{pillars}　旬空 {board.void}", "faint")
    yield _text(_LABEL, 112, f"{board.name}", "name")
    yield _text(_LABEL + 112, 112, board.palace, "faint")
    if board.target_name:
        yield _text(_TARGET_LABEL, 112, board.target_name, "name")
        yield _text(_TARGET_LABEL + 112, 112, board.target_palace, "faint")
    for row, line in enumerate(board.lines):
        yield from _line(line, _TOP + row * _ROW)
    yield _text(_SPIRIT, _TOP + 6 * _ROW + 28, "　".join(board.special), "faint")


def _shortened(question: str) -> str:
    """As much of the question as one row holds; the description keeps all of it."""
    return question if len(question) <= _FITS else f"{question[: _FITS - 1]}…"


def _line(line: BoardLine, top: int) -> Iterator[str]:
    base = top + _THICK + 4
    tone = "moving" if line.move else ""
    yield _text(_SPIRIT, base, line.spirit, "faint")
    yield _text(_HIDDEN, base, line.hidden, "faint")
    yield _text(_LABEL, base, line.label, tone)
    yield from _bars(_BARS, top, is_yang=line.is_yang, tone=tone)
    yield _text(_MARK, base, " ".join((line.move, line.mark, *line.notes)).strip(), tone)
    if line.target_label:
        yield _text(_TARGET_LABEL, base, line.target_label, tone)
        yield from _bars(_TARGET_BARS, top, is_yang=line.target_is_yang, tone=tone)
        yield _text(_TARGET_MARK, base, line.target_mark)


def _bars(x: int, top: int, *, is_yang: bool, tone: str) -> Iterator[str]:
    half = (_BAR - _GAP) // 2
    pieces = [(x, _BAR)] if is_yang else [(x, half), (x + half + _GAP, half)]
    mark = f' class="{tone}"' if tone else ""
    for left, width in pieces:
        yield f'<rect x="{left}" y="{top + 4}" width="{width}" height="{_THICK}"{mark}/>'


def _text(x: int, y: int, words: str, tone: str = "") -> str:
    if not words:
        return ""
    mark = f' class="{tone}"' if tone else ""
    return f'<text x="{x}" y="{y}"{mark}>{escape(words)}</text>'
