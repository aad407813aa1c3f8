"""Regenerate and edit of stock clients: a message id that is posted again replaces its turn."""

from uuid import uuid4

import pytest
from msgspec import Struct
from tests.loose_json import JsonObject
from tests.protocols.agui.runs.test_stock_posts import posted, stream
from tests.protocols.switchable_model import SwitchableModel
from tests.serving import Caller, Frame, run_body

from yarrow.llm.errors import ModelFailed
from yarrow.llm.scripted import Fail, Hold, Say, ScriptedModel


class Chat(Struct):
    """A client with a conversation of its own; each post sends all of it."""

    caller: Caller
    switchable: SwitchableModel
    thread: str
    messages: list[JsonObject]
    model: ScriptedModel

    async def ask(self, id_: str, text: str, answer: str) -> list[Frame]:
        """Post the conversation and a question; keep the answer with its id in the stream."""
        self.messages.append({"id": id_, "role": "user", "content": text})
        self.model = self.switchable.script([Say(answer)])
        frames = await stream(self.caller, run_body(thread=self.thread, messages=self.messages))
        start = next(f.data for f in frames if f.type == "TEXT_MESSAGE_START")
        self.messages.append({"id": start["messageId"], "role": "assistant", "content": answer})
        return frames

    async def history(self) -> list[str]:
        _, kept = await self.caller.get("/api/v1/agent/history", threadId=self.thread)
        return [message["content"] for message in kept["messages"]]

    @property
    def prompt(self) -> list[str]:
        """The conversation that the model was sent last."""
        return [message.text for message in self.model.requests[0].messages[1:]]


@pytest.fixture
def chat(caller: Caller, switchable: SwitchableModel) -> Chat:
    return Chat(caller, switchable, str(uuid4()), [], ScriptedModel())


async def test_regenerating_the_last_turn_replaces_it(chat: Chat) -> None:
    await chat.ask("u1", "one", "first")
    await chat.ask("u2", "two", "second")
    del chat.messages[2:]

    frames = await chat.ask("u2", "two", "better")

    assert await chat.history() == ["one", "first", "two", "better"]
    assert chat.prompt == ["one", "first", "two"]
    assert "WARNING" not in {frame.data.get("name") for frame in frames}
    assert (await chat.caller.points())["balance"] == 40


async def test_edited_message_replaces_its_turn_and_all_later_ones(chat: Chat) -> None:
    await chat.ask("u1", "one", "first")
    await chat.ask("u2", "two", "second")
    await chat.ask("u3", "three", "third")
    chat.messages.clear()

    await chat.ask("u1", "uno", "primo")
    await chat.ask("u4", "due", "secondo")

    assert await chat.history() == ["uno", "primo", "due", "secondo"]
    assert chat.prompt == ["uno", "primo", "due"]


async def test_failed_regenerate_changes_nothing(chat: Chat) -> None:
    await chat.ask("u1", "one", "first")
    chat.switchable.script([Say("no"), Fail(ModelFailed(500))])
    edited = chat.messages[0] | {"content": "uno"}

    frames = await stream(chat.caller, run_body(thread=chat.thread, messages=[edited]))

    assert frames[-1].type == "RUN_ERROR"
    assert await chat.history() == ["one", "first"]


async def test_turn_is_replaced_after_a_failed_attempt(chat: Chat) -> None:
    await chat.ask("u1", "one", "first")
    chat.switchable.script([Say("no"), Fail(ModelFailed(500))])
    await stream(chat.caller, run_body(thread=chat.thread, messages=chat.messages[:1]))
    chat.messages.clear()

    await chat.ask("u1", "one", "again")

    assert await chat.history() == ["one", "again"]


async def test_question_of_a_failed_run_is_shown_once_when_it_is_sent_again(chat: Chat) -> None:
    chat.switchable.script([Say("no"), Fail(ModelFailed(500))])
    question = {"id": "u1", "role": "user", "content": "one"}
    await stream(chat.caller, run_body(thread=chat.thread, messages=[question]))
    assert await chat.history() == ["one"]

    await chat.ask("u1", "one", "first")

    assert await chat.history() == ["one", "first"]


async def test_message_can_be_replaced_by_its_id_of_the_history(chat: Chat) -> None:
    await chat.ask("u1", "one", "first")
    _, kept = await chat.caller.get("/api/v1/agent/history", threadId=chat.thread)
    chat.messages.clear()

    await chat.ask(kept["messages"][0]["id"], "uno", "primo")

    assert await chat.history() == ["uno", "primo"]


async def test_json_posts_never_replace_a_turn(chat: Chat) -> None:
    for text in ("one", "two"):
        body = run_body(text, thread=chat.thread)
        body["messages"][0]["id"] = "msg-001"
        await chat.caller.submit(body)
        await chat.caller.events(chat.thread, body["runId"])

    assert [text for text in await chat.history() if text in ("one", "two")] == ["one", "two"]


async def test_id_of_another_thread_replaces_nothing(chat: Chat) -> None:
    await chat.ask("u1", "one", "first")
    other = Chat(chat.caller, chat.switchable, str(uuid4()), [], chat.model)

    await other.ask("u1", "uno", "primo")

    assert await chat.history() == ["one", "first"]


async def test_resumed_stream_of_a_replacement_shows_it_instead_of_the_old_turn(
    chat: Chat,
) -> None:
    await chat.ask("u1", "one", "first")
    await chat.ask("u2", "two", "second")
    hold = Hold()
    chat.switchable.script([Say("bet"), hold, Say("ter")])
    edited = [*chat.messages[:2], chat.messages[2] | {"content": "deux"}]
    body = run_body(thread=chat.thread, messages=edited)
    async with posted(chat.caller, body) as response:
        await response.content.readuntil(b'"delta":"bet"')

    hold.release.set()
    frames = await chat.caller.events(chat.thread, body["runId"], profile="agui", after=1)

    snapshot = next(frame.data for frame in frames if frame.type == "MESSAGES_SNAPSHOT")
    assert [m["content"] for m in snapshot["messages"]][:3] == ["one", "first", "deux"]
    assert frames[-1].data["result"]["answer"] == "better"


@pytest.mark.parametrize("role", ["user", "assistant", "system", "tool", "activity"])
async def test_empty_message_id_is_refused(caller: Caller, role: str) -> None:
    question = {"id": "u1", "role": "user", "content": "one"}
    empty = {"id": "", "role": role, "content": "x", "toolCallId": "c"}

    async with posted(caller, run_body(messages=[empty, question])) as response:
        problem = await response.json(content_type="application/problem+json")

    assert (response.status, problem["params"]["field"]) == (422, "messages.0.id")
