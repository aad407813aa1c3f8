"""Directives in a prompt, and the answers they plan."""

import pytest
from tests.loose_json import JsonObject

from yarrow.llm.scripted_directives import Plan, read_plan
from yarrow.llm.scripted_reply import deltas, message, plan_reply


@pytest.mark.parametrize(
    "text, plan",
    [
        ("plain [[link]] text", Plan()),
        ("[[tokens=200 delay=2.5]]", Plan(tokens=200, delay_ms=2.5)),
        ("a [[say=some text]] b [[reasoning=hm]]", Plan(say="some text", reasoning="hm")),
        ('[[say={"a":[[1]]}]]', Plan(say='{"a":[[1]]}')),
        ('[[tool=f {"a":[[1]]}]][[tool=g]]', Plan(tools=(("f", '{"a":[[1]]}'), ("g", "{}")))),
        ("[[status=429 retry=3]]", Plan(status=429, retry_after="3")),
        ("[[say=half finish=a]] [[finish=length]]", Plan(say="half finish=a", finish="length")),
        ('[[say=hi]][[usage={"a":-1}]]', Plan(say="hi", usage='{"a":-1}')),
        ("[[cut=5]] [[hang]] [[whole]]", Plan(cut_after=5, hang_after=0, whole=True)),
    ],
)
def test_directives_make_a_plan(text: str, plan: Plan) -> None:
    assert read_plan(text, default=Plan()) == plan


def test_number_that_is_none_is_an_error() -> None:
    with pytest.raises(ValueError, match="many"):
        read_plan("[[tokens=many]]", default=Plan())


def test_without_a_directive_the_question_is_repeated() -> None:
    plan = plan_reply([{"role": "user", "content": "hi"}], default=Plan())

    assert message(plan)["content"] == "You said: hi"


def test_after_a_tool_result_no_tool_is_called_again() -> None:
    asked: list[JsonObject] = [
        {"role": "user", "content": [{"type": "text", "text": "[[tool=f]]"}]},
        {"role": "assistant", "content": None},
        {"role": "tool", "content": "42"},
    ]

    plan = plan_reply(asked, default=Plan())

    assert plan.tools == ()
    assert message(plan)["content"] == "The tool answered: 42"


def test_answer_is_long_enough_to_break_off_where_it_should() -> None:
    plan = plan_reply([{"role": "user", "content": "[[cut=40]]"}], default=Plan())

    assert len(list(deltas(plan))) > 40
