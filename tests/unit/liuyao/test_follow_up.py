"""Follow-up questions: each is answered from the part of the board it asks about."""

from datetime import date, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from msgspec.structs import replace
from tests.examples import scale_examples
from tests.unit.liuyao.facts import random_casts
from tests.unit.liuyao.oracle import cast_at
from tests.unit.liuyao.strategies import casts

from yarrow.language.languages import Language, find_requested_language
from yarrow.liuyao import (
    Asker,
    AskerSource,
    Cast,
    KnownAsker,
    YaoLine,
    derive,
    identify_asker,
    is_other_matter,
    write_follow_up,
    write_other_matter,
    write_reading,
)
from yarrow.liuyao.reading.follow_up_kind import FollowUpKind, classify_follow_up, is_thanks
from yarrow.liuyao.reading.period import find_period
from yarrow.liuyao.reading.script import to_hant
from yarrow.liuyao.reading.sensitive_questions import Sensitivity
from yarrow.liuyao.reading.topics import Topic, choose_topic, find_topic
from yarrow.liuyao.reading.words_zh import ZH
from yarrow.liuyao.reading.yong_shen import SpecialMatter, identify_matter

SEED_TIME = "2026-04-03T20:30:00+08:00"
TODAY = date(2026, 8, 16)
QUESTIONS = {
    "那下半年再换呢": FollowUpKind.PERIOD,
    "明年呢": FollowUpKind.PERIOD,
    "如果不换呢": FollowUpKind.IF_NOT,
    "不换会怎样": FollowUpKind.IF_NOT,
    "What if I don't?": FollowUpKind.IF_NOT,
    "为什么是下下签": FollowUpKind.WHY,
    "Why?": FollowUpKind.WHY,
    "什么时候合适？": FollowUpKind.WHEN,
    "要多久": FollowUpKind.WHEN,
    "谁在阻碍我": FollowUpKind.OBSTACLE,
    "会不会有小人": FollowUpKind.OBSTACLE,
    "what stands in my way": FollowUpKind.OBSTACLE,
    "谁能帮我": FollowUpKind.HELP,
    "有贵人吗": FollowUpKind.HELP,
    "我该怎么办": FollowUpKind.ADVICE,
    "对方怎么想": FollowUpKind.OTHER_SIDE,
    "去哪个方向好": FollowUpKind.WHERE,
    "真的吗": FollowUpKind.SURE,
    "那财运呢？": FollowUpKind.TOPIC,
    "谢谢": FollowUpKind.THANKS,
    "好的，谢谢您！": FollowUpKind.THANKS,
    "谢谢师傅": FollowUpKind.THANKS,
    "thanks a lot": FollowUpKind.THANKS,
    "谢谢，那什么时候呢": FollowUpKind.WHEN,
    "再说说": FollowUpKind.OPEN,
    "谁拿的": FollowUpKind.TAKEN_BY,
    "会不会是被人偷了": FollowUpKind.TAKEN_BY,
    "对方怎么样": FollowUpKind.OTHER_SIDE,
    "他为什么不还": FollowUpKind.OTHER_SIDE,
    "在家里吗": FollowUpKind.WHERE,
    "怎么帮他": FollowUpKind.ADVICE,
    "有危险吗": FollowUpKind.OBSTACLE,
    "几点下": FollowUpKind.WHEN,
    "几月有结果": FollowUpKind.WHEN,
    "What if not?": FollowUpKind.IF_NOT,
    "如果找不到呢": FollowUpKind.ADVICE,
    "What if it fails?": FollowUpKind.ADVICE,
    "如果真的被裁呢": FollowUpKind.ADVICE,
    "怎么避免": FollowUpKind.ADVICE,
    "how can I avoid it": FollowUpKind.ADVICE,
    "哪个月破财": FollowUpKind.BAD_TIME,
    "什么时候要小心": FollowUpKind.BAD_TIME,
    "When should I be careful?": FollowUpKind.BAD_TIME,
    "what time": FollowUpKind.WHEN,
    "在哪": FollowUpKind.WHERE,
    "which way": FollowUpKind.WHERE,
    "is he safe": FollowUpKind.OBSTACLE,
    "What if I turn it down?": FollowUpKind.IF_NOT,
    "对方会上诉吗": FollowUpKind.OTHER_SIDE,
    "房东可靠吗": FollowUpKind.OTHER_SIDE,
    "对手实力如何": FollowUpKind.OTHER_SIDE,
    "是谁": FollowUpKind.BEYOND,
    "他长什么样": FollowUpKind.BEYOND,
    "几比几": FollowUpKind.BEYOND,
    "who is it": FollowUpKind.BEYOND,
    "who is she?": FollowUpKind.BEYOND,
    "能不能改到明年考呢": FollowUpKind.PERIOD,
    "是不是能改到明年考呢": FollowUpKind.PERIOD,
    "我是不是太急了呢": FollowUpKind.OPEN,
    "我是不是太急了呢？": FollowUpKind.OPEN,
    "这样合适不合适呢": FollowUpKind.OPEN,
    "她会原谅我吗": FollowUpKind.OTHER_SIDE,
    "她會原諒我嗎": FollowUpKind.OTHER_SIDE,
    "他会还吗": FollowUpKind.OTHER_SIDE,
    "Will she forgive me?": FollowUpKind.OTHER_SIDE,
    "司机拿了吗": FollowUpKind.TAKEN_BY,
    "司機拿了嗎": FollowUpKind.TAKEN_BY,
    "Did the driver take it?": FollowUpKind.TAKEN_BY,
    "What if it doesn't rain?": FollowUpKind.IF_NOT,
    "What if I hold?": FollowUpKind.IF_NOT,
    "What if I fail?": FollowUpKind.ADVICE,
    "如果拒簽呢": FollowUpKind.ADVICE,
    "What should she do?": FollowUpKind.ADVICE,
    "他会同意吗": FollowUpKind.OTHER_SIDE,
    "他会骗我吗": FollowUpKind.OTHER_SIDE,
}


@pytest.mark.parametrize(("question", "kind"), QUESTIONS.items())
def test_question_is_of_its_kind(question, kind):
    found = classify_follow_up(
        question,
        names_period=find_period(question, TODAY) is not None,
        names_topic=find_topic(question) is not None,
    )

    assert found is kind


@pytest.mark.parametrize("language", Language)
def test_no_two_kinds_get_the_same_answer_and_none_repeats_the_first(language):
    derivation = derive(cast_at(SEED_TIME))
    first = write_reading(derivation, language=language).answer
    by_kind = {kind: question for question, kind in QUESTIONS.items()}

    answers = [write_follow_up(derivation, q, language=language).answer for q in by_kind.values()]

    assert len({first, *answers}) == len(by_kind) + 1


@settings(max_examples=scale_examples(25))
@given(casts)
def test_every_kind_can_be_answered_on_every_board(cast):
    derivation = derive(cast)

    for language in Language:
        for question in QUESTIONS:
            answer = write_follow_up(derivation, question, language=language).answer
            assert answer
            assert "{" not in answer
            if language is Language.HANT:
                answer.replace(to_hant(question), "").encode("cp950", "strict")


@pytest.mark.parametrize(
    ("first", "later", "is_own"),
    [
        ("我最近换工作是否合适", "如果不换呢", True),
        ("我要不要借钱给他", "如果不给呢", True),
        ("辞职开猫咖", "如果不辞呢", True),
        ("辭職開貓咖", "如果不辭呢", True),
        ("她会原谅我吗", "如果我不道歉呢", True),
        ("Should I take the job?", "What if I don't?", True),
        ("Should I take the job?", "What if not?", True),
        ("明天会下雨吗", "如果不下雨呢", False),
        ("明天會下雨嗎", "如果不下雨呢", False),
        ("房东会退押金吗", "押金如果不退呢", False),
        ("老板拖欠工资能要回来吗", "如果不给呢", False),
        ("我要不要跟他表白", "如果他不答应呢", False),
        ("Will it rain tomorrow?", "What if it doesn't?", False),
        ("Will I get the job?", "What if not?", False),
        ("Should I ask her out?", "What if she doesn't like me?", False),
    ],
)
def test_only_what_the_asker_may_leave_undone_is_a_decision(first, later, is_own):
    cast = replace(cast_at(SEED_TIME), question=first, question_type="其他")
    language = Language.ENGLISH if first.isascii() else Language.HANS

    answer = write_follow_up(derive(cast), later, language=language).answer

    assert ("若不如此" in answer or "If not, look" in answer) is is_own
    assert ("这一步不由" in answer or "That is not up to you" in answer) is not is_own


@pytest.mark.parametrize(
    ("first", "later"),
    [("我该不该和他分手", "如果不分呢"), ("我該不該離婚", "如果不離呢"),
     ("Should I break up with my boyfriend?", "What if I don't?"),
     ("Should I leave my husband?", "What if I stay?")],
)  # fmt: skip
def test_not_parting_is_told_as_keeping_the_bond(first, later):
    language = Language.ENGLISH if first.isascii() else Language.HANS
    for cast in random_casts(40, seed=23):
        derivation = derive(replace(cast, question=first, question_type="其他"))
        answer = write_follow_up(derivation, later, language=language).answer
        holds = write_reading(derivation).judgement.score >= 0
        assert "留下即是守这段缘分" in answer or "Staying means keeping this bond" in answer
        assert ("缘分可成" in answer or "it can hold" in answer) is holds


def test_a_wish_to_be_together_again_is_no_parting():
    cast = replace(cast_at(SEED_TIME), question="分手后能复合吗", question_type="感情")

    assert "留下即是" not in write_follow_up(derive(cast), "如果我不去找他呢").answer


@pytest.mark.parametrize(
    ("first", "label", "later"),
    [
        ("我和她能复合吗", "感情", "她会原谅我吗"),
        ("朋友借的钱会还吗", "财运", "他会还吗"),
        ("手机丢在出租车上了", "失物", "司机拿了吗"),
    ],
)
def test_what_another_person_will_do_is_not_answered_by_the_first_verdict(first, label, later):
    cast = replace(cast_at(SEED_TIME), question=first, question_type=label)
    derivation = derive(cast)
    verdict = ZH.verdicts[write_reading(derivation).judgement.matter.wording]

    answer = write_follow_up(derivation, later).answer

    assert "应爻" in answer or "卦断不出" in answer
    assert not any(one in answer for one in verdict)


def test_a_question_for_bad_days_is_told_of_bad_days_only():
    # 2026-12-30 and 31 are days of 寅 and 卯; 用神 is 二爻官鬼午火 (天山遯), which neither strikes.
    cast = replace(
        cast_at("2026-12-30T10:00:00+08:00", "少阴 少阴 少阳 少阳 少阳 少阳"),
        question="今年事业如何",
        question_type="事业",
    )

    answer = write_follow_up(derive(cast), "哪天要小心").answer

    assert "其间没有冲克用神之日" in answer
    assert "早晚都可" not in answer


def test_only_what_may_be_granted_is_answered_with_a_will():
    cast = replace(cast_at(SEED_TIME), question="官司能赢吗", question_type="官司")

    assert "松口" not in write_follow_up(derive(cast), "对方会上诉吗").answer
    assert not is_other_matter(
        "When will it recover?", replace(cast, question="Should I sell my Bitcoin now?")
    )


def test_why_lists_the_points_of_the_score():
    derivation = derive(cast_at(SEED_TIME))
    reading = write_reading(derivation)
    answer = write_follow_up(derivation, "为什么").answer

    assert f"断为{reading.level.value}" in answer
    assert f"合计{reading.judgement.score:g}分" in answer
    assert "增删卜易·月将章" in answer


def test_months_to_be_careful_in_are_those_that_strike_the_focus():
    # 2026-11-19 is a day of 酉 in a month of 亥; 用神 is 上爻官鬼寅木 (艮为山), which 申 clashes
    # and 申 and 酉 control (增删卜易·五行相克章, 六冲章).
    cast = Cast(
        lines=("少阴", "少阴", "少阳", "少阴", "少阴", "少阳"),
        moment=datetime(2026, 11, 19, 14, 20, tzinfo=timezone(timedelta(hours=8))),
        question="明年运势如何",
        question_type="其他",
        method="自动起卦",
    )

    answer = write_follow_up(derive(cast), "哪个月要小心").answer

    assert "申月（2027年8月8日立秋起）、酉月（2027年9月8日白露起）冲克用神，宜避" in answer
    assert "寅月" not in answer


@settings(max_examples=scale_examples(50))
@given(casts)
def test_no_counsel_on_rain_contradicts_the_verdict(cast):
    reading = write_reading(derive(replace(cast, question="明天会下雨吗", question_type="天时")))

    said = "".join(one.text for one in reading.advice)
    opposed = ("主晴", "日头可见") if reading.judgement.score >= 0 else ("主雨",)
    assert not [word for word in opposed if word in said]


def test_a_board_tells_no_names_and_numbers():
    answer = write_follow_up(derive(cast_at(SEED_TIME)), "是谁").answer

    assert "断不出这个" in answer


def test_period_of_the_follow_up_takes_the_place_of_the_first_one():
    cast = replace(
        cast_at("2026-08-16T09:00:00+08:00"), question="今年财运如何", question_type="财运"
    )
    derivation = derive(cast)

    assert write_reading(derivation).timing.period.end == date(2026, 12, 31)  # type: ignore[union-attr]
    later = write_follow_up(derivation, "明年什么时候好").timing
    assert later.period.start == date(2027, 1, 1)  # type: ignore[union-attr]


def test_thanks_with_a_question_are_no_mere_thanks():
    assert is_thanks("非常感谢！")
    assert is_thanks("OK, thank you very much.")
    assert not is_thanks("谢谢，还有一个问题")
    assert not is_thanks("不谢谢")


@pytest.mark.parametrize(
    ("question", "asker"),
    [
        ("我老公爱我吗", Asker.WOMAN),
        ("我是女生，他喜欢我吗", Asker.WOMAN),
        ("Will my wife come back?", Asker.MAN),
        ("I'm a man, will she say yes?", Asker.MAN),
        ("测妻病", Asker.MAN),
        ("我们会怎样", Asker.UNKNOWN),
        ("我老公和我老婆", Asker.UNKNOWN),
    ],
)
def test_words_give_the_asker_away(question, asker):
    assert identify_asker(question).asker is asker


def test_question_decides_before_context_and_context_before_profile():
    context = [("gender", "male"), ("mood", "女")]

    assert identify_asker("我老公呢", context=context) == KnownAsker(
        Asker.WOMAN, AskerSource.QUESTION
    )
    assert identify_asker("我们呢", context=context, profile="female") == KnownAsker(
        Asker.MAN, AskerSource.CONTEXT
    )
    assert identify_asker("我们呢", profile="女") == KnownAsker(Asker.WOMAN, AskerSource.PROFILE)
    assert identify_asker("我们呢", context=[("mood", "女")]) == KnownAsker()


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("请用英文回答", Language.ENGLISH),
        ("Please answer in English.", Language.ENGLISH),
        ("用繁體中文", Language.HANT),
        ("please reply in Chinese", Language.HANS),
        ("我的英文考试能过吗", None),
        ("Should I study in English?", None),
        ("怎么用英文说谢谢", None),
        ("谢谢用英语怎么说", None),
        ("用繁体字怎么写龙", None),
        ("How do I write thanks in English?", None),
    ],
)
def test_language_is_changed_when_it_is_asked_for(text, language):
    assert find_requested_language(text) is language


LOST_CAT = Cast(
    lines=("少阳", "少阴", "少阴", "少阳", "少阳", "少阴"),
    moment=datetime(2026, 11, 17, 10, 30, tzinfo=timezone(timedelta(hours=8))),
    question="猫跑丢了今年能找到吗",
    question_type="其他",
    method="自动起卦",
)


@pytest.mark.parametrize("question", ["什么时候回来", "为什么", "谁在挡", "在哪里"])
def test_words_of_another_topic_do_not_change_the_matter(question):
    first = write_reading(derive(LOST_CAT))

    later = write_follow_up(derive(LOST_CAT), question)

    assert later.judgement.matter.focus == first.judgement.matter.focus == "子孙"
    assert later.level is first.level


@pytest.mark.parametrize(
    ("first", "label", "question", "focus"),
    [
        ("考公务员能上岸吗", "学业", "要是没考上怎么办", "官鬼"),
        ("Will my ex come back to me?", "感情", "When will she call?", "应"),
    ],
)
def test_later_words_choose_no_other_focus(first, label, question, focus):
    cast = replace(LOST_CAT, question=first, question_type=label)
    later = write_follow_up(derive(cast), question)

    assert later.judgement == replace(
        write_reading(derive(cast)).judgement, matter=later.judgement.matter
    )
    assert later.judgement.matter.focus == focus


def test_helpers_without_strength_are_not_recommended():
    cast = Cast(
        lines=("少阳", "老阳", "老阴", "少阴", "少阴", "老阴"),
        moment=datetime(2026, 7, 31, 10, 30, tzinfo=timezone(timedelta(hours=8))),
        question="妈妈的手术会顺利吗",
        question_type="健康",
        method="自动起卦",
    )

    answer = write_follow_up(derive(cast), "谁能帮我").answer

    assert "二爻官鬼卯木发动，然动而化破，无力生用神" in answer
    assert "可找" not in answer


def test_counsel_for_a_feared_event_tells_how_the_asker_stands_if_it_comes():
    cast = replace(LOST_CAT, question="会被裁员吗", question_type="事业")

    assert write_follow_up(derive(cast), "如果被裁了怎么办").answer.startswith("世爻")


def test_days_of_rain_are_not_to_be_avoided():
    cast = replace(LOST_CAT, question="明天会下雨吗", question_type="天时")

    answers = [write_follow_up(derive(cast), day).answer for day in ("后天呢", "这周呢", "下周呢")]

    assert not any("宜避" in answer for answer in answers)
    assert any("所问的天气" in answer for answer in answers)


def test_a_topic_by_its_name_changes_the_matter():
    later = write_follow_up(derive(LOST_CAT), "那财运呢")

    assert later.judgement.matter.topic is Topic.WEALTH


FIRST_OF = {
    Topic.LOVE: "他爱我吗",
    Topic.CAREER: "我最近换工作是否合适",
    Topic.HEALTH: "父亲的病能好吗",
    Topic.LOST: "猫跑丢了今年能找到吗",
}


@pytest.mark.parametrize(
    ("first", "question", "topic"),
    [
        (Topic.LOVE, "When will my career improve?", Topic.CAREER),
        (Topic.LOVE, "什么时候能升职", Topic.CAREER),
        (Topic.LOVE, "什麼時候能升職", Topic.CAREER),
        (Topic.LOVE, "Why is my health so bad?", Topic.HEALTH),
        (Topic.LOVE, "什么时候能赚钱", Topic.WEALTH),
        (Topic.LOVE, "When will we have children?", Topic.CHILDREN),
        (Topic.CAREER, "When will I get married? And will there be love?", Topic.LOVE),
        (Topic.CAREER, "什么时候能结婚", Topic.LOVE),
        (Topic.HEALTH, "我的官司什么时候开庭", Topic.LAWSUIT),
        (Topic.LOST, "When will I find a job?", Topic.CAREER),
        (Topic.LOVE, "我的病什么时候好", Topic.HEALTH),
        (Topic.LOVE, "戒指丢了，什么时候能找到", Topic.LOST),
    ],
)
def test_another_topic_in_any_language_changes_the_matter(first, question, topic):
    cast = replace(LOST_CAT, question=FIRST_OF[first], question_type=first.value)

    assert write_follow_up(derive(cast), question).judgement.matter.topic is topic


@pytest.mark.parametrize(
    ("first", "question"),
    [
        (Topic.LOVE, "他什么时候回来"),
        (Topic.LOVE, "When will he come back?"),
        (Topic.LOVE, "When will it work out?"),
        (Topic.LOVE, "为什么朋友都反对"),
        (Topic.CAREER, "什么时候出成绩"),
        (Topic.CAREER, "有没有朋友能帮我"),
        (Topic.CAREER, "如果找不到呢"),
        (Topic.HEALTH, "什么时候能出院"),
        (Topic.LOST, "下周能回来吗"),
        (Topic.LOST, "When will it come home?"),
        (Topic.LOST, "会不会走失很远，去哪里找"),
    ],
)
def test_words_of_any_matter_keep_the_first_one(first, question):
    cast = replace(LOST_CAT, question=FIRST_OF[first], question_type=first.value)
    matter = write_reading(derive(cast)).judgement.matter

    later = write_follow_up(derive(cast), question).judgement.matter

    assert (later.topic, later.focus) == (matter.topic, matter.focus)


@pytest.mark.parametrize(
    ("first", "label", "question", "special"),
    [
        ("妻子怀孕是否平安?", "健康", "是男孩还是女孩", SpecialMatter.PREGNANCY),
        ("这只股票下周会涨吗?", "财运", "该卖吗", None),
        ("我该不该辞职创业?", "事业", "创业做餐饮还是做电商好", None),
        ("我的狗生病了会好吗?", "健康", "手术顺利吗", None),
    ],
)
def test_a_question_that_names_the_first_topic_again_goes_on_about_the_first_matter(
    first, label, question, special
):
    cast = replace(cast_at(SEED_TIME), question=first, question_type=label)

    reading = write_follow_up(derive(cast), question)

    assert reading.judgement.matter.special is special
    assert reading.answer.startswith(f"就“{question}”再看此卦")


def test_an_illness_stays_that_of_the_first_person_until_another_is_named():
    cast = replace(cast_at(SEED_TIME), question="我的狗生病了会好吗?", question_type="健康")

    assert write_follow_up(derive(cast), "要不要做手术").judgement.matter.focus == "子孙"
    assert write_follow_up(derive(cast), "我的病呢").judgement.matter.focus == "世"


def test_when_keeps_the_period_of_the_first_question():
    later = write_follow_up(derive(LOST_CAT), "什么时候")

    assert later.timing.period is not None
    assert later.timing.period.text == "今年"
    assert "2027" not in later.answer


def test_a_few_days_are_weighed_by_their_branches():
    # 2026-11-19 is a day of 酉, 2026-11-22 one of 子, which clashes with 午.
    cast = replace(LOST_CAT, question="猫跑丢了能找到吗")

    assert "其间各日对用神既不生扶也不冲克" in write_follow_up(derive(cast), "后天呢").answer
    assert "子日（2026年11月22日）冲克用神" in write_follow_up(derive(cast), "这周呢").answer


@pytest.mark.parametrize(
    ("question", "label", "later"),
    [("我妈的病能好吗", "健康", "去哪个方向看医生"), ("钱包丢了", "失物", "在家里吗")],
)
@pytest.mark.parametrize("moving", range(6))
def test_where_agrees_with_the_first_reading(question, label, later, moving):
    lines: list[YaoLine] = ["少阳"] * 6
    lines[moving] = "老阳"
    cast = replace(LOST_CAT, question=question, question_type=label, lines=tuple(lines))

    assert write_reading(derive(cast)).advice[0].text in write_follow_up(derive(cast), later).answer


@pytest.mark.parametrize(
    ("question", "label", "special", "own"),
    [
        ("猫跑丢了能找到吗", "其他", SpecialMatter.PET, True),
        ("明天会下雨吗", "其他", SpecialMatter.RAIN, False),
        ("朋友借的钱会还吗", "财运", SpecialMatter.DEBT, True),
    ],
)
def test_pets_rain_and_debts_have_words_of_their_own(question, label, special, own):
    cast = replace(LOST_CAT, question=question, question_type=label)

    matter = write_reading(derive(cast)).judgement.matter

    assert matter.special is special
    assert matter.own is own


@pytest.mark.parametrize(
    "question",
    [
        "手机丢了，马上能找到吗", "钱包掉在马路上了", "钥匙在牛仔裤里", "羊毛衫不见了",
        "遛狗时钥匙丢了", "天猫买的耳机丢了", "猫把戒指弄丢了", "小马丢了钱包",
        "手机丢在车上了", "保证能找到手机吗", "钥匙落在书店了",
        "I lost my keys walking the dog", "My dog's collar is lost", "I lost my phone in the car",
    ],
)  # fmt: skip
def test_a_word_beside_the_lost_thing_does_not_decide_what_it_is(question):
    matter = identify_matter(Topic.LOST, question)

    assert (matter.focus, matter.special) == ("妻财", None)


@pytest.mark.parametrize(
    "question",
    [
        "狗狗不见了", "橘猫走丢了", "我的马丢了", "牛跑了能找回来吗", "占失牛", "家里的羊不见了",
        "走失一匹马还能找到吗", "鸟飞走了", "丟了一隻貓", "猫的下落", "Will I find my lost cat?",
        "My horse is missing",
    ],
)  # fmt: skip
def test_a_lost_animal_is_a_pet(question):
    assert identify_matter(Topic.LOST, question).special is SpecialMatter.PET


@pytest.mark.parametrize(
    "question",
    ["身份证丢了", "我的车被偷了", "衣服丢了", "雨伞落在哪了", "Where is my lost passport?"],
)
def test_lost_papers_clothes_and_vehicles_are_of_one_kin(question):
    assert identify_matter(Topic.LOST, question).focus == "父母"


@pytest.mark.parametrize(
    "question",
    [
        "Will I get out of debt this year?", "我会还清房贷吗", "我欠款何时能还清",
        "我欠朋友的钱什么时候能还上", "能还清债务吗", "信用卡欠款今年能还清吗",
        "欠债什么时候能还清",
        "Can I pay off my mortgage?", "Will I repay the loan?", "今年财运会还可以吗",
    ],
)  # fmt: skip
def test_a_debt_of_the_asker_is_an_ordinary_question_about_money(question):
    matter = identify_matter(choose_topic("其他", question), question)

    assert (matter.topic, matter.special) == (Topic.WEALTH, None)


@pytest.mark.parametrize(
    "question",
    [
        "他欠我的钱能还清吗", "公司欠款什么时候能还清", "客户什么时候回款", "借出去的钱能要回来吗",
        "我朋友会还钱吗", "朋友借钱不还，能要回来吗",
        "我借给同事的钱会还吗", "Will my brother repay the debt?",
        "Will he pay me back the money?",
    ],
)  # fmt: skip
def test_a_debt_of_somebody_else_is_owed_to_the_asker(question):
    assert identify_matter(Topic.WEALTH, question).special is SpecialMatter.DEBT


def test_the_keyword_is_the_first_time_that_is_told():
    cast = replace(LOST_CAT, question="明天会下雨吗")
    reading = write_reading(derive(cast))

    assert reading.timing.beyond is not None
    assert f"应期{reading.timing.beyond[1]}日" in reading.keywords


MATTERS = {
    "我最近换工作是否合适": (
        ["什么时候", "为什么", "工资会涨吗", "领导会同意吗", "What about the salary?",
         "能详细说说吗",
         "用神是什么", "hmm", "谢谢", "如果不换呢", "谁能帮我", "what stands in my way"],
        ["我什么时候结婚", "我儿子能考上大學嗎", "What is the capital of France?", "写一首诗",
         "明天会下雨吗", "Will I get married?", "1+1等于几", "How is my health?"],
    ),
    "我妈的病能好吗": (["手术顺利吗", "什么时候出院", "她什么时候能回去工作", "她會好嗎"],
                 ["我儿子的病能好吗", "今年财运如何"]),
    "Will I be laid off?": (["When will I know?", "Who can help me?", "Will I get a bonus?"],
                            ["Does she love me?", "Will I win the lawsuit?"]),
    "Will I pass the exam?": (
        ["What are the odds really?", "What should be done next?", "Is my health up to it?"],
        ["Does he love me?", "Write a poem"],
    ),
    "Will I get the job?": (
        ["How many weeks until a decision?", "Is patience the best strategy?"],
        ["When will I marry?", "Will she marry me?"],
    ),
    "Will he come back to me?": (["Does he still love me?"], ["Will I pass the exam?"]),
    "我老公会回来吗": (["他还爱我吗"], ["我能升职吗"]),
    "考公务员能上岸吗": (["要是没考上怎么办", "什么时候出成绩"], ["我儿子能考上大学吗"]),
    "考试能过吗": (["如果没过，工作怎么办"], ["工作能升职吗"]),
    "我和他会结婚吗": (["他家里有钱吗", "他父母会同意吗"], ["今年股票能赚钱吗", "1+1等于几"]),
    "合伙开店能赚钱吗": (["如果不合伙呢", "合伙人可靠吗"], ["我的病能好吗"]),
    "今年运势如何": (["那财运呢", "感情呢"], ["翻译一下hello"]),
}  # fmt: skip


@pytest.mark.parametrize("first", MATTERS)
def test_another_matter_needs_another_cast_and_its_own_questions_do_not(first):
    cast = replace(LOST_CAT, question=first)
    own, others = MATTERS[first]

    assert [one for one in own if is_other_matter(one, cast)] == []
    assert [one for one in others if not is_other_matter(one, cast)] == []
    assert first in write_other_matter(others[0], cast, language=Language.HANS)


@pytest.mark.parametrize(
    ("question", "sensitivity"),
    [
        ("我想卧轨，疼不疼", Sensitivity.SELF_HARM),
        ("想卸载人生", Sensitivity.SELF_HARM),
        ("不如重开算了", Sensitivity.SELF_HARM),
        ("I want to jump in front of a train", Sensitivity.SELF_HARM),
        ("想拿刀捅邻居", Sensitivity.VIOLENCE),
    ],
)
def test_a_follow_up_of_despair_or_harm_gets_help_and_no_other_cast(question, sensitivity):
    cast = replace(
        cast_at("2026-04-03T20:30:00+08:00"), question="我能升职吗", question_type="事业"
    )

    assert not is_other_matter(question, cast)
    assert write_follow_up(derive(cast), question).sensitivity is sensitivity


@pytest.mark.parametrize(
    ("label", "question", "sensitivity"),
    [
        ("自杀", "今天适合吗", Sensitivity.SELF_HARM),
        ("寿命", "我", Sensitivity.LIFESPAN),
        ("杀人", "今晚", Sensitivity.VIOLENCE),
    ],
)
def test_a_label_of_despair_or_harm_gets_no_verdict(label, question, sensitivity):
    cast = replace(cast_at("2026-04-03T20:30:00+08:00"), question=question, question_type=label)

    assert write_reading(derive(cast)).sensitivity is sensitivity
