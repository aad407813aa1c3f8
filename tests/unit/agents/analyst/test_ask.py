"""Asking a model: reasoning apart from words, tries that are counted."""

import asyncio

import pytest

from yarrow.agents.analyst.ask import Heard, ask, speak
from yarrow.agents.analyst.thinking import ThinkingFilter, without_thinking
from yarrow.llm.errors import ModelDenied, ModelRateLimited, ModelUnreachable
from yarrow.llm.model import ChatMessage, ChatRequest, ChatRole, ToolCall
from yarrow.llm.scripted import Call, Fail, Hold, Say, ScriptedModel, Spend, Think
from yarrow.runs.events import Progressed, UsageReported

REQUEST = ChatRequest((ChatMessage(ChatRole.USER, "?"),))
AT_ONCE = ModelRateLimited(0.0)


async def test_an_answer_is_heard_whole() -> None:
    model = ScriptedModel([Think("hm"), Say("Hello "), Say("there"), Call("t", {"a": 1})])
    heard = Heard()

    events = [event async for event in ask(model, REQUEST, heard)]

    assert (heard.text, heard.reasoning) == ("Hello there", "hm")
    assert heard.calls == [ToolCall("call_0", "t", '{"a":1}')]
    assert heard.as_message().reasoning == "hm"
    assert [type(event) for event in events] == [UsageReported]


async def test_a_second_try_says_so_and_costs_once() -> None:
    model = ScriptedModel([Say("half"), Fail(AT_ONCE)], [Say("whole"), Spend(7, 9)])
    heard = Heard()

    events = [event async for event in ask(model, REQUEST, heard)]

    assert heard.text == "whole"
    assert events == [Progressed("retrying_model"), UsageReported("scripted", 7, 9)]


async def test_a_third_failure_is_the_last() -> None:
    model = ScriptedModel(*[[Fail(AT_ONCE)]] * 5)

    with pytest.raises(ModelRateLimited):
        [event async for event in ask(model, REQUEST, Heard())]

    assert len(model.requests) == 3


async def test_a_refusal_is_not_tried_again() -> None:
    model = ScriptedModel([Fail(ModelDenied(401))])

    with pytest.raises(ModelDenied):
        [event async for event in ask(model, REQUEST, Heard())]

    assert len(model.requests) == 1


async def test_words_pass_as_they_come() -> None:
    hold = Hold()
    model = ScriptedModel([Say("first "), hold, Say("second")])
    speaking = speak(model, REQUEST, Heard())

    assert await anext(speaking) == "first "
    await speaking.aclose()

    assert (model.active, model.cancelled) == (0, 1)


async def test_what_was_passed_on_is_not_said_twice() -> None:
    model = ScriptedModel([Say("half"), Fail(ModelUnreachable())], [Say("whole")])

    with pytest.raises(ModelUnreachable):
        [piece async for piece in speak(model, REQUEST, Heard())]

    assert len(model.requests) == 1


async def test_cancelling_closes_the_model() -> None:
    hold = Hold()
    model = ScriptedModel([hold])

    async def listen() -> None:
        async for _ in ask(model, REQUEST, Heard()):
            pass

    listening = asyncio.create_task(listen())
    await hold.reached.wait()
    listening.cancel()
    await asyncio.gather(listening, return_exceptions=True)

    assert model.active == 0


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("<think>a {b}</think>\n{}", "{}"),
        (" <thinking>a\nb</thinking>c", "c"),
        ("a <think>b</think>", "a <think>b</think>"),
        ("a <think>b</think> c", "a <think>b</think> c"),
        ('{"action": "dance"}\n</think>\n{}', "{}"),
        ("all there is</think>", "all there is</think>"),
        ("<think>never closed", "<think>never closed"),
        ("", ""),
    ],
)
def test_reasoning_in_tags_is_taken_off(text: str, left: str) -> None:
    assert without_thinking(text) == left


@pytest.mark.parametrize("size", [1, 2, 5, 100])
@pytest.mark.parametrize(
    ("text", "passed_on"),
    [
        ("<think>secret</think>\n\n# Title", "# Title"),
        (" <thinking>a </think b</thinking>c", "c"),
        ("<thin line>", "<thin line>"),
        ("<b>bold</b>", "<b>bold</b>"),
        ("a <think>b</think>", "a <think>b</think>"),
        ("<think>never closed", ""),
        ("<thi", "<thi"),
        ("  two  spaces ", "  two  spaces "),
        ("", ""),
    ],
)
async def test_words_pass_without_the_reasoning_before_them(
    size: int, text: str, passed_on: str
) -> None:
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    model = ScriptedModel([Say(piece) for piece in pieces])

    told = [piece async for piece in speak(model, REQUEST, Heard())]

    assert "".join(piece for piece in told if isinstance(piece, str)) == passed_on


def test_words_that_begin_no_tag_are_not_held_back() -> None:
    answer = ThinkingFilter()

    assert [answer.feed(piece) for piece in ("<th", "e>", " end")] == ["", "<the>", " end"]
