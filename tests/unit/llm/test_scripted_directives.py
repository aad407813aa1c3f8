"""Directives in a prompt, and the answers they plan."""

import pytest
from tests.loose_json import JsonObject

from yarrow.llm.scripted_directives import AnswerPlan, read_plan
from yarrow.llm.scripted_reply import build_message, plan_reply, split_deltas


@pytest.mark.parametrize(
    "text, plan",
    [
        ("plain [[link]] text", AnswerPlan()),
        ("[[tokens=200 delay=2.5]]", AnswerPlan(tokens=200, delay_ms=2.5)),
        ("a [[say=some text]] b [[reasoning=hm]]", AnswerPlan(say="some text", reasoning="hm")),
        ('[[say={"a":[[1]]}]]', AnswerPlan(say='{"a":[[1]]}')),
        ('[[tool=f {"a":[[1]]}]][[tool=g]]', AnswerPlan(tools=(("f", '{"a":[[1]]}'), ("g", "{}")))),
        ("[[status=429 retry=3]]", AnswerPlan(status=429, retry_after="3")),
        (
            "[[say=half finish=a]] [[finish=length]]",
            AnswerPlan(say="half finish=a", finish="length"),
        ),
        ('[[say=hi]][[usage={"a":-1}]]', AnswerPlan(say="hi", usage='{"a":-1}')),
        ("[[cut=5]] [[hang]] [[whole]]", AnswerPlan(cut_after=5, hang_after=0, whole=True)),
    ],
)
def test_directives_make_a_plan(text: str, plan: AnswerPlan) -> None:
    assert read_plan(text, default=AnswerPlan()) == plan


def test_number_that_is_none_is_an_error() -> None:
    with pytest.raises(ValueError, match="many"):
        read_plan("[[tokens=many]]", default=AnswerPlan())


def test_without_a_directive_the_question_is_repeated() -> None:
    plan = plan_reply([{"role": "user", "content": "hi"}], default=AnswerPlan())

    assert build_message(plan)["content"] == "You said: hi"


def test_after_a_tool_result_no_tool_is_called_again() -> None:
    asked: list[JsonObject] = [
        {"role": "user", "content": [{"type": "text", "text": "[[tool=f]]"}]},
        {"role": "assistant", "content": None},
        {"role": "tool", "content": "42"},
    ]

    plan = plan_reply(asked, default=AnswerPlan())

    assert plan.tools == ()
    assert build_message(plan)["content"] == "The tool answered: 42"


def test_answer_is_long_enough_to_break_off_where_it_should() -> None:
    plan = plan_reply([{"role": "user", "content": "[[cut=40]]"}], default=AnswerPlan())

    assert len(list(split_deltas(plan))) > 40
