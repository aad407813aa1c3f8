"""Prompts are cut to what the offline model holds."""

from hypothesis import given
from hypothesis import strategies as st

from yarrow.llm.model import ChatMessage, ChatRequest, ChatRole, ImagePart, ToolCall, ToolSpec
from yarrow.llm.offline_fit import ANSWER_TOKENS, PROMPT_TOKENS, bound_tokens, fit_request

SYSTEM = ChatMessage(ChatRole.SYSTEM, "Be kind.")
QUESTION = ChatMessage(ChatRole.USER, "Why is the sky blue?")


def test_short_prompt_is_left_as_it_is() -> None:
    old = ChatMessage(ChatRole.ASSISTANT, "Hello.")

    assert fit_request(ChatRequest((SYSTEM, old, QUESTION))).messages == (SYSTEM, old, QUESTION)


def test_oldest_messages_go_first_and_system_and_question_stay() -> None:
    history = [ChatMessage(ChatRole.USER, f"{n} " + "word " * 90) for n in range(10)]

    kept = fit_request(ChatRequest((SYSTEM, *history, QUESTION))).messages

    assert kept == (SYSTEM, history[-2], history[-1], QUESTION)


def test_question_that_is_too_long_keeps_both_ends() -> None:
    question = ChatMessage(ChatRole.USER, "first " + "9" * 9000 + " last")

    (kept,) = fit_request(ChatRequest((question,))).messages

    assert kept.text.startswith("first ")
    assert kept.text.endswith(" last")


@given(st.lists(st.tuples(st.sampled_from(ChatRole), st.text(max_size=3000)), max_size=6))
def test_prompt_never_exceeds_its_budget(messages: list[tuple[ChatRole, str]]) -> None:
    request = ChatRequest(tuple(ChatMessage(role, text) for role, text in messages))

    fitted = fit_request(request).messages

    assert sum(bound_tokens(message.text) for message in fitted) <= PROMPT_TOKENS


def test_picture_without_words_is_still_a_question() -> None:
    asked = ChatMessage(ChatRole.USER, "", images=(ImagePart("data:,"),))

    fitted = fit_request(ChatRequest((asked,)))

    assert [message.text for message in fitted.messages] == ["[a picture]"]


def test_tools_and_pictures_are_left_out() -> None:
    called = ChatMessage(ChatRole.ASSISTANT, "", tool_calls=(ToolCall("a", "f", "{}"),))
    result = ChatMessage(ChatRole.TOOL, "5", tool_call_id="a")
    asked = ChatMessage(ChatRole.USER, "add", images=(ImagePart("data:,"),))

    fitted = fit_request(ChatRequest((asked, called, result), tools=(ToolSpec("f", "", {}),)))

    assert fitted.tools == ()
    assert [message.text for message in fitted.messages] == ["add", "Result: 5"]
    assert all(not message.images for message in fitted.messages)


def test_answer_length_is_capped() -> None:
    long = fit_request(ChatRequest((), sampler={"max_completion_tokens": 9999}))
    short = fit_request(ChatRequest((), sampler={"max_tokens": 7}))

    assert long.sampler["max_tokens"] == ANSWER_TOKENS
    assert short.sampler["max_tokens"] == 7
