"""The small model's answer: whole sentences, no loops, a limit of tokens and of time."""

import pytest

from yarrow.llm.model import ChatMessage, ChatRequest, ChatRole, TextChunk, UsageChunk
from yarrow.llm.rule_based.short_answer import (
    MAX_TOKENS,
    SentenceBuffer,
    stream_short_answer,
)
from yarrow.llm.scripted import Hold, Say, ScriptedModel, Turn

QUESTION = ChatMessage(ChatRole.USER, "How are you?")


async def talk(model: ScriptedModel, *messages: ChatMessage, time_limit_s: float = 5.0) -> str:
    request = ChatRequest((*messages, QUESTION))
    stream = stream_short_answer(model, request, otherwise="No model.", time_limit_s=time_limit_s)
    chunks = [chunk async for chunk in stream]
    return "".join(chunk.text for chunk in chunks if isinstance(chunk, TextChunk))


@pytest.mark.parametrize(
    "script, answer",
    [
        ("I am fine. And you?", "I am fine. And you?"),
        ("One. Two. Three. Four.", "One. Two."),
        ("I am fine. I am fine. I am fine.", "I am fine."),
        ("I am fine and then it was", "No model."),
        ("I am fine. And then it was", "I am fine."),
        ("a big party to celebrate, " * 9, "No model."),
        ("He said “hi.” Then he left.\n\nMore", "He said “hi.” Then he left."),
    ],
)
async def test_an_answer_is_whole_sentences_without_loops(script: str, answer: str) -> None:
    assert await talk(ScriptedModel([Say(script)])) == answer


async def test_the_answer_is_greedy_and_limited() -> None:
    model = ScriptedModel([Say("Fine.")])
    system = ChatMessage(ChatRole.SYSTEM, "You are a captain.")

    await talk(model, system)

    (request,) = model.requests
    assert request.messages == (system, QUESTION)
    assert request.sampler["temperature"] == 0
    assert request.sampler["max_tokens"] == MAX_TOKENS == 120


@pytest.mark.parametrize("script, author", [("I am fine.", "scripted"), ("I am fine and", "")])
async def test_the_sentence_instead_of_an_answer_is_not_the_small_models(
    script: str, author: str
) -> None:
    request = ChatRequest((QUESTION,))
    stream = stream_short_answer(ScriptedModel([Say(script)]), request, otherwise="No model.")

    (usage,) = [chunk async for chunk in stream if isinstance(chunk, UsageChunk)]

    assert usage.model == author


@pytest.mark.parametrize(
    "turn, answer",
    [([Hold()], "No model."), ([Say("I am fine. And "), Hold()], "I am fine.")],
)
async def test_a_slow_answer_ends_at_the_time_limit(turn: Turn, answer: str) -> None:
    assert await talk(ScriptedModel(turn), time_limit_s=0.05) == answer


def test_sentences_come_as_soon_as_they_are_complete() -> None:
    buffer = SentenceBuffer()

    pieces = [list(buffer.feed(text)) for text in ("I am ", "fine. ", "And you? ")]

    assert pieces == [[], ["I am fine."], [" And you?"]]
