"""The scripted model keeps to its script."""

import asyncio
from contextlib import aclosing

import pytest

from yarrow.llm.errors import ModelTimeout
from yarrow.llm.model import (
    ChatMessage,
    ChatRequest,
    ChatRole,
    Chunk,
    FinishChunk,
    FinishReason,
    ReasoningChunk,
    TextChunk,
    ToolCallChunk,
    UsageChunk,
)
from yarrow.llm.scripted import Call, Fail, Hold, Say, ScriptedModel, Spend, Stop, Think

HELLO = ChatRequest((ChatMessage(ChatRole.USER, "hello there"),))


async def ask(model: ScriptedModel, request: ChatRequest = HELLO) -> list[Chunk]:
    return [chunk async for chunk in model.stream(request)]


async def test_without_a_script_it_echoes_and_keeps_the_request() -> None:
    model = ScriptedModel()

    chunks = await ask(model)

    assert "".join(c.text for c in chunks if isinstance(c, TextChunk)) == "You said: hello there"
    assert model.requests == [HELLO]


async def test_a_turn_plays_its_steps_in_order() -> None:
    model = ScriptedModel([Think("hm"), Say("one two"), Call("f", {"a": 1}), Spend(7, 8)])

    assert await ask(model) == [
        ReasoningChunk("hm"),
        TextChunk("one "),
        TextChunk("two"),
        ToolCallChunk(0, "call_0", "f", '{"a'),
        ToolCallChunk(0, "", "", '":1}'),
        UsageChunk(7, 8),
        FinishChunk(FinishReason.TOOL_CALLS),
    ]


async def test_turns_follow_each_other_and_then_the_echo() -> None:
    model = ScriptedModel([Say("a")], [Say("b"), Stop(FinishReason.LENGTH)])

    first, second, third = [await ask(model) for _ in range(3)]

    assert (first[0], second[0], third[0]) == (TextChunk("a"), TextChunk("b"), TextChunk("You "))
    assert second[-1] == FinishChunk(FinishReason.LENGTH)


async def test_failure_comes_after_what_was_said() -> None:
    model = ScriptedModel([Say("a "), Fail(ModelTimeout(5))])
    chunks = model.stream(HELLO)

    assert await anext(chunks) == TextChunk("a ")
    with pytest.raises(ModelTimeout):
        await anext(chunks)
    assert model.cancelled == 0


async def test_hold_stops_in_the_middle_until_released() -> None:
    hold = Hold()
    model = ScriptedModel([Say("a"), hold, Say("b")])

    async with asyncio.TaskGroup() as group:
        asking = group.create_task(ask(model))
        await hold.reached.wait()
        assert (model.active, asking.done()) == (1, False)
        hold.release.set()

    assert asking.result()[:2] == [TextChunk("a"), TextChunk("b")]
    assert (model.active, model.cancelled) == (0, 0)


async def test_cancel_while_held_is_counted() -> None:
    hold = Hold()
    model = ScriptedModel([hold])
    asking = asyncio.ensure_future(ask(model))
    await hold.reached.wait()

    asking.cancel()
    await asyncio.wait([asking])

    assert (model.active, model.cancelled) == (0, 1)


async def test_closing_early_is_counted() -> None:
    model = ScriptedModel([Say("a b c")])

    async with aclosing(model.stream(HELLO)) as chunks:
        await anext(chunks)

    assert (model.active, model.cancelled) == (0, 1)
