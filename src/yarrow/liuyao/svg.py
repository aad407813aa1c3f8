"""A board as one SVG picture: self-contained, light or dark as the viewer wishes."""

import re
from collections.abc import Iterator
from html import escape
from typing import Final
from unicodedata import east_asian_width

from yarrow.liuyao.board import Board, BoardLine

_WIDTH: Final = 880
_LEFT, _RIGHT = 40, 840
_FIRST_ROW: Final = 252
_ROW: Final = 46
_BAR, _GAP, _THICK = 120, 20, 13
# The x of each column.
_HIDDEN, _LABEL, _BARS, _MOVE, _MARK, _NOTES = 106, 214, 312, 452, 484, 504
_TARGET_LABEL, _TARGET_BARS, _TARGET_MARK = 572, 670, 818
_QUESTION_FITS: Final = 76
_TEXT_FITS, _TEXT_ROW = 60, 22
# What XML cannot hold, even escaped; a question may hold anything.
_UNSPEAKABLE: Final = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_STYLE: Final = (
    ".yarrow-board{--paper:#fbfaf5;--ink:#23271f;--quiet:#636957;--line:#e2dfd1;--red:#a43d2f;"
    "--gold:#96701a;font-family:'Noto Serif CJK SC','Noto Serif SC','Source Han Serif SC',"
    "'Songti SC','Noto Serif CJK TC','Songti TC',STSong,SimSun,PMingLiU,'Noto Sans CJK SC',"
    "'PingFang SC','Microsoft YaHei',serif;font-size:16px}"
    "@media(prefers-color-scheme:dark){.yarrow-board{--paper:#15181a;--ink:#e6e5dc;"
    "--quiet:#9ca396;--line:#30363a;--red:#e89484;--gold:#dcb967}}"
    ".yarrow-board text,.yarrow-board .yao{fill:var(--ink)}"
    ".yarrow-board .paper{fill:var(--paper);stroke:var(--line)}"
    ".yarrow-board .rule{stroke:var(--line)}"
    ".yarrow-board .band{fill:var(--red);opacity:.08}"
    ".yarrow-board .moving{fill:var(--red)}"
    ".yarrow-board .quiet{fill:var(--quiet)}"
    ".yarrow-board .gold{fill:var(--gold)}"
    ".yarrow-board .seal{fill:none;stroke:var(--gold)}"
    ".yarrow-board .small{font-size:13px}"
    ".yarrow-board .large{font-size:23px}"
    ".yarrow-board .name{font-size:25px;font-weight:600}"
    ".yarrow-board .asked{font-size:20px;font-weight:600}"
    ".yarrow-board .mid{text-anchor:middle}"
    ".yarrow-board .end{text-anchor:end}"
)


def draw_svg(board: Board) -> str:
    """The picture of `board`; the question is escaped, so it may hold anything."""
    texts = _list_texts(board)
    height = _FIRST_ROW + 6 * _ROW + 92 + len(texts) * _TEXT_ROW
    title = board.name + (f"之{board.target_name}" if board.target_name else "")
    language = "zh-Hant" if board.is_hant else "zh-Hans"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="yarrow-board" lang="{language}" '
        f'viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}" role="img" '
        f'aria-label="{title}"><title>{title}</title><desc>{_escape_text(board.question)}</desc>'
        f"<style>{_STYLE}</style>"
        f'<rect class="paper" x=".5" y=".5" width="{_WIDTH - 1}" height="{height - 1}" rx="14"/>'
        f"{''.join(_draw_body(board, texts))}</svg>"
    )


def _list_texts(board: Board) -> list[str]:
    """卦辞, 爻辞 of the moving lines, 神煞 and the other hexagrams, in rows that fit."""
    stars = "　".join(f"{name} {branches}" for name, branches in board.stars)
    others = "　".join(f"{name} {value}" for name, value in board.related)
    body = f"{board.spell('卦身')} {board.body}"
    rows = [
        f"{board.spell('卦辞')}：{board.judgement}",
        *board.line_texts,
        f"{body}　{others}",
        stars,
    ]
    return [piece for row in rows for piece in _split_rows(row)]


def _split_rows(text: str) -> list[str]:
    """Rows of at most `_TEXT_FITS` characters."""
    return [text[start : start + _TEXT_FITS] for start in range(0, len(text), _TEXT_FITS)]


def _draw_body(board: Board, texts: list[str]) -> Iterator[str]:
    yield from _draw_header(board)
    yield from _draw_names(board)
    for row, line in enumerate(board.lines):
        yield from _draw_line(line, _FIRST_ROW + row * _ROW)
    foot = _FIRST_ROW + 6 * _ROW + 4
    yield _draw_rule(foot)
    yield _draw_text(_LEFT, foot + 32, " · ".join(board.special), "quiet")
    seasons = "　".join(element + season for element, season in board.seasons)
    yield _draw_text(_RIGHT, foot + 32, seasons, "quiet end")
    for row, text in enumerate(texts):
        yield _draw_text(_LEFT, foot + 62 + row * _TEXT_ROW, text, "quiet small")


def _draw_header(board: Board) -> Iterator[str]:
    yield _draw_text(_LEFT, 50, _shorten_question(board.question), "asked")
    about = f"{board.question_type} · {board.method} · {board.moment} · {board.calendar}"
    yield _draw_text(_LEFT, 76, about, "quiet small")
    yield _draw_rule(96)
    for place, (name, pillar) in enumerate(board.pillars):
        yield from _draw_value(64 + place * 84, f"{name}柱", pillar, "large")
    yield from _draw_value(424, board.spell("旬空"), board.void, "large gold")
    for place, (name, ruler) in enumerate(board.rulers):
        yield from _draw_value(566 + place * 84, name, ruler, "")
    yield _draw_rule(176)


def _draw_names(board: Board) -> Iterator[str]:
    base = _FIRST_ROW - 32
    yield _draw_text(_LEFT, base, board.spell("六神"), "quiet small")
    if any(line.hidden for line in board.lines):
        yield _draw_text(_HIDDEN, base, board.spell("伏神"), "quiet small")
    yield _draw_text(_LABEL, base, board.name, "name")
    yield _draw_text(_BARS + _BAR, base, f"{board.spell('本卦')} {board.palace}", "quiet small end")
    if board.target_name:
        about = f"{board.spell('变卦')} {board.target_palace}"
        yield _draw_text(_TARGET_LABEL, base, board.target_name, "name")
        yield _draw_text(_TARGET_BARS + _BAR, base, about, "quiet small end")
    else:
        middle = (_TARGET_LABEL + _RIGHT) // 2
        yield _draw_text(
            middle, _FIRST_ROW + 3 * _ROW, board.spell("六爻安静，无变卦"), "quiet mid"
        )


def _draw_line(line: BoardLine, top: int) -> Iterator[str]:
    base, tone = top + 29, "moving" if line.move else ""
    if line.move:
        yield (
            f'<rect class="band" x="{_LABEL - 14}" y="{top + 3}" '
            f'width="{_RIGHT - _LABEL + 14}" height="{_ROW - 6}" rx="8"/>'
        )
    yield _draw_text(_LEFT, base, line.spirit, "quiet")
    yield _draw_text(_HIDDEN, base, line.hidden, "quiet")
    yield _draw_text(_LABEL, base, line.label, tone)
    yield from _draw_bars(_BARS, top, is_yang=line.is_yang, tone=tone)
    yield _draw_text(_MOVE, base + 1, line.move, f"{tone} large mid")
    yield from _draw_seal(_MARK, top, line.mark)
    yield _draw_text(_NOTES, base - 1, line.role, "gold small")
    yield _draw_text(_NOTES + 18, base - 1, "".join(line.notes), "quiet small")
    if line.target_label:
        yield _draw_text(_TARGET_LABEL, base, line.target_label, tone)
        yield from _draw_bars(_TARGET_BARS, top, is_yang=line.target_is_yang, tone=tone)
        yield from _draw_seal(_TARGET_MARK, top, line.target_mark)


def _draw_bars(x: int, top: int, *, is_yang: bool, tone: str) -> Iterator[str]:
    half = (_BAR - _GAP) // 2
    pieces = [(x, _BAR)] if is_yang else [(x, half), (x + half + _GAP, half)]
    y = top + (_ROW - _THICK) // 2
    for left, width in pieces:
        yield (
            f'<rect class="yao {tone}" x="{left}" y="{y}" width="{width}" '
            f'height="{_THICK}" rx="2"/>'
        )


def _draw_seal(middle: int, top: int, mark: str) -> Iterator[str]:
    """世 or 应, in a ring."""
    if mark:
        yield f'<circle class="seal" cx="{middle}" cy="{top + _ROW // 2}" r="12"/>'
        yield _draw_text(middle, top + 28, mark, "gold small mid")


def _draw_value(middle: int, name: str, value: str, tone: str) -> Iterator[str]:
    yield _draw_text(middle, 122, name, "quiet small mid")
    yield _draw_text(middle, 154, value, f"{tone} mid")


def _draw_rule(y: int) -> str:
    return f'<line class="rule" x1="{_LEFT}" x2="{_RIGHT}" y1="{y}" y2="{y}"/>'


def _shorten_question(question: str) -> str:
    """As much of the question as one row holds; the description keeps all of it."""
    words, used = " ".join(question.split()), 0
    for place, character in enumerate(words):
        used += 2 if east_asian_width(character) in "WF" else 1
        if used > _QUESTION_FITS:
            return f"{words[: place - 1]}…"
    return words


def _draw_text(x: int, y: int, words: str, tone: str = "") -> str:
    if not words:
        return ""
    mark = f' class="{tone.strip()}"' if tone else ""
    return f'<text x="{x}" y="{y}"{mark}>{_escape_text(words)}</text>'


def _escape_text(words: str) -> str:
    return escape(_UNSPEAKABLE.sub("�", words))
