"""Feared events: a good board means that what is feared stays away, and the words say so."""

import re

import pytest
from msgspec.structs import replace
from tests.unit.liuyao.oracle import cast_at

from yarrow.language.languages import Language
from yarrow.liuyao import derive, write_follow_up, write_reading
from yarrow.liuyao.reading.topics import choose_topic
from yarrow.liuyao.reading.yong_shen import SpecialMatter, identify_matter

FEARED = {
    "他要不要和我离婚": ("离异", "官鬼"), "要不要担心他出轨": ("离异", "官鬼"),
    "我会被裁员吗": ("免职", "官鬼"), "公司裁員，會輪到我嗎": ("免职", "官鬼"),
    "能保住工作吗": ("免职", "官鬼"), "如果被裁了怎么办": ("免职", "官鬼"),
    "Will I be laid off?": ("免职", "官鬼"),
    "Will the merger cost me my job?": ("免职", "官鬼"),
    "Am I going to lose my job?": ("免职", "官鬼"),
    "会被起诉吗": ("词讼", "世"), "Will I be sued?": ("词讼", "世"),
    "我儿子会坐牢吗": ("词讼", "子孙"), "会離婚嗎": ("离异", "应"),
    "我想离婚，能离成吗": ("离异", "应"),
    "Is my job safe?": ("免职", "官鬼"),
    "他是不是出轨了": ("离异", "官鬼"),
    "Will my wife divorce me?": ("离异", "妻财"), "病会复发吗": ("染病", "世"),
    "我妈会不会又病": ("染病", "父母"), "Will I get sick again?": ("染病", "世"),
    "会被发现吗": ("忧患", "世"), "Will I get caught?": ("忧患", "世"),
    "考试会挂科吗": ("落第", "父母"), "Will I fail the exam?": ("落第", "父母"),
    "考公会落榜吗": ("落第", "官鬼"), "股票会跌吗": ("破财", "妻财"),
    "Will I lose money on this?": ("破财", "妻财"), "签证会被拒签吗": ("驳回", "父母"),
    "航班会晚点吗": ("行险", "世"), "房子会被偷吗": ("忧患", "世"),
    "会出意外吗": ("忧患", "世"), "路上會有意外嗎": ("行险", "世"),
    "我会输给对手吗": ("忧患", "世"), "对方会不会骗我": ("忧患", "世"),
    "和对方打官司会败诉吗": ("词讼", "世"), "Will they sue me?": ("词讼", "世"),
    "他会出事吗": ("忧患", "世"), "其他投资会亏吗": ("破财", "妻财"),
    "Will I lose money if I buy now?": ("破财", "妻财"),
    "Will my stock's price drop?": ("破财", "妻财"),
}  # fmt: skip
WISHES = [
    "我要不要和他分手", "我该不该离婚", "Should I break up with my boyfriend?", "Should I sue him?",
    "离婚半年了", "離婚三年了", "分手两个月了",
    "被裁员后能找到工作吗", "我失业了，什么时候能找到工作", "失业多久能找到工作",
    "分手后能复合吗", "离婚能拿到抚养权吗", "亏的钱能回本吗", "我生病了，什么时候能好",
    "手机是不是被偷了",
    "钱包被偷了能找回来吗", "多亏了你，今年会好吗", "今年能升职吗", "明天会下雨吗",
    "Will I find a job after being laid off?", "I was fired. Will I find a new job?",
    "I failed the exam, will I pass next time?", "Will I win my divorce case?",
    "会有意外惊喜吗", "有意外收获吗", "意外之财会有吗", "股票会不会意外大涨",
    "小偷会被抓吗", "骗子会坐牢吗", "对手会失败吗", "竞争对手会破产吗", "對方會敗訴嗎",
    "骗我钱的人会被抓吗", "Will the thief be caught?", "Will my competitor fail?",
    "Will the man who robbed me be arrested?", "他会坐牢吗",
    "Will house prices drop so I can buy?", "油价会跌吗",
    "Will I lose weight?", "Should I let go of him?",
]  # fmt: skip


@pytest.mark.parametrize(("question", "expected"), FEARED.items())
def test_feared_event_is_judged_by_the_line_of_its_matter(question, expected):
    matter = identify_matter(choose_topic("其他", question), question)

    assert (matter.special, matter.focus) == expected
    assert matter.is_feared


@pytest.mark.parametrize("question", WISHES)
def test_wish_that_mentions_a_feared_event_stays_a_wish(question):
    assert not identify_matter(choose_topic("其他", question), question).is_feared


@pytest.mark.parametrize("language", Language)
def test_good_board_denies_the_feared_event_and_a_bad_one_warns(language):
    told = {}
    for month in range(1, 13):
        cast = cast_at(f"2026-{month:02}-10T10:00:00+08:00")
        reading = write_reading(derive(replace(cast, question="我会被裁员吗")), language=language)
        told[reading.judgement.score >= 0] = reading.answer

    safe, warned = {
        Language.HANS: ("不见去职之象|去职之忧不大", "去职之忧不可不防|职位难保"),
        Language.HANT: ("不見去職之象|去職之憂不大", "去職之憂不可不防|職位難保"),
        Language.ENGLISH: ("no dismissal|little fear of losing it", "is a real risk|hard to keep"),
    }[language]
    assert re.search(safe, told[True])
    assert re.search(warned, told[False])


@pytest.mark.parametrize(
    ("lines", "rule"),
    [
        # 增删卜易·用神章: 子孙 is 解忧之神; 世 of 山地剥 is 子孙子水.
        ("少阴 少阴 少阴 少阴 少阴 少阳", "福德持世"),
        # 增删卜易·趋避章: 最忌官鬼持世; 世 of 地泽临 is 官鬼卯木.
        ("少阳 少阳 少阴 少阴 少阴 少阴", "忧患持世"),
    ],
)
def test_kin_at_world_decides_a_danger(lines, rule):
    cast = cast_at("2026-11-17T10:30:00+08:00", lines)
    cast = replace(cast, question="会被发现吗", question_type="其他")

    assert rule in {point.rule.name for point in write_reading(derive(cast)).judgement.points}


def test_follow_up_on_a_feared_event_does_not_call_it_a_gain():
    cast = replace(
        cast_at("2026-04-03T20:30:00+08:00"), question="我会被裁员吗", question_type="事业"
    )
    answers = [
        write_follow_up(derive(cast), q).answer for q in ("如果不呢", "下半年呢", "什么时候")
    ]

    assert not any("事本可成" in one or "事既难成" in one or "要做就趁早" in one for one in answers)
    assert "何时见分晓" in answers[2]


def test_danger_of_another_person_is_not_the_askers():
    matter = identify_matter(choose_topic("其他", "我儿子会被欺负吗"), "我儿子会被欺负吗")

    assert matter.special is SpecialMatter.DANGER
    assert not matter.own


@pytest.mark.parametrize(
    "lines", ["老阳 少阴 少阴 少阳 少阳 少阳", "少阴 少阴 少阳 少阴 少阴 少阳"]
)
def test_exam_is_not_told_to_let_others_move_or_to_lean_on_superiors(lines):
    cast = cast_at("2026-11-18T14:00:00+08:00", lines)
    cast = replace(cast, question="孩子高考能考上吗", question_type="学业")

    texts = [one.text for one in write_reading(derive(cast)).advice]

    assert not any("抢先出手" in text or "可多借" in text for text in texts)
