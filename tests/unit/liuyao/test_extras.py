"""Calendar, 神煞, 卦身, texts of the 周易, related hexagrams and marks."""

import random
import re
from datetime import date, datetime, timedelta, timezone

import pytest
from lunar_python import Solar
from msgspec.structs import replace
from tests.examples import scale_examples
from tests.unit.liuyao.facts import random_casts
from tests.unit.liuyao.oracle import cast_at

from yarrow.liuyao import (
    board_in_hant,
    build_board,
    build_divination_payload,
    derive,
    draw_svg,
    list_classic_hant_forms,
    list_hant_forms,
    write_reading,
)
from yarrow.liuyao.almanac import find_lunar_date, find_terms
from yarrow.liuyao.classic import convert_classic_to_hant, find_related, find_texts
from yarrow.liuyao.hexagrams import HEXAGRAMS
from yarrow.liuyao.reading.script import to_hant
from yarrow.liuyao.shensha import find_stars

SEED_TIME = "2026-04-03T20:30:00+08:00"
BEIJING = timezone(timedelta(hours=8))
BY_NAME = {hexagram.short: hexagram for hexagram in HEXAGRAMS.values()}


def test_every_hexagram_has_its_judgement_and_six_titled_lines():
    for hexagram in HEXAGRAMS.values():
        texts = find_texts(hexagram)
        assert texts.judgement.endswith("。")
        assert len(texts.lines) == 6
        for place, (bit, line) in enumerate(zip(hexagram.bits, texts.lines, strict=True)):
            kind = "九" if bit == "1" else "六"
            number = "初二三四五上"[place]
            title = number + kind if place in {0, 5} else kind + number
            assert line.startswith(f"{title}：")
            assert line.endswith("。")
            assert len(line) > 4


def test_only_heaven_and_earth_have_a_text_for_all_lines_moving():
    found = {h.short: find_texts(h).all_moving for h in HEXAGRAMS.values()}

    assert {name: text for name, text in found.items() if text} == {
        "乾": "用九：见群龙无首，吉。",
        "坤": "用六：利永贞。",
    }


@pytest.mark.parametrize(
    ("name", "place", "text"),
    [
        ("乾", 1, "初九：潜龙，勿用。"),
        ("坤", 1, "初六：履霜，坚冰至。"),
        ("屯", 4, "六四：乘马班如，求婚媾，往吉，无不利。"),
        ("泰", 3, "九三：无平不陂，无往不复，艰贞无咎。勿恤其孚，于食有福。"),
        ("剥", 6, "上九：硕果不食，君子得舆，小人剥庐。"),
        ("中孚", 2, "九二：鸣鹤在阴，其子和之。我有好爵，吾与尔靡之。"),
        ("既济", 5, "九五：东邻杀牛，不如西邻之禴祭，实受其福。"),
        ("未济", 1, "初六：濡其尾，吝。"),
    ],
)
def test_known_lines_have_the_received_wording(name, place, text):
    assert find_texts(BY_NAME[name]).lines[place - 1] == text


def test_no_two_lines_of_a_hexagram_are_the_same_text():
    for hexagram in HEXAGRAMS.values():
        assert len(set(find_texts(hexagram).lines)) == 6


@pytest.mark.slow
def test_lunar_dates_agree_with_lunar_python():
    dice = random.Random(11)
    for _ in range(scale_examples(300)):
        day = date(1900, 1, 31) + timedelta(days=dice.randrange(73_000))
        lunar = Solar.fromYmd(day.year, day.month, day.day).getLunar()
        name = lunar.getYearInGanZhi() + "年" + lunar.getMonthInChinese() + "月"
        assert find_lunar_date(day) == name + lunar.getDayInChinese(), day


@pytest.mark.parametrize(
    ("day", "name"),
    [
        (date(2026, 2, 16), "乙巳年腊月廿九"),
        (date(2026, 2, 17), "丙午年正月初一"),
        (date(2033, 12, 22), "癸丑年闰冬月初一"),
        (date(2023, 3, 22), "癸卯年闰二月初一"),
    ],
)
def test_known_lunar_dates(day, name):
    assert find_lunar_date(day) == name


def test_term_begins_at_its_instant():
    before, following = find_terms(datetime(2026, 4, 5, 2, 39, tzinfo=BEIJING))
    after, _ = find_terms(datetime(2026, 4, 5, 2, 41, tzinfo=BEIJING))

    assert following is not None
    assert (before.name, following.name, after.name) == ("春分", "清明", "清明")


def test_stars_follow_day_and_month():
    stars = {star.name: "".join(star.branches) for star in find_stars("甲", "子", "寅")}

    assert stars == {
        "天乙贵人": "丑未", "禄神": "寅", "羊刃": "卯", "文昌": "巳", "驿马": "寅", "桃花": "酉",
        "将星": "子", "华盖": "辰", "劫煞": "巳", "灾煞": "午", "天喜": "戌", "天医": "丑",
    }  # fmt: skip


def test_related_hexagrams_return():
    for hexagram in HEXAGRAMS.values():
        related = find_related(hexagram)
        assert find_related(related.opposite).opposite is hexagram
        assert find_related(related.reversed).reversed is hexagram
    assert find_related(BY_NAME["既济"]).mutual.short == "未济"


def test_body_counts_from_the_first_line_to_the_world():
    # 乾: a yang 世 at the sixth line, 子 to 巳; 坤: a yin one, 午 to 亥 (卜筮正宗).
    for lines, body in (("少阳 " * 6, "巳火"), ("少阴 " * 6, "亥水")):
        payload = build_divination_payload(derive(cast_at(SEED_TIME, lines.strip())))
        assert payload["guaShen"]["name"] == body


def test_roles_of_the_marks_are_those_of_the_reading():
    for cast in random_casts(200, seed=2):
        derivation = derive(cast)
        reading = write_reading(derivation)
        marks = build_divination_payload(derivation)["yaoMarks"]
        focus = reading.judgement.focus
        chosen = [place + 1 for place, mark in enumerate(marks) if "用神" in mark]
        assert chosen == ([focus.position] if focus.line is not None else [])
        for mark, line in zip(marks, derivation.situation.lines, strict=True):
            assert ("旬空" in mark) == bool(line.state.void_kind)
            assert ("暗动" in mark) == (line.state.day_clash == "暗动")
            assert ("动" in mark) == line.moving


def test_board_shows_calendar_texts_and_roles_in_both_scripts():
    board = build_board(derive(cast_at(SEED_TIME)))
    picture, turned = draw_svg(board), draw_svg(board_in_hant(board))

    assert "农历丙午年二月十六 · 春分 · 4月5日清明" in picture
    assert "卦辞：亨小，利贞，初吉终乱。" in picture
    assert "九三：高宗伐鬼方，三年克之，小人勿用。" in picture
    assert "農曆丙午年二月十六 · 春分" in turned
    assert "九三：高宗伐鬼方，三年克之，小人勿用。" in turned
    # A post is 官鬼, here earth: wood controls it, water what feeds it, and no line is fire.
    assert [line.role for line in board.lines] == ["仇", "", "", "仇", "用", "忌"]


def test_text_for_all_lines_moving_takes_the_place_of_the_six():
    moving = build_board(derive(cast_at(SEED_TIME, "老阳 " * 5 + "老阳")))

    assert moving.line_texts == ("用九：见群龙无首，吉。",)


def test_a_moment_at_the_end_of_the_table_is_served():
    cast = replace(cast_at(SEED_TIME), moment=datetime(2101, 12, 31, 23, 0, tzinfo=BEIJING))

    assert build_divination_payload(derive(cast))["jieQi"]["name"] in {"冬至", "大雪"}


def test_listed_forms_make_the_same_traditional_text():
    """A client that replaces words first and then characters writes what the server writes."""
    prose = list_hant_forms()
    classic = list_classic_hant_forms(prose)
    texts = [text for each in HEXAGRAMS.values() for text in find_texts(each).lines]

    for text in texts:
        assert replace_forms(text, classic) == convert_classic_to_hant(to_hant(text))
    for cast in random_casts(20, seed=1):
        for text in build_divination_payload(derive(cast))["timeEffect"]:
            assert replace_forms(text, prose) == to_hant(text)


HANT_OF = {
    "准考证": "准考證",
    "准时": "準時",
    "反复复诊": "反覆複診",
    "天风姤与谷雨": "天風姤與穀雨",
}


def test_a_word_is_converted_once():
    """A form of a word may hold characters that have other forms by themselves."""
    assert {text: to_hant(text) for text in HANT_OF} == HANT_OF
    assert {text: replace_forms(text, list_hant_forms()) for text in HANT_OF} == HANT_OF


def replace_forms(text: str, forms: dict[str, str]) -> str:
    words = (form for form in forms if len(form) > 1)
    pattern = re.compile("|".join((*words, ".")))
    return pattern.sub(lambda found: forms.get(found.group(), found.group()), text)


def test_words_whose_characters_have_several_forms_get_the_right_one() -> None:
    assert to_hant("材料与关系，启事与网上，合伙、联系") == "材料與關係，啟事與網上，合夥、聯繫"
