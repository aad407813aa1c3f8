"""The reading: judged as the oracle judges, said so that every word can be traced."""

import pytest
from hypothesis import given
from msgspec.structs import fields, replace
from tests.loose_json import JsonObject
from tests.unit.liuyao.oracle import cast_at, cast_of, load
from tests.unit.liuyao.strategies import casts, few_examples

from yarrow.language.languages import Language
from yarrow.liuyao import (
    Asker,
    SignLevel,
    derive,
    explain_reading,
    parse_cast,
    to_output_fields,
    write_follow_up,
    write_reading,
)
from yarrow.liuyao.pillars import PILLAR_NAMED
from yarrow.liuyao.reading import affliction_rules, timing
from yarrow.liuyao.reading import judgement_rules as rules
from yarrow.liuyao.reading.change_rules import ReadingRule
from yarrow.liuyao.reading.judge import judge_matter
from yarrow.liuyao.reading.script import to_hant
from yarrow.liuyao.reading.sensitive_questions import Sensitivity
from yarrow.liuyao.reading.words_zh import ZH
from yarrow.liuyao.reading.yong_shen import (
    Matter,
    SpecialMatter,
    Topic,
    choose_topic,
    identify_matter,
)
from yarrow.liuyao.situation import build_situation

CASTINGS = load("castings")
SEED_TIME = "2026-04-03T20:30:00+08:00"


def _ask(question: str, kind: str = "其他", *, language: Language = Language.HANS):
    cast = replace(cast_at(SEED_TIME), question=question, question_type=kind)
    return write_reading(derive(cast), language=language)


def _texts(reading):
    groups = (reading.conclusion, reading.focus_points, reading.advice)
    return [said.text for group in groups for said in group] + [reading.answer]


@pytest.mark.parametrize("row", CASTINGS, ids=range(len(CASTINGS)))
def test_reading_has_the_focus_and_direction_of_the_oracle(row):
    reading = write_reading(derive(cast_of(row)), asker=Asker.MAN)

    assert reading.judgement.matter.focus == row["reading"]["yongShen"]
    # The oracle's own weights differ in the rules that were added since; its direction does not.
    assert (reading.judgement.score >= 0) == (row["reading"]["score"] >= 0)


def test_direction_agrees_with_at_least_80_of_100_classical_cases():
    own = {"事业", "财运", "学业", "感情", "失物", "文书"}
    right = 0
    for row in load("classical")["rows"]:
        situation = build_situation(row[6], row[7], month=row[8], day=PILLAR_NAMED[row[9]])
        matter = Matter(Topic(row[11]), row[10], own=row[11] in own, illness=row[12])
        right += (judge_matter(situation, matter).score >= 0) == (row[13] > 0)

    assert right >= 80


@few_examples
@given(casts)
def test_every_cast_reads_in_every_language_within_the_limits_of_the_plan(cast):
    derivation = derive(cast)

    for language in Language:
        reading = write_reading(derivation, language=language)
        assert 2 <= len(reading.conclusion) <= 3
        assert 3 <= len(reading.focus_points) <= 5
        assert 2 <= len(reading.advice) <= 3
        assert 3 <= len(reading.keywords) <= 6
        assert all("{" not in text and text for text in _texts(reading))


@few_examples
@given(casts)
def test_every_statement_rests_on_lines_of_the_board(cast):
    reading = write_reading(derive(cast))

    for said in (*reading.conclusion, *reading.focus_points, *reading.advice):
        assert set(said.lines) <= {1, 2, 3, 4, 5, 6}
    assert all(said.rules for said in (*reading.conclusion, *reading.focus_points))


@given(casts)
def test_the_points_add_up_to_the_score(cast):
    judgement = write_reading(derive(cast)).judgement

    assert sum(point.value for point in judgement.points) == pytest.approx(
        judgement.score, abs=0.006
    )


@few_examples
@given(casts)
def test_traditional_prose_has_no_simplified_character(cast):
    reading = write_reading(derive(cast), language=Language.HANT)

    for text in (*_texts(reading), *reading.keywords):
        text.encode("cp950")  # the traditional code page lacks simplified characters


def _strings(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from _strings(key)
            yield from _strings(one)
    elif isinstance(value, tuple):
        for one in value:
            yield from _strings(one)


def test_every_word_of_the_prose_has_a_traditional_form():
    tables = [getattr(ZH, field.name) for field in fields(ZH)]
    named = (*vars(rules).values(), *vars(affliction_rules).values())
    said = [rule.zh for rule in named if isinstance(rule, ReadingRule)]
    said += [rule.zh for rule in (*rules.CHANGES.values(), *rules.SPECIAL.values())]
    said += [rule.zh for rule in vars(timing).values() if isinstance(rule, timing.TimingRule)]

    for text in (*_strings(tuple(tables)), *said):
        to_hant(text).encode("cp950")


def test_traditional_prose_uses_the_traditional_name():
    cast = cast_at(SEED_TIME, "少阴 少阴 少阳 少阳 少阳 少阳")
    reading = write_reading(derive(cast), language=Language.HANT)

    assert "天山遯" in reading.conclusion[0].text
    assert reading.keywords[0] == "天山遯"


def test_english_prose_keeps_canonical_terms_chinese():
    reading = _ask("Shall I change my job?", "事业", language=Language.ENGLISH)

    assert "用神 is 官鬼" in reading.conclusion[0].text
    assert "世爻" in reading.conclusion[1].text
    assert reading.answer.isascii() is False
    assert "。" not in reading.answer


def test_named_days_carry_the_branch_they_are_named_for():
    for row in CASTINGS:
        derivation = derive(cast_of(row))
        when = write_reading(derivation).timing
        for branch, day in zip(when.branches, when.days, strict=True):
            noon = derivation.cast.moment.replace(
                year=day.year, month=day.month, day=day.day, hour=12
            )
            there = derive(replace(derivation.cast, moment=noon))
            assert there.pillars.day.branch == branch
            assert noon.date() > derivation.cast.moment.date()


def test_line_that_the_month_breaks_waits_for_the_next_month():
    # 火风鼎 on 2026-03-11: the 卯 month breaks 妻财酉; 清明 is on 04-05.
    row = next(row for row in CASTINGS if row["expect"]["guaName"] == "火风鼎")
    cast = replace(cast_of(row), question_type="财运")
    reading = write_reading(derive(cast))
    first = derive(replace(cast, moment=cast.moment.replace(year=2026, month=4, day=6)))

    assert reading.timing.rule.name == "月破待出月"
    assert all(day >= first.cast.moment.date() for day in reading.timing.days)


def test_health_gets_no_counsel_to_wait_or_to_blame():
    for row in CASTINGS:
        reading = write_reading(
            derive(replace(cast_of(row), question_type="健康", question="我的身体"))
        )
        assert all(said.rules == () for said in reading.advice)


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("怀孕了胎儿平安吗", "其他"),
        ("今年能怀上吗", "子女"),
        ("I am pregnant", "other"),
    ],
)
def test_a_pregnancy_is_sent_to_a_doctor_and_nobody_is_blamed(question, topic):
    for row in CASTINGS:
        cast = replace(cast_of(row), question_type=topic, question=question)
        reading = write_reading(derive(cast))

        assert reading.sensitivity is Sensitivity.HEALTH
        assert all(said.rules == () for said in reading.advice)
        assert "医" in reading.answer
        assert "晚辈" not in reading.answer


@pytest.mark.parametrize(
    ("question", "topic", "special"),
    [
        ("明年三月考公务员能上岸吗", "学业", SpecialMatter.EXAM),
        ("老房子年底前能卖掉吗", "财运", SpecialMatter.SALE),
        ("我在考虑要不要跳槽", "事业", None),
        ("今年财运如何", "财运", None),
    ],
)
def test_exams_and_sales_are_spoken_of_in_their_own_words(question, topic, special):
    matter = identify_matter(choose_topic(topic, question), question)
    reading = _ask(question, topic)

    assert matter.special is special
    counsels = ZH.counsel[special or matter.topic]
    assert any(said.text in counsels for said in reading.advice)


def test_control_of_the_line_of_another_is_not_called_power_over_it():
    for row in CASTINGS:
        reading = write_reading(
            derive(replace(cast_of(row), question_type="健康", question="母亲的病"))
        )
        assert not any("事可把握" in said.text for said in reading.conclusion)


def test_question_of_when_is_answered_with_the_time_first():
    reading = _ask("我什么时候能找到工作？", "事业")

    assert reading.conclusion[0].rules == (reading.timing.rule.name,)
    assert "可留意" in reading.answer.split("。")[1]


@pytest.mark.parametrize(
    ("question", "asker", "focus"),
    [
        ("我们会怎样", Asker.MAN, "妻财"),
        ("我们会怎样", Asker.WOMAN, "官鬼"),
        ("我们会怎样", Asker.UNKNOWN, "应"),
        ("我男朋友爱我吗", Asker.UNKNOWN, "官鬼"),
        ("和女友能结婚吗", Asker.UNKNOWN, "妻财"),
    ],
)
def test_partner_is_read_by_who_asks(question, asker, focus):
    assert identify_matter(Topic.LOVE, question, asker).focus == focus  # reference 5.1


def test_unknown_asker_is_told_that_the_partner_was_read_from_the_response_line():
    reading = _ask("我们会怎样", "感情")

    assert "以应爻为对方" in reading.conclusion[0].text


@pytest.mark.parametrize(
    ("label", "question", "topic"),
    [
        ("事业", "", Topic.CAREER),
        ("換工作", "", Topic.CAREER),
        ("career", "", Topic.CAREER),
        ("求财", "", Topic.WEALTH),
        ("姻缘", "", Topic.LOVE),
        ("寻物", "", Topic.LOST),
        ("诉讼", "", Topic.LAWSUIT),
        ("考试", "", Topic.STUDY),
        ("合同", "", Topic.DOCUMENTS),
        ("运势", "", Topic.OTHER),
        ("随便问问", "这次考试能过吗", Topic.STUDY),
    ],
)
def test_label_and_question_name_the_topic(label, question, topic):
    assert choose_topic(label, question) is topic


@pytest.mark.parametrize(
    ("question", "focus", "illness"),
    [
        ("我的身体如何", "世", ""),
        ("父亲的病能好吗", "父母", ""),
        ("我老婆刚感冒", "妻财", "近"),
        ("岳母慢性病", "父母", "久"),
        ("My dog is sick", "子孙", ""),
    ],
)
def test_health_question_names_the_patient_and_how_long(question, focus, illness):
    matter = identify_matter(Topic.HEALTH, question)

    assert (matter.focus, matter.illness) == (focus, illness)


@pytest.mark.parametrize(
    ("topic", "question", "focus"),
    [
        (Topic.TRAVEL, "和朋友去旅行顺利吗", "世"),
        (Topic.TRAVEL, "我妈出行平安吗", "父母"),
        (Topic.LAWSUIT, "跟老婆打官司", "世"),
        (Topic.LAWSUIT, "我哥的官司", "兄弟"),
        (Topic.ABSENT, "儿子何时回来", "子孙"),
        (Topic.LOST, "护照在哪", "父母"),
        (Topic.LOST, "猫丢了", "子孙"),
        (Topic.LOST, "车丢了", "父母"),
        (Topic.LOST, "车钥匙丢了能找到吗", "妻财"),
        (Topic.LOST, "戒指丢了", "妻财"),
        (Topic.ABSENT, "我借出去的钱能要回来吗", "妻财"),
        (Topic.ABSENT, "他还得多久才回来", "应"),
        (Topic.ABSENT, "Will my cat come home?", "子孙"),
    ],
)
def test_question_names_who_or_what_is_asked_about(topic, question, focus):
    assert identify_matter(topic, question).focus == focus  # reference 5.1


@pytest.mark.parametrize(
    ("question", "topic", "focus"),
    [
        ("儿子发烧几时好", Topic.HEALTH, "子孙"),
        ("我胃疼多久能好", Topic.HEALTH, "世"),
        ("手机丢在哪里了", Topic.LOST, "妻财"),
        ("雅思能考7分吗", Topic.STUDY, "父母"),
        ("驾照科目二能过吗", Topic.STUDY, "父母"),
        ("和朋友合伙开公司怎么样", Topic.WEALTH, "妻财"),
        ("我老公有外遇吗", Topic.LOVE, "官鬼"),
        ("怀的是男孩还是女孩", Topic.CHILDREN, "子孙"),
        ("买这套房子好吗", Topic.DOCUMENTS, "父母"),
        ("老板会不会裁掉我", Topic.CAREER, "官鬼"),
        ("When will my brother pay me back?", Topic.WEALTH, "妻财"),
        ("猫什么时候回来", Topic.LOST, "子孙"),
        ("我的猫三天没回家", Topic.LOST, "子孙"),
        ("我家的鹦鹉飞走了", Topic.LOST, "子孙"),
        ("My dog ran away, will I find him?", Topic.LOST, "子孙"),
        ("驾考科三下周能过吗", Topic.STUDY, "父母"),
        ("直播带货能火吗", Topic.WEALTH, "妻财"),
        ("我的项链掉哪里了", Topic.LOST, "妻财"),
        ("Will my landlord return my deposit?", Topic.WEALTH, "妻财"),
        ("Will my ex come back to me?", Topic.LOVE, "应"),
        ("前女友会回来找我吗", Topic.LOVE, "妻财"),
        ("女儿什么时候回来", Topic.ABSENT, "子孙"),
        ("朋友借钱不还，能要回来吗", Topic.WEALTH, "妻财"),
        ("炒股这个月能赚吗", Topic.WEALTH, "妻财"),
        ("今年能遇到正缘吗", Topic.LOVE, "应"),
        ("弟弟出门三天没消息，平安吗", Topic.ABSENT, "兄弟"),
        ("面试完一周没消息了，还有戏吗", Topic.CAREER, "官鬼"),
        ("Where did I lose my passport?", Topic.LOST, "父母"),
        ("Where is my ring?", Topic.LOST, "妻财"),
        ("Will I lose my job?", Topic.CAREER, "官鬼"),
        ("Is it a boy or a girl?", Topic.CHILDREN, "子孙"),
    ],
)
def test_topic_and_focus_are_found_without_a_label(question, topic, focus):
    matter = identify_matter(choose_topic("其他", question), question)

    assert (matter.topic, matter.focus) == (topic, focus)


def test_a_matter_with_a_companion_is_the_askers_own():
    assert identify_matter(Topic.WEALTH, "和朋友合伙开公司怎么样").own
    assert not identify_matter(Topic.WEALTH, "我哥今年财运").own


def test_weather_is_nobodys_matter():
    assert "他人" not in " ".join(part.text for part in _ask("明天会下雨吗", "天时").conclusion)


def test_health_reading_sends_the_asker_to_a_doctor():
    assert "就医" in _ask("我最近身体怎样", "健康").answer


def test_health_reading_does_not_diagnose_or_judge_medicine():
    reading = _ask("我这是不是癌症，要不要停药", "健康")

    assert "卦不能诊病，也不能决定用药" in reading.answer


@pytest.mark.parametrize(
    ("question", "language", "note"),
    [
        ("老婆怀的是男孩还是女孩", Language.HANS, "胎儿是男是女，不以卦断"),
        ("Is it a boy or a girl?", Language.ENGLISH, "No board tells a child's sex"),
        ("老婆怀孕了，是儿子吗", Language.HANS, "胎儿是男是女，不以卦断"),
    ],
)
def test_nobody_is_told_the_sex_of_a_child(question, language, note):
    assert note in _ask(question, "其他", language=language).answer


@pytest.mark.parametrize("question", ["狗病重，该安乐死吗", "Should we put my dog to sleep?"])
def test_no_verdict_is_drawn_on_ending_a_life(question):
    assert _ask(question, "健康").withheld


TREATMENT_DECISIONS = [
    "父亲要不要做手术", "父親要不要做手術", "医生建议截肢，要不要做", "我要不要打掉孩子",
    "该不该做人流", "我能不能停药", "我可以停藥嗎", "妈妈还要继续化疗吗", "要不要做骨髓移植",
    "放疗要不要停",
    "打胎好不好", "要不要墮胎", "保守治疗还是手术好", "医生让住院，该听吗", "這個孩子要不要留",
    "Should my mother stop chemotherapy?", "Should I have an abortion?", "Should I have surgery?",
    "Can I stop my medication?", "Is surgery a good idea for my dad?", "Do I need the operation?",
    "The doctor recommends an amputation. Should we agree?", "Surgery or pills?",
    "Is it right to refuse chemo?", "我的狗要不要做手术", "要不要生下这个孩子", "该不该留这个孩子",
]  # fmt: skip
TREATMENT_OUTCOMES = [
    "妈妈的手术会顺利吗", "化疗有效吗", "手术后多久能恢复", "手术后要不要换工作",
    "这家店人流量大，要不要盘下来",
    "会不会流产", "我能不能找到工作", "Will the surgery go well?", "Will chemo work for her?",
    "Should I change jobs after surgery?", "Should I buy shares of a vaccine company?",
    "Should I expand my operations?", "Should I quit my job?",
    "Should I study medicine?", "Should I open a medicine shop?", "Should I transplant the tree?",
    "要不要生孩子", "该不该生二胎",
]  # fmt: skip


@pytest.mark.parametrize("question", TREATMENT_DECISIONS)
@pytest.mark.parametrize("language", Language)
def test_no_verdict_is_drawn_on_whether_to_treat(question, language):
    reading = _ask(question, language=language)

    assert reading.sensitivity is Sensitivity.TREATMENT
    assert reading.withheld
    assert explain_reading(reading)["points"] == []
    assert ("doctor" if language is Language.ENGLISH else "生") in reading.answer


@pytest.mark.parametrize("question", TREATMENT_OUTCOMES)
def test_how_a_treatment_goes_is_no_decision(question):
    assert not _ask(question).withheld


@pytest.mark.parametrize(
    ("first", "later"),
    [
        ("父亲要不要做手术", "如果不手术呢"),
        ("父亲要不要做手术", "什么时候做好"),
        ("父亲要不要做手术", "我该怎么办"),
        ("妈妈的手术会顺利吗", "如果不做呢"),
        ("父亲的病能好吗", "要不要开刀"),
        ("我和老公感情如何", "该不该打掉孩子"),
        ("Should my mother stop chemotherapy?", "What if she doesn't?"),
        ("Should my mother stop chemotherapy?", "When should she?"),
        ("Will the surgery go well?", "What if not?"),
    ],
)
def test_follow_up_to_a_treatment_gets_no_verdict_either(first, later):
    cast = replace(cast_at(SEED_TIME), question=first, question_type="其他")

    reading = write_follow_up(derive(cast), later)

    assert reading.sensitivity is Sensitivity.TREATMENT
    assert reading.withheld


@pytest.mark.parametrize(
    "question",
    [
        "Should my mother stop chemotherapy?",
        "医生建议截肢，要不要做",
        "我要不要打掉孩子",
        "要不要墮胎",
    ],
)
def test_treatments_are_matters_of_health(question):
    assert choose_topic("其他", question) is Topic.HEALTH


def test_legal_reading_sends_the_asker_to_a_lawyer():
    assert "律师" in _ask("官司能赢吗", "官司").answer


@pytest.mark.parametrize("language", Language)
def test_nobody_is_told_how_long_they_live(language):
    reading = _ask("我爷爷还能活多久", "健康", language=language)

    assert reading.withheld
    assert explain_reading(reading)["score"] is None
    assert explain_reading(reading)["points"] == []


@pytest.mark.parametrize(
    "question",
    [
        "我能活到几岁",
        "我能活到九十岁吗",
        "奶奶能熬过这个冬天吗",
        "奶奶能熬過這個冬天嗎",
        "爸爸挺得过来吗",
        "外公活不过今年吗",
        "妈妈有生命危险吗",
        "爷爷能抢救过来吗",
        "我会长寿吗",
        "他会不会死",
        "我什么时候死",
        "Will my grandmother survive the winter?",
        "Will grandpa make it through the night?",
        "How much time does my mother have left?",
        "Will I live to be 90?",
        "Will he survive the operation?",
        "How old will I get?",
        "我还剩多少时间",
        "爷爷是不是快不行了",
        "妈妈能撑到过年吗",
        "How long do I have?",
        "Is grandpa going to make it?",
        "Am I dying?",
    ],
)
def test_questions_about_life_and_death_get_no_verdict(question):
    assert _ask(question).withheld


@pytest.mark.parametrize(
    "question",
    [
        "公司能熬过这个冬天吗",
        "母公司能挺过去吗",
        "他能挺过这次裁员吗",
        "我能熬过试用期吗",
        "电脑会死机吗",
        "长寿面好吃吗",
        "活到老学到老对吗",
        "硬盘数据能抢救回来吗",
        "Will my business survive the winter?",
        "Will my marriage survive?",
        "How many days do I have left to apply?",
        "Is it wrong to live to work?",
        "离考试还剩多少时间",
        "工作累得快死了，要不要换",
        "How long do I have to wait?",
        "Will it hurt him if I leave?",
        "能砍价吗",
        "结束自己的单身生活好吗",
        "我想消失一阵子去旅行，顺利吗",
    ],
)
def test_words_that_only_look_like_life_and_death_get_a_reading(question):
    assert not _ask(question).withheld


@pytest.mark.parametrize(
    "question",
    [
        "想结束这一切",
        "不如一了百了",
        "Should I end it all?",
        "我不想活了，怎么办",
        "我想自杀",
        "I want to kill myself",
        "我想輕生",
    ],
)
def test_self_harm_gets_help_instead_of_a_verdict(question):
    reading = _ask(question)

    assert reading.withheld
    assert reading.level is SignLevel.HIGH
    assert any("急救" in said.text for said in reading.advice)
    assert all("签：" not in text for text in _texts(reading))


@pytest.mark.parametrize(
    "question", ["要不要杀了他", "我要报复他，能成吗", "Should I hurt him?", "Can I take revenge?"]
)
@pytest.mark.parametrize("language", Language)
def test_no_verdict_is_drawn_on_harming_somebody(question, language):
    reading = _ask(question, language=language)

    assert reading.withheld
    assert explain_reading(reading)["points"] == []


@pytest.mark.parametrize(
    "question",
    [
        "把房子卖了一了百了行吗",
        "有没有我能做得更好的",
        "How can I take my life back?",
        "What makes life worth living?",
        "战争什么时候能结束",
        "超市跳楼价值得买吗",
        "跳樓機好玩嗎",
        "我不想死记硬背怎么办",
        "去死海旅游顺利吗",
    ],
)
def test_words_that_only_look_like_self_harm_get_a_reading(question):
    assert not _ask(question).withheld


@pytest.mark.parametrize(
    "question", ["我想死", "想跳楼", "他要去死怎么办", "我想死你别管", "我想跳樓"]
)
def test_words_of_self_harm_still_get_help(question):
    assert _ask(question).sensitivity is Sensitivity.SELF_HARM


@pytest.mark.parametrize(
    ("question", "language", "first"),
    [
        ("换车还是修车", Language.HANS, "换车"),
        ("我該換車還是修車", Language.HANT, "換車"),
        ("我应该选A公司还是选B公司", Language.HANS, "A公司"),
        ("Should I sell or rent my flat?", Language.ENGLISH, "sell"),
        ("Is it better to stay or leave?", Language.ENGLISH, "stay"),
    ],
)
def test_a_choice_of_two_is_told_which_one_the_verdict_is_about(question, language, first):
    reading = _ask(question, language=language)

    assert f"“{first}”" in reading.answer
    assert any(f"“{first}”" in one.text for one in reading.conclusion)


@pytest.mark.parametrize(
    "question",
    ["他还是爱我吗", "我还是想换工作", "去还是不去", "天气会晴还是下雨", "老婆怀的是男孩还是女孩",
     "Should I go or not?", "Will it rain or snow?", "Is it a boy or a girl?"],
)  # fmt: skip
def test_one_thing_is_no_choice_of_two(question):
    language = Language.ENGLISH if question.isascii() else Language.HANS
    answer = _ask(question, language=language).answer

    assert "先说的" not in answer
    assert "named first" not in answer


def test_whether_to_part_is_told_to_be_about_the_bond():
    assert "断的是这段缘分本身" in _ask("我该不该和他分手").answer
    assert "断的是这段缘分本身" not in _ask("分手后能复合吗").answer


def test_a_choice_in_a_follow_up_is_told_its_side_too():
    cast = replace(cast_at(SEED_TIME), question="我该不该辞职创业", question_type="事业")

    assert "“做餐饮”" in write_follow_up(derive(cast), "做餐饮还是做电商好").answer


def test_output_has_the_fields_of_the_final_answer():
    output = to_output_fields(_ask("我最近换工作是否合适?", "事业"))

    assert list(output) == [
        "sign_level", "conclusion", "focus_points", "advice", "keywords", "answer",
    ]  # fmt: skip
    assert output["sign_level"] in {"上上签", "中上签", "中下签", "下下签"}


def test_every_point_names_its_source():
    why: JsonObject = explain_reading(_ask("我最近换工作是否合适?", "事业"))

    assert why["points"]
    for point in why["points"]:
        assert point["basis"].startswith(("增删卜易·", "卜筮正宗·"))
        assert point["lines"]


def test_follow_up_about_another_topic_takes_its_focus():
    derivation = derive(cast_at(SEED_TIME))

    assert write_reading(derivation).judgement.matter.focus == "官鬼"
    assert write_follow_up(derivation, "那财运呢？").judgement.matter.focus == "妻财"


def test_a_line_without_root_is_told_once_what_month_and_day_do():
    # 2026-10-15 is a day of 戌 in the month of 戌; both control 亥, which 世 holds.
    cast = replace(
        cast_at("2026-10-15T10:30:00+08:00"),
        lines=("少阴", "老阴", "少阳", "少阴", "少阴", "少阴"),
        question="此事如何",
        question_type="其他",
    )

    answer = write_reading(derive(cast)).answer

    assert answer.count("月建戌土克之") == 1
    assert "日辰戌土又克之，用神无根" in answer


@pytest.mark.parametrize(
    "lines",
    [
        # 震为雷 (六冲) to 地雷复 (六合), and 火山旅 (六合) to 艮为山 (六冲).
        ("少阳", "少阴", "少阴", "老阳", "少阴", "少阴"),
        ("少阴", "少阴", "少阳", "老阳", "少阴", "少阳"),
    ],
)
def test_a_clash_that_turns_to_union_gets_no_counsel_of_a_clash(lines):
    cast = replace(cast_at(SEED_TIME), lines=lines, question="此事如何", question_type="财运")

    reading = write_reading(derive(cast))

    assert not any("卦逢六" in said.text for said in reading.advice)
    assert not any("卦逢六" in text for text in [write_follow_up(derive(cast), "怎么办").answer])


def test_before_the_moment_of_a_jie_its_month_is_not_the_present_one():
    # 立秋 is on 2026-08-07 in the evening.
    cast = replace(
        cast_at("2026-08-07T10:30:00+08:00"),
        lines=("少阴", "少阴", "老阴", "少阴", "少阴", "少阴"),
        question="我最近换工作是否合适",
        question_type="事业",
    )

    answer = write_follow_up(derive(cast), "那下半年再换呢").answer

    assert "眼下的未月" in answer
    assert "本月" not in answer


def test_follow_up_without_a_topic_goes_on_about_the_first_question():
    cast = replace(cast_at(SEED_TIME), question_type="健康", question="父亲的病能好吗")
    later = write_follow_up(derive(cast), "大概什么时候？")

    assert later.judgement.matter.focus == "父母"
    assert later.conclusion[0].rules == (later.timing.rule.name,)


def test_follow_up_to_a_cry_for_help_stays_with_help():
    cast = replace(cast_at(SEED_TIME), question_type="其他", question="我不想活了")

    assert write_follow_up(derive(cast), "那什么时候会好").withheld


def test_hidden_focus_is_read_under_the_line_that_covers_it():
    # 既济 has no 妻财; 午火 lies under the third line (reference 1).
    reading = write_reading(derive(replace(cast_at(SEED_TIME), question_type="财运")))

    assert reading.judgement.hidden
    assert reading.judgement.focus.position == 3
    assert "伏于三爻兄弟亥水之下" in reading.conclusion[0].text


@given(casts)
@few_examples
def test_no_counsel_relies_on_strong_papers_when_the_verdict_is_bad(cast):
    for question, kind in (("签证能过吗", "文书"), ("这次考试能过吗", "学业")):
        reading = write_reading(derive(replace(cast, question=question, question_type=kind)))

        if reading.judgement.score < 0:
            assert "文书" not in "".join(
                said.text for said in reading.advice if "得力" in said.text
            )


@given(casts)
@few_examples
def test_a_line_without_strength_does_not_come_between_two_people(cast):
    derivation = derive(replace(cast, question="我们会怎样", question_type="感情"))

    answer = write_follow_up(derivation, "我该怎么办").answer

    for line in derivation.situation.lines:
        label = line.base.label
        assert not (f"间爻{label}" in answer and f"{label}虽动而无力" in answer)


@pytest.mark.parametrize(
    ("question", "label", "special"),
    [
        ("今年能遇到对象吗", "感情", SpecialMatter.SEEKING),
        ("什么时候脱单", "感情", SpecialMatter.SEEKING),
        ("Will I meet someone this year?", "感情", SpecialMatter.SEEKING),
        ("我们会遇到问题吗", "感情", None),
        ("老板会给我加薪吗", "事业", SpecialMatter.WAGES),
        ("房东会退押金吗", "财运", SpecialMatter.DEBT),
        ("房东会退押金吗", "其他", SpecialMatter.DEBT),
        ("押金能拿回来吗", "财运", SpecialMatter.DEBT),
        ("Will I get a refund?", "财运", SpecialMatter.DEBT),
        ("顾客会要求退款吗", "财运", None),
        ("我要给他退款吗", "财运", None),
        ("Will the customer ask for a refund?", "财运", None),
        ("Should I refund him?", "财运", None),
        ("老板欠我的工资会给吗", "财运", SpecialMatter.DEBT),
        ("Will I get a raise?", "财运", SpecialMatter.WAGES),
        ("Will my landlord raise the rent?", "财运", None),
        ("Can I raise money for my startup?", "财运", None),
        ("彩票奖金能中吗", "财运", None),
        ("我的正缘什么时候出现", "感情", SpecialMatter.SEEKING),
        ("Will I find a boyfriend this year?", "感情", SpecialMatter.SEEKING),
        ("我现在的男朋友是我的正缘吗", "感情", None),
        ("她是我的正缘吗", "感情", None),
        ("这个人是正缘吗", "感情", None),
        ("我老公在外面有桃花吗", "感情", None),
        ("我对象在外面有桃花吗", "感情", None),
        ("Is Tom my soulmate?", "感情", None),
    ],
)
def test_matters_of_love_and_money_have_words_of_their_own(question, label, special):
    matter = identify_matter(choose_topic(label, question), question)

    assert matter.special is special


@few_examples
@given(casts)
def test_nothing_is_said_of_a_partner_who_is_not_there_yet(cast):
    reading = write_reading(
        derive(replace(cast, question="今年能遇到对象吗", question_type="感情"))
    )

    assert not [one for one in reading.advice if "对方" in one.text or "彼此" in one.text]


@few_examples
@given(casts)
def test_a_void_or_broken_court_takes_no_side(cast):
    derivation = derive(replace(cast, question="和邻居打官司能赢吗", question_type="官司"))
    for one in write_reading(derivation).advice:
        if one.rules[:1] and one.rules[0].startswith("suit_court"):
            court = derivation.situation.lines[one.lines[0] - 1].state
            assert not court.void_kind
            assert court.break_kind not in {"真破", "动破", "有扶"}


MATTERS = (
    "我能升职吗",
    "会被裁员吗",
    "这个月能赚到钱吗",
    "今年运势如何",
    "官司能赢吗",
    "钱包掉哪了",
)


def _read_all(question):
    return [write_reading(derive(replace(cast_of(row), question=question))) for row in CASTINGS]


@pytest.mark.parametrize("question", MATTERS)
def test_a_weak_asker_has_no_upper_hand(question):
    worlds = [reading.conclusion[1].text for reading in _read_all(question)]

    assert not any("自身力弱" in text and "事可把握" in text for text in worlds)


def test_a_weak_litigant_is_not_told_of_the_initiative():
    cast = parse_cast(  # 夬之大壮 in the month of 巳: 世 酉金 is controlled, 应 寅木 is fed
        yao_lines=["少阳", "少阳", "少阳", "少阳", "老阳", "少阴"],
        time_iso="2026-05-13T10:30:00+08:00",
        question="官司能赢吗",
        question_type="官司",
        method="手动起卦",
    )

    texts = "".join(_texts(write_reading(derive(cast))))

    assert "力弱而应爻有力" in texts
    assert "主动在我" not in texts


def test_an_asker_who_moves_against_the_focus_is_told_of_the_harm():
    cast = parse_cast(  # 无妄之益: 子孙午火 holds 世, moves, and controls 官鬼申金
        yao_lines=["少阳", "少阴", "少阴", "老阳", "少阳", "少阳"],
        time_iso="2026-06-19T10:30:00+08:00",
        question="会被裁员吗",
        question_type="事业",
        method="手动起卦",
    )

    text = write_reading(derive(cast)).conclusion[1].text

    assert "世克用神而发动，须防自伤其事" in text


def test_a_lost_thing_that_becomes_an_officer_may_have_been_taken():
    cast = parse_cast(  # 比之观: 妻财子水 becomes 官鬼卯木
        yao_lines=["少阴", "少阴", "少阴", "少阴", "少阳", "老阴"],
        time_iso="2026-02-17T10:30:00+08:00",
        question="钱包掉哪了",
        question_type="失物",
        method="手动起卦",
    )

    assert not any("不像被人拿走" in said.text for said in write_reading(derive(cast)).advice)


def test_a_triad_acts_on_a_hidden_line():
    cast = parse_cast(  # 谦之未济: 巳酉丑 of metal controls the hidden 妻财卯木
        yao_lines=["少阴", "老阴", "老阳", "老阴", "少阴", "老阴"],
        time_iso="2026-12-03T10:30:00+08:00",
        question="房子能卖掉吗",
        question_type="家宅",
        method="手动起卦",
    )

    explained: JsonObject = explain_reading(write_reading(derive(cast)))

    assert "三合局克" in {point["rule"] for point in explained["points"]}


def test_the_keyword_of_a_long_period_is_a_month_that_is_told():
    reading = _ask("今年运势如何")

    month = next(word for word in reading.keywords if word.startswith("应期")).removeprefix("应期")
    assert month.endswith("月")
    assert month in "".join(said.text for said in reading.conclusion)


@pytest.mark.parametrize("question", ["我能升职吗", "会被裁员吗"])
def test_an_asker_who_controls_the_post_does_not_hold_it(question):
    texts = ["".join(_texts(reading)) for reading in _read_all(question)]

    assert not any("事可把握" in text for text in texts)
    assert any("官星受制" in text for text in texts)


def test_no_traveller_is_put_at_ease_against_the_verdict():
    cast = parse_cast(  # 鼎之讼: 子孙未土 moves and controls 世 亥水
        yao_lines=["少阴", "少阳", "老阳", "少阳", "老阴", "少阳"],
        time_iso="2026-11-02T10:30:00+08:00",
        question="周末去杭州玩顺利吗",
        question_type="出行",
        method="手动起卦",
    )

    reading = write_reading(derive(cast))

    assert reading.level is SignLevel.LOWEST
    assert not any("可以放心" in said.text for said in reading.advice)


def test_an_asker_who_moves_does_no_harm_to_the_day():
    cast = parse_cast(  # 既济之睽 on a day of 午, which stands for 妻财
        yao_lines=["少阳", "老阴", "老阳", "老阴", "老阳", "老阴"],
        time_iso="2026-08-24T10:30:00+08:00",
        question="合伙开店能成吗",
        question_type="财运",
        method="手动起卦",
    )

    texts = "".join(_texts(write_reading(derive(cast))))

    assert "以日辰为用" in texts
    assert "自伤其事" not in texts
