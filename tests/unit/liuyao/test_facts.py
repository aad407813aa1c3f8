"""No sentence of a reading contradicts the board; `make check-readings` checks 20,000 castings."""

import re

import pytest
from msgspec.structs import replace
from tests.unit.liuyao.facts import check_cast, check_reading, random_casts
from tests.unit.liuyao.follow_up_facts import check_firmness, check_times
from tests.unit.liuyao.oracle import cast_at

from yarrow.liuyao import Asker, SignLevel, YaoLine, build_divination_payload, derive, write_reading
from yarrow.liuyao.pillars import PILLAR_NAMED
from yarrow.liuyao.reading.strength import find_inability
from yarrow.liuyao.situation import build_situation

STILL: dict[YaoLine, YaoLine] = {"老阳": "少阳", "老阴": "少阴", "少阳": "少阳", "少阴": "少阴"}
SEED_TIME = "2026-04-03T20:30:00+08:00"


@pytest.mark.slow
def test_every_sentence_claims_only_what_the_board_shows():
    problems = [
        problem
        for asker in (Asker.UNKNOWN, Asker.WOMAN)
        for cast in random_casts(300, seed=7)
        for problem in check_cast(cast, asker=asker)
    ]

    assert problems == []


@pytest.mark.parametrize(
    ("true", "untrue"),
    [
        ("月建卯木克之", "月建卯木生之"),
        ("受月建卯木克", "得月建卯木扶"),
        ("暗动", "发动"),
        ("二爻官鬼丑土", "二爻官鬼未土"),
        ("用神克世", "用神生世"),
        ("自身力弱", "自身有力"),
    ],
)
def test_a_false_claim_is_found(true, untrue):
    derivation = derive(cast_at(SEED_TIME))
    reading = write_reading(derivation)
    texts = [one.text for one in (*reading.conclusion, *reading.focus_points)]
    changed = [text.replace(true, untrue) for text in texts if true in text]

    assert changed
    assert list(check_reading(build_divination_payload(derivation), reading, texts)) == []
    assert list(check_reading(build_divination_payload(derivation), reading, changed))


def test_a_clash_within_earth_by_month_and_day_is_a_true_break():
    # 未 is clashed by the 丑 month and the 丑 day: of one element with them, and helped by neither.
    situation = build_situation("000000", "000000", month="丑", day=PILLAR_NAMED["乙丑"])

    assert situation.lines[0].base.branch == "未"
    assert situation.lines[0].state.break_kind == "真破"
    assert "有扶" not in situation.lines[0].state.text


def test_a_stirred_line_is_never_called_still():
    for cast in random_casts(200, seed=3):
        still = replace(cast, lines=tuple(STILL[line] for line in cast.lines))
        derivation = derive(still)
        reading = write_reading(derivation)
        stirred = any(line.acts for line in derivation.situation.lines)
        assert stirred == ("六爻安静" not in reading.answer)
        assert not (stirred and any("安静，" in one.text for one in reading.conclusion))


def test_harm_that_is_undone_by_its_own_change_is_not_said_to_strike():
    found = 0
    for cast in random_casts(400, seed=5):
        derivation = derive(cast)
        reading = write_reading(derivation)
        for line in derivation.situation.lines:
            if {"回头克", "化绝"} & set(line.tags):
                found += 1
                assert find_inability(line, "克")
                said = [
                    one.text for one in reading.focus_points if one.text.startswith(line.base.label)
                ]
                assert not any("来克用神" in text for text in said)
    assert found > 20


def test_what_if_not_calls_the_asker_firm_or_weak_by_the_line_of_the_asker():
    problems = [one for cast in random_casts(120, seed=11) for one in check_firmness(cast)]

    assert problems == []


def test_months_and_days_are_said_to_do_what_their_branches_do():
    problems = [one for cast in random_casts(80, seed=13) for one in check_times(cast)]

    assert problems == []


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("明天会打雷吗", "防雷电"),
        ("明天会刮风吗", "主风云"),
        ("明天会下雨吗", "主雨"),
    ],
)
def test_no_sign_of_weather_stands_beside_a_verdict_that_it_will_not_come(question, said):
    seen = 0
    for cast in random_casts(300, seed=17):
        reading = write_reading(derive(replace(cast, question=question, question_type="天时")))
        if reading.judgement.score < 0:
            seen += 1
            assert not any(said in one.text for one in reading.advice)
    assert seen > 20


@pytest.mark.parametrize(
    ("question", "label"),
    [
        ("航班会晚点吗", "出行"),
        ("我会被起诉吗", "官司"),
        ("会离婚吗", "感情"),
        ("我会被裁员吗", "事业"),
    ],
)
def test_nothing_is_warned_of_that_does_not_show(question, label):
    warnings = re.compile("防|延误|非必要不往|相争|有人或事牵扯|强势")
    seen = 0
    for cast in random_casts(600, seed=19):
        derivation = derive(replace(cast, question=question, question_type=label))
        reading = write_reading(derivation)
        if reading.level is SignLevel.HIGHEST:
            seen += 1
            said = [one.text for one in reading.advice]
            assert not any(warnings.search(text) for text in said)
    assert seen > 10


def test_an_acting_feared_line_is_told_before_lines_that_only_drain():
    # 雷天大壮 in a 亥 month on a 酉 day: 午 moves against 申 without strength, 子 moves and drains.
    lines: tuple[YaoLine, ...] = ("老阳", "老阳", "少阳", "老阳", "少阴", "少阴")
    cast = replace(cast_at("2026-11-19T10:00:00+08:00"), lines=lines, question="老婆怀孕是否平安")
    reading = write_reading(derive(cast))

    said = [one.text for one in reading.focus_points]
    assert any(text.startswith("四爻父母午火发动") and "不能克用神" in text for text in said)


def test_a_triad_that_carries_the_verdict_is_told():
    # 泽地萃: 亥 and 卯 move and 未 completes 木局, which helps the 用神 卯 and the world line 巳.
    lines: tuple[YaoLine, ...] = ("老阴", "老阴", "老阴", "老阳", "少阳", "老阴")
    cast = replace(
        cast_at("2026-11-19T10:00:00+08:00"),
        lines=lines,
        question_type="其他",
        question="今年财运如何",
    )
    reading = write_reading(derive(cast))

    assert "三合成局来助" in reading.conclusion[0].text
    assert any("三合木局已成" in one.text for one in reading.focus_points)
    assert "不得日月之助而得动变扶持" in reading.conclusion[1].text


def test_advice_on_papers_is_about_the_line_that_was_judged():
    # 乾为天: 父母 stands twice; 用神 is 上爻 戌, which holds 世, while 三爻 辰 is void.
    cast = replace(
        cast_at("2026-11-19T10:00:00+08:00"),
        lines=("少阳",) * 6,
        question_type="其他",
        question="签证圣诞节前能批下来吗",
    )
    reading = write_reading(derive(cast))

    assert "用神取父母，即上爻父母戌土" in reading.conclusion[0].text
    assert not any("三爻父母辰土" in one.text for one in reading.advice)
