"""Questions as users ask them, with the topic and the 用神 that the rules of the books call for.

The labels were written before the code answered. `topics that the rules allow` may be several:
a question about the tickets of a concert is one about papers or a general one.
"""

from datetime import date
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.unit.liuyao.oracle import cast_at

from yarrow.language.chinese_script import list_spellings
from yarrow.language.languages import Language
from yarrow.liuyao import derive, write_reading
from yarrow.liuyao.reading.asker import identify_asker
from yarrow.liuyao.reading.period import find_period
from yarrow.liuyao.reading.plan import may_judge
from yarrow.liuyao.reading.sensitive_questions import assess_sensitivity
from yarrow.liuyao.reading.topics import Topic, choose_topic, names_topic
from yarrow.liuyao.reading.yong_shen import identify_matter

_DATA = Path(__file__).parents[2] / "data" / "liuyao"


def _read(name):
    rows = (_DATA / name).read_text().splitlines()
    return [tuple(row.split("\t")) for row in rows if not row.startswith("#")]


QUESTIONS = _read("questions.tsv")


def _identify(question):
    return identify_matter(choose_topic("其他", question), question, identify_asker(question))


def _ask(question, *, label="其他", language=Language.HANS):
    cast = replace(cast_at("2026-04-03T20:30:00+08:00"), question=question, question_type=label)
    return write_reading(derive(cast), language=language)


@pytest.mark.parametrize(("question", "topics", "focuses"), QUESTIONS)
def test_a_question_is_read_for_its_topic_and_focus(question, topics, focuses):
    matter = _identify(question)

    assert matter.topic.value in topics.split("|")
    assert matter.focus in focuses.split("|")


def test_both_scripts_name_the_same_matter():
    changed = [
        question
        for question, *_ in QUESTIONS
        if (other := _identify(list_spellings(question)[-1])).topic is not _identify(question).topic
        or other.focus != _identify(question).focus
    ]

    assert changed == []


@pytest.mark.parametrize(("kind", "question"), _read("sensitive_questions.tsv"))
def test_life_death_harm_and_despair_get_no_verdict(kind, question):
    sensitivity = assess_sensitivity(_identify(question), question)

    assert ("OK" if may_judge(sensitivity) else sensitivity.name) == kind


@pytest.mark.parametrize(("question", "first", "last"), _read("periods.tsv"))
def test_a_period_is_the_days_that_the_question_names(question, first, last):
    period = find_period(question, date(2026, 4, 3))

    days = (str(period.start), str(period.end)) if period else ("-", "-")
    assert days == (first, last)


@pytest.mark.parametrize(
    ("question", "language", "words"),
    [
        ("要不要报名", Language.HANS, "这里按一般之事来断"),
        ("要不要報名", Language.HANT, "這裡按一般之事來斷"),
        ("老板今天怎么回事", Language.HANS, "这里按工作来断"),
        ("Should I sign up?", Language.ENGLISH, "so it is read as a general one"),
        ("Is he telling me the truth?", Language.ENGLISH, "a bond of two"),
    ],
)
def test_a_topic_that_nothing_names_is_said_to_be_assumed(question, language, words):
    reading = _ask(question, language=language)

    assert words in reading.conclusion[0].text
    assert words in reading.answer


@pytest.mark.parametrize(
    ("question", "label"),
    [("我能升职吗", "其他"), ("要不要报名", "事业"), ("最近运气如何", "其他")],
)
def test_a_topic_that_label_or_question_names_is_not_assumed(question, label):
    assert names_topic(label, question)
    assert "这里按" not in _ask(question, label=label).answer


@pytest.mark.parametrize(
    ("question", "focus"),
    [("女儿今年能结婚吗", "官鬼"), ("儿子今年能结婚吗", "妻财"), ("妹妹能嫁出去吗", "官鬼")],
)
def test_the_partner_of_a_child_is_of_the_other_sex(question, focus):
    matter = _identify(question)

    assert (matter.topic, matter.focus, matter.own) == (Topic.LOVE, focus, False)
