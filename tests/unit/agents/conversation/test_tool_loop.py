"""Rounds of tools: asked, answered, asked again, until there is an answer or no round left."""

from collections.abc import AsyncIterator
from uuid import uuid4

from tests.loose_json import JsonObject

from yarrow.agents.conversation.conversation import Conversation, ToolLoop, ToolRound, UseTools
from yarrow.agents.conversation.reply import ReplyEvents
from yarrow.journal.events import Progressed, RunEvent
from yarrow.llm.model import ChatMessage, ChatRole, ToolSpec
from yarrow.llm.scripted import Call, Say, ScriptedModel, Think, Turn

TOOL = ToolSpec("t", "", {})


async def answer_all(tool_round: ToolRound) -> AsyncIterator[RunEvent]:
    for parsed in tool_round.calls:
        yield Progressed(parsed.call.id)
        tool_round.answer(parsed.call, f"result of {parsed.call.id}")


class Played:
    """A loop that has run."""

    def __init__(self, *script: Turn, use_tools: UseTools = answer_all, rounds: int = 5) -> None:
        self.model = ScriptedModel(*script)
        self.messages = [ChatMessage(ChatRole.USER, "?")]
        self.loop = ToolLoop(
            Conversation(self.model, uuid4, deadline_s=60),
            self.messages,
            use_tools,
            tools=(TOOL,),
            max_rounds=rounds,
            events=ReplyEvents.NONE,
        )

    async def run(self) -> list[RunEvent]:
        return [event async for event in self.loop.run()]


async def test_calls_and_results_are_in_the_next_prompt() -> None:
    played = Played([Think("hm"), Say("a look"), Call("t", id="1"), Call("t", id="2")], [Say("x")])

    events = await played.run()

    assert [event.label for event in events if isinstance(event, Progressed)] == ["1", "2"]
    called, *results = played.model.requests[1].messages[1:]
    assert (called.text, called.reasoning) == ("a look", "hm")
    assert [call.id for call in called.tool_calls] == ["1", "2"]
    assert [r.text for r in results] == ["result of 1", "result of 2"]
    assert not played.loop.is_exhausted


async def test_the_rounds_are_counted() -> None:
    played = Played(*[[Call("t")]] * 5, rounds=2)

    await played.run()

    assert (len(played.model.requests), played.loop.is_exhausted) == (2, True)


async def test_one_more_reply_without_tools_may_be_allowed() -> None:
    played = Played([Call("t")], [Say("done")], rounds=1)
    await played.run()

    played.loop.allow_answer()
    await played.run()

    assert [len(request.tools) for request in played.model.requests] == [1, 0]


async def test_a_call_that_is_left_open_ends_the_loop() -> None:
    async def answer_none(tool_round: ToolRound) -> AsyncIterator[RunEvent]:
        yield Progressed(tool_round.reply.message_id)

    played = Played([Call("t")], [Say("never")], use_tools=answer_none)

    await played.run()

    assert len(played.model.requests) == 1
    assert len(played.messages) == 1
    assert not played.loop.is_exhausted


async def test_an_agent_may_end_the_loop_and_go_on_later() -> None:
    async def stop(tool_round: ToolRound) -> AsyncIterator[RunEvent]:
        async for event in answer_all(tool_round):
            yield event
        tool_round.is_last = True

    played = Played([Call("t")], [Say("later")], use_tools=stop)
    await played.run()
    assert len(played.model.requests) == 1

    await played.run()

    assert len(played.model.requests[1].messages) == 3


async def test_arguments_are_read_leniently_and_repeated_as_json() -> None:
    seen: list[JsonObject | None] = []

    async def note(tool_round: ToolRound) -> AsyncIterator[RunEvent]:
        seen.extend(parsed.arguments for parsed in tool_round.calls)
        async for event in answer_all(tool_round):
            yield event

    calls = [Call("t", text) for text in ('{"a": 1,}', "no object", "")]
    played = Played(calls, [Say("done")], use_tools=note)

    await played.run()

    assert seen == [{"a": 1}, None, {}]
    repeated = played.model.requests[1].messages[1].tool_calls
    assert [call.arguments for call in repeated] == ['{"a":1}', "{}", "{}"]
