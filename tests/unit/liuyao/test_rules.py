"""Rules of the seed and the reference that have one right answer."""

import pytest
from msgspec.structs import replace
from tests.unit.liuyao.oracle import cast_at

from yarrow.errors import InvalidInput
from yarrow.liuyao import (
    DayBoundary,
    build_divination_payload,
    derive,
    line_from_hua,
    line_from_zi,
    parse_cast,
    parse_moment,
)
from yarrow.liuyao.interactions import list_interactions
from yarrow.liuyao.pillars import PILLAR_NAMED
from yarrow.liuyao.situation import build_situation

SEED_TIME = "2026-04-03T20:30:00+08:00"
STILL = "少阳 少阴 少阳 少阴 少阳 少阴"


def test_hua_count_gives_the_line_of_the_seed():
    lines = [line_from_hua(count) for count in range(4)]

    assert lines == ["老阴", "少阳", "少阴", "老阳"]  # seed 0, canonical mapping


def test_zi_count_gives_the_line_of_the_seed():
    lines = [line_from_zi(count) for count in range(4)]

    assert lines == ["老阳", "少阴", "少阳", "老阴"]  # seed 0, equivalent auto mapping


@pytest.mark.parametrize("count", [-1, 4])
def test_throw_of_three_coins_has_no_other_count(count):
    with pytest.raises(InvalidInput):
        line_from_hua(count)
    with pytest.raises(InvalidInput):
        line_from_zi(count)


def test_cast_of_five_lines_is_refused():
    with pytest.raises(InvalidInput, match="exactly 6 lines") as caught:
        cast_at(SEED_TIME, "少阳 少阴 老阳 少阴 少阳")

    assert caught.value.field == "yaoLines"


def test_unknown_line_word_is_refused():
    with pytest.raises(InvalidInput, match="must be one of 少阳"):
        cast_at(SEED_TIME, "少阳 少阴 老阳 少阴 少阳 太阳")


def test_unknown_method_is_refused():
    with pytest.raises(InvalidInput, match="手动起卦"):
        replace(cast_at(SEED_TIME), method="掷骰")


@pytest.mark.parametrize(
    "change",
    [
        {"question": " "},
        {"question": "问" * 301},
        {"question_type": ""},
        {"question_type": "类" * 33},
    ],
)
def test_question_and_type_have_the_lengths_of_the_seed(change):
    with pytest.raises(InvalidInput):
        replace(cast_at(SEED_TIME), **change)


def test_question_of_300_and_type_of_32_characters_are_accepted():
    cast = replace(cast_at(SEED_TIME), question="问" * 300, question_type="类" * 32)

    assert derive(cast).cast is cast


@pytest.mark.parametrize(
    "text",
    [
        "2026-04-03T20:30:00",
        "2026-04-03 20:30:00+08:00",
        "2026-04-03T20:30+08:00",
        "2026-04-03T20:30:00+0800",
        "2026-02-29T20:30:00+08:00",
        "2026-04-03T25:30:00+08:00",
        "20260403T203000Z",
        "now",
        "",
    ],
)
def test_time_that_is_not_rfc_3339_is_refused(text):
    with pytest.raises(InvalidInput) as caught:
        parse_moment(text)

    assert caught.value.field == "divinationTimeIso"


def _parsed(**changes):
    given = {
        "yao_lines": ["少阳", "少阴", "老阳", "少阴", "少阳", "老阴"],
        "time_iso": SEED_TIME,
        "question": "我最近换工作是否合适?",
        "question_type": "事业",
        "method": "手动起卦",
    }
    return parse_cast(**(given | changes))


def test_words_of_the_wire_make_the_cast_they_name():
    assert _parsed() == cast_at(SEED_TIME)
    assert _parsed(day_boundary="00:00").day_boundary is DayBoundary.MIDNIGHT


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"day_boundary": "01:00"}, "dayBoundary"),
        ({"method": "掷骰"}, "divinationMethod"),
        ({"yao_lines": ["少阳"] * 5}, "yaoLines"),
        ({"yao_lines": ["少阳"] * 5 + ["yang"]}, "yaoLines"),
        ({"time_iso": "yesterday"}, "divinationTimeIso"),
        ({"question": ""}, "question"),
        ({"question_type": "类" * 33}, "questionType"),
    ],
)
def test_wrong_word_of_the_wire_is_refused_with_its_field(change, field):
    with pytest.raises(InvalidInput) as caught:
        _parsed(**change)

    assert caught.value.field == field


def test_naive_time_is_refused():
    cast = replace(cast_at(SEED_TIME), moment=parse_moment(SEED_TIME).replace(tzinfo=None))

    with pytest.raises(InvalidInput, match="timezone offset"):
        derive(cast)


@pytest.mark.parametrize("iso", ["1899-01-20T00:00:00Z", "0001-01-01T00:00:00+14:00"])
def test_time_before_the_table_is_refused(iso):
    with pytest.raises(InvalidInput, match="1899"):
        derive(cast_at(iso))


@pytest.mark.parametrize("iso", ["2102-01-01T00:00:00+08:00", "9999-12-31T23:59:59-12:00"])
def test_time_after_the_table_is_refused(iso):
    with pytest.raises(InvalidInput, match="2101"):
        derive(cast_at(iso))


def test_last_month_of_the_table_is_served():
    payload = build_divination_payload(derive(cast_at("2101-12-20T12:00:00+08:00")))

    assert payload["ganzhi"]["monthGanZhi"][1] == "子"


def test_one_instant_at_two_offsets_is_printed_by_each_clock():
    beijing = build_divination_payload(derive(cast_at("2026-07-25T12:00:00+08:00")))
    delhi = build_divination_payload(derive(cast_at("2026-07-25T09:30:00+05:30")))

    assert beijing["divinationTime"] == "2026年07月25日 12:00"
    assert delhi["divinationTime"] == "2026年07月25日 09:30"
    assert beijing["jieQi"]["since"] == "2026年07月23日 03:13"
    assert delhi["jieQi"]["since"] == "2026年07月23日 00:43"


def test_the_moment_of_a_jie_belongs_to_the_new_month():
    before = derive(cast_at("2026-04-05T02:39:00+08:00"))
    after = derive(cast_at("2026-04-05T02:41:00+08:00"))

    assert before.pillars.month.branch == "卯"  # reference 1: 清明 2026 is at 02:39:59 +08:00
    assert after.pillars.month.branch == "辰"


def test_only_the_day_pillar_after_23_differs_by_day_boundary():
    cast = cast_at("2026-04-03T23:30:00+08:00")
    late = derive(cast).pillars
    midnight = derive(replace(cast, day_boundary=DayBoundary.MIDNIGHT)).pillars

    assert (late.day.name, midnight.day.name) == ("戊申", "丁未")
    assert (late.year, late.month, late.hour) == (midnight.year, midnight.month, midnight.hour)


def test_day_and_hour_follow_the_clock_of_the_offset():
    here = derive(cast_at("2026-04-03T20:30:00+08:00")).pillars
    there = derive(cast_at("2026-04-03T12:30:00+00:00")).pillars

    assert (here.year, here.month, here.day) == (there.year, there.month, there.day)
    assert (here.hour.branch, there.hour.branch) == ("戌", "午")


def test_still_hexagram_points_to_itself():
    payload = build_divination_payload(derive(cast_at(SEED_TIME, STILL)))

    assert payload["changedBinaryCode"] == payload["binaryCode"]
    assert payload["targetGuaName"] == payload["guaName"]
    assert payload["hasChangingYao"] is False
    assert payload["targetYaoInfoList"] == []


def test_still_weak_line_clashed_by_the_day_is_broken():
    # 增删卜易·暗动章: a still line without qi that the day clashes is broken.
    situation = build_situation("001111", "000000", month="丑", day=PILLAR_NAMED["壬子"])

    assert "二爻官鬼午火被日辰子冲：日破" in list_interactions(situation)
    assert situation.lines[1].state.text == "月休，月休、日克、日破"


def test_lingering_qi_lets_a_clashed_line_stir():
    # 增删卜易·四时旺相章: wood keeps qi in 辰.
    situation = build_situation("110000", "000000", month="辰", day=PILLAR_NAMED["丁酉"])

    assert situation.lines[1].base.branch == "卯"
    assert situation.lines[1].state.day_clash == "暗动"


def test_three_acting_members_complete_a_triad_and_two_wait_for_the_third():
    complete = build_situation("010001", "111101", month="午", day=PILLAR_NAMED["癸亥"])
    waiting = build_situation("111000", "101000", month="辰", day=PILLAR_NAMED["丁卯"])

    assert "寅午戌三合火局：成局" in list_interactions(complete)
    assert "申子辰三合水局：待用（待申）" in list_interactions(waiting)
