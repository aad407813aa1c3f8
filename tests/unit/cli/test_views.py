"""What a person sees: rows that align, and nothing of the board left out."""

from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from rich.cells import cell_len
from rich.console import Console
from tests.unit.cli.running import CASTINGS
from tests.unit.liuyao.oracle import cast_of
from tests.unit.liuyao.strategies import casts, few_examples

from yarrow.cli.board_view import render_board
from yarrow.cli.prose import wrap_text
from yarrow.liuyao import Board, board_in_hant, build_board, derive

YANG, YIN = "▄▄▄▄▄▄▄", "▄▄▄ ▄▄▄"


def drawn(board: Board, width: int = 80) -> list[str]:
    console = Console(file=StringIO(), width=width)
    with console.capture() as capture:
        console.print(render_board(board, width=width))
    return capture.get().splitlines()


def line_rows(board: Board) -> list[str]:
    """The six rows of lines, from the bottom up."""
    return [row for row in drawn(board) if "▄" in row][::-1]


@pytest.mark.parametrize("row", CASTINGS, ids=lambda row: row["expect"]["question"])
def test_each_row_shows_the_line_of_the_oracle(row):
    expected = row["expect"]
    rows = line_rows(build_board(derive(cast_of(row))))

    for text, line, stem in zip(rows, expected["yaoInfoList"], row["stems"], strict=True):
        label = f"{line['relationName']}{stem}{line['tiganName']}{line['elementName']}"
        assert f"{label} {YANG if line['isYang'] else YIN}" in text
        assert line["spiritName"] in text
        assert line["specialMark"] in text
        assert ("○" in text or "×" in text) == line["isChanging"]


@pytest.mark.parametrize("row", CASTINGS, ids=lambda row: row["expect"]["question"])
def test_each_row_shows_the_changed_and_the_hidden_line(row):
    expected = row["expect"]
    rows = line_rows(build_board(derive(cast_of(row))))

    for text, line in zip(rows, expected["targetYaoInfoList"], strict=False):
        changed = text.rpartition(line["relationName"])[2]
        assert changed[1:3] == line["tiganName"] + line["elementName"]
        assert changed[4:11] == (YANG if line["isYang"] else YIN)
    for hidden in expected["fushenInfoList"]:
        before = rows[hidden["position"] - 1].partition("▄")[0]
        assert f"{hidden['tiganName']}{hidden['elementName']}  " in before


@pytest.mark.parametrize("row", CASTINGS[:10], ids=lambda row: row["expect"]["question"])
def test_header_shows_the_time_of_the_oracle(row):
    header = "\n".join(drawn(build_board(derive(cast_of(row))))[:10])

    time = row["expect"]["ganzhi"]
    for name in ("yearGanZhi", "monthGanZhi", "dayGanZhi", "timeGanZhi", "dayKongWang", "yueJian"):
        assert time[name] in header
    assert f"本卦 {row['expect']['guaName']} {row['palace']}宫{row['generation']}" in header


@few_examples
@given(casts, st.sampled_from([52, 60, 77, 78, 80, 120]))
def test_rows_align_in_every_width(cast, width):
    board = build_board(derive(cast))
    widths = {cell_len(row) for row in [*drawn(board, width), *drawn(board_in_hant(board), width)]}

    assert widths == {min(width, 78)}


def test_a_narrow_terminal_gets_one_hexagram_below_the_other():
    rows = drawn(build_board(derive(cast_of(CASTINGS[0]))), width=60)

    assert len([row for row in rows if "▄" in row]) == 12
    assert not any("本卦" in row and "变卦" in row for row in rows)


def test_a_question_cannot_drive_the_terminal():
    board = build_board(derive(cast_of(CASTINGS[0])))
    shown = "\n".join(drawn(replace(board, question="\x1b[31m[bold]red\x07[/]")))

    assert "\x1b" not in shown
    assert "[bold]red[/]" in shown


@given(st.text(max_size=200), st.integers(4, 80))
def test_prose_fits_and_loses_nothing(text, width):
    lines = wrap_text(text, width)

    kept = "".join(c for c in text if c.isprintable() and not c.isspace())
    assert "".join("".join(lines).split()) == kept
    assert max(map(cell_len, lines)) <= width


def test_prose_does_not_begin_a_line_with_a_comma():
    lines = wrap_text("月建卯木克之，月令伤之，又逢日辰冲克（用神无根）。", 12)

    assert lines == ["月建卯木克", "之，月令伤", "之，又逢日辰", "冲克（用神无", "根）。"]
    assert wrap_text("a plain English sentence", 10) == ["a plain", "English", "sentence"]
