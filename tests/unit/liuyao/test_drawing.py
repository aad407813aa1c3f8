"""The board as data and as a picture."""

from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from msgspec.structs import replace
from tests.unit.liuyao.oracle import cast_at, cast_of, load
from tests.unit.liuyao.strategies import casts, few_examples

from yarrow.liuyao import derive
from yarrow.liuyao.board import board_in_hant, build_board
from yarrow.liuyao.svg import draw_svg

SEED_TIME = "2026-04-03T20:30:00+08:00"
SVG = "{http://www.w3.org/2000/svg}"


def test_board_shows_the_top_line_first():
    board = build_board(derive(cast_at(SEED_TIME)))

    assert [line.position for line in board.lines] == [6, 5, 4, 3, 2, 1]
    assert (board.name, board.target_name) == ("水火既济", "风雷益")  # reference 1
    assert board.lines[3].hidden == "妻财戊午火"


def test_board_marks_moving_void_and_broken_lines():
    board = build_board(derive(cast_at(SEED_TIME)))

    assert [line.move for line in board.lines] == ["×", "", "", "○", "", ""]
    assert board.lines[5].notes == ("空",)


def test_still_board_shows_no_target():
    board = build_board(derive(cast_at(SEED_TIME, "少阳 少阴 少阳 少阴 少阳 少阴")))

    assert board.target_name == ""
    assert all(line.target_label == "" for line in board.lines)


def test_board_in_traditional_script_keeps_the_question():
    board = board_in_hant(build_board(derive(cast_at(SEED_TIME))))

    assert board.name == "水火既濟"
    assert board.question == "我最近换工作是否合适?"
    assert board.lines[0].spirit == "青龍"
    assert (board.lines[0].mark, board.spell("变卦")) == ("應", "變卦")


@pytest.mark.parametrize("row", load("castings"), ids=lambda row: row["expect"]["question"])
def test_header_of_the_board_is_that_of_the_oracle(row):
    board, time = build_board(derive(cast_of(row))), row["expect"]["ganzhi"]

    names = ("yearGanZhi", "monthGanZhi", "dayGanZhi", "timeGanZhi")
    assert [pillar for _, pillar in board.pillars] == [time[name] for name in names]
    rulers = ("yueJian", "riChen", "yuePo", "riChong")
    assert [ruler for _, ruler in board.rulers] == [time[name] for name in rulers]
    assert dict(board.seasons) == row["expect"]["wuXingStatuses"]
    assert "".join(season for _, season in board.seasons) == "旺相休囚死"
    assert board.void == time["dayKongWang"]


@few_examples
@given(casts)
def test_picture_draws_a_bar_or_two_for_each_line(cast):
    board = build_board(derive(cast))
    picture = ET.fromstring(draw_svg(board))

    bars = sum(1 if line.is_yang else 2 for line in board.lines)
    if board.target_name:
        bars += sum(1 if line.target_is_yang else 2 for line in board.lines)
    assert (
        len([r for r in picture.findall(f"{SVG}rect") if r.get("class", "")[:3] == "yao"]) == bars
    )


def test_picture_names_all_that_the_board_shows():
    board = build_board(derive(cast_at(SEED_TIME)))
    words = [text.text for text in ET.fromstring(draw_svg(board)).iter(f"{SVG}text")]

    assert {"水火既济", "风雷益", "本卦 坎宫三世", "变卦 巽宫三世", "妻财戊午火"} <= set(words)
    assert {"丙午", "辛卯", "丁未", "庚戌", "寅卯", "○", "×", "空"} <= set(words)
    assert words.count("世") == words.count("应") == 2


def test_picture_of_a_still_board_says_so():
    still = build_board(derive(cast_at(SEED_TIME, "少阳 少阴 少阳 少阴 少阳 少阴")))

    assert "六爻安静，无变卦" in draw_svg(still)
    assert "六爻安靜，無變卦" in draw_svg(board_in_hant(still))


@pytest.mark.parametrize("question", ["\x00\x1b\ufffe", "问" * 300, "line\nline", "\ud800"])
def test_picture_can_be_read_whatever_is_asked(question):
    board = replace(build_board(derive(cast_at(SEED_TIME))), question=question)
    picture = ET.fromstring(draw_svg(board).encode())

    shown = next(t for t in picture.iter(f"{SVG}text") if t.get("class") == "asked")
    assert len(shown.text or "") <= 76


def test_picture_escapes_the_question():
    cast = replace(cast_at(SEED_TIME), question='<script>alert("x")</script>')
    picture = draw_svg(build_board(derive(cast)))

    assert "<script>" not in picture
    assert ET.fromstring(picture).find(f"{SVG}desc").text == cast.question  # type: ignore[union-attr]
