"""A board in the terminal. Chinese characters take two cells, so widths are in cells."""

from collections.abc import Iterable
from itertools import zip_longest
from typing import Final

from rich import box
from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.rule import Rule
from rich.text import Text

from yarrow.cli.casting import CoinThrows
from yarrow.cli.prose import to_printable, wrap_text
from yarrow.liuyao import Board
from yarrow.liuyao.board import BoardLine
from yarrow.liuyao.najia import POSITION_NAMES

FULL_WIDTH: Final = 78
_FRAME: Final = 4
_YANG, _YIN = "▄▄▄▄▄▄▄", "▄▄▄ ▄▄▄"
_COLUMN, _STRIP = 8, 72
_SPIRIT, _LABEL, _BAR, _MARK, _ROLE, _NOTES = 4, 10, 7, 2, 2, 4
_DIM, _MOVING, _GOLD = "dim", "bold red", "yellow"


def render_throws(throws: CoinThrows, board: Board) -> RenderableType:
    """Render the faces of the coins, first throw first."""
    rows = (
        [(place, _DIM) for place in POSITION_NAMES],
        [(faces, "") for faces in throws.faces],
        [(board.spell(line), _MOVING if line[0] == "老" else "") for line in throws.lines],
    )
    return Group(*(_join_cells((text, 8, style) for text, style in row) for row in rows))


def render_board(board: Board, *, width: int) -> RenderableType:
    """Render the whole board; 变卦 is below 本卦 if the terminal is too narrow for both."""
    inner = min(width, FULL_WIDTH) - _FRAME
    cast, target = _render_cast_rows(board), _render_target_rows(board)
    left = max(map(_measure_row, cast))
    if left + 2 + max(map(_measure_row, target), default=0) <= inner:
        rows = [
            _join_columns(a, b, at=left + 2) for a, b in zip_longest(cast, target, fillvalue=Text())
        ]
    else:
        rows = [*cast, Text(), *target]
    used = max(map(_measure_row, rows))
    body = [*_render_header(board, inner), Rule(style=_DIM), *rows, *_render_footer(board, inner)]
    return Panel(Group(*body), box=box.ROUNDED, border_style=_DIM, width=max(used, inner) + _FRAME)


def _render_header(board: Board, width: int) -> Iterable[RenderableType]:
    for line in wrap_text(board.question, width):
        yield Text(line, style="bold")
    about = f"{board.question_type} · {board.method} · {board.moment}"
    yield Text(to_printable(about), style=_DIM, overflow="fold")
    yield Text(board.calendar, style=_DIM, overflow="fold")
    yield Text()
    pillars = [(f"{name}柱", pillar, "bold") for name, pillar in board.pillars]
    pillars.append((board.spell("旬空"), board.void, f"bold {_GOLD}"))
    rulers = [(name, ruler, "") for name, ruler in board.rulers]
    for strip in [[*pillars, *rulers]] if width >= _STRIP else [pillars, rulers]:
        yield _join_cells((name, _COLUMN, _DIM) for name, _, _ in strip)
        yield _join_cells((value, _COLUMN, style) for _, value, style in strip)


def _render_footer(board: Board, width: int) -> Iterable[RenderableType]:
    yield Rule(style=_DIM)
    special = " ".join(board.special)
    seasons = " ".join(element + season for element, season in board.seasons)
    gap = width - cell_len(special) - cell_len(seasons)
    yield Text.assemble((special, _GOLD), " " * max(gap, 1), (seasons, _DIM))
    body = f"{board.spell('卦身')}{board.body}"
    related = " ".join(name + value for name, value in board.related)
    yield Text(f"{body} {related}", style=_DIM, overflow="fold")
    stars = " ".join(f"{name}{branches}" for name, branches in board.stars)
    for line in wrap_text(stars, width):
        yield Text(line, style=_DIM)
    for text in (f"{board.spell('卦辞')}：{board.judgement}", *board.line_texts):
        for line in wrap_text(text, width):
            yield Text(line)


def _render_cast_rows(board: Board) -> list[Text]:
    concealed = any(line.hidden for line in board.lines)
    hidden = _LABEL if concealed else -2
    before = _SPIRIT + 2 + hidden + 2
    heads = _join_cells(
        [
            (board.spell("六神"), _SPIRIT + 2, _DIM),
            (board.spell("伏神") if concealed else "", hidden + 2, _DIM),
        ]
    )
    title = _render_title(board.spell("本卦"), board.name, board.palace)
    rows = [_join_columns(heads, title, at=before), Text()]
    for line in board.lines:
        tone = _MOVING if line.move else ""
        cells = [
            (line.spirit, _SPIRIT + 2, _DIM),
            (line.hidden, hidden + 2, _DIM),
            (line.label, _LABEL + 1, tone),
            (_choose_bar(is_yang=line.is_yang), _BAR + 1, tone),
            (line.move, 2, tone),
            (line.mark, _MARK + 1, f"bold {_GOLD}"),
            (line.role, _ROLE + 1, _DIM),
            ("".join(line.notes), _NOTES, _DIM),
        ]
        rows.append(_join_cells(cells))
    return rows


def _render_target_rows(board: Board) -> list[Text]:
    if not board.target_name:
        return []
    title = _render_title(board.spell("变卦"), board.target_name, board.target_palace)
    return [title, Text(), *map(_render_target_row, board.lines)]


def _render_target_row(line: BoardLine) -> Text:
    tone = _MOVING if line.move else ""
    bar = _choose_bar(is_yang=line.target_is_yang)
    mark = (line.target_mark, _MARK, f"bold {_GOLD}")
    return _join_cells([(line.target_label, _LABEL + 1, tone), (bar, _BAR + 1, tone), mark])


def _render_title(kind: str, name: str, palace: str) -> Text:
    return Text.assemble((kind, _DIM), " ", (name, "bold"), " ", (palace, _DIM))


def _choose_bar(*, is_yang: bool) -> str:
    return _YANG if is_yang else _YIN


def _join_cells(cells: Iterable[tuple[str, int, str]]) -> Text:
    """Join cells of text, width and style, each padded to its width."""
    row = Text(no_wrap=True)
    for text, width, style in cells:
        row.append(text, style=style)
        row.append(" " * (width - cell_len(text)))
    row.rstrip()
    return row


def _join_columns(left: Text, right: Text, *, at: int) -> Text:
    gap = " " * (at - _measure_row(left))
    return Text.assemble(left, gap, right, no_wrap=True)


def _measure_row(row: Text) -> int:
    return cell_len(row.plain)
