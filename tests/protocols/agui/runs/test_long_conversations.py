"""Conversations of which the model sees only the end. The client is told when that begins."""

from uuid import uuid4

from tests.loose_json import JsonObject
from tests.protocols.agui.runs.test_client_messages import warnings
from tests.protocols.agui.runs.test_stock_posts import answer, stream, user
from tests.protocols.switchable_model import SwitchableModel
from tests.serving import Caller, run_body

from yarrow.agents.assistant.prompt import HISTORY_CHARS, HISTORY_TURNS
from yarrow.llm.scripted import Call, Say

A_THIRD = HISTORY_CHARS // 3


def turns(count: int) -> list[JsonObject]:
    pairs = [(user(f"question {n}"), answer(f"answer {n}")) for n in range(1, count + 1)]
    return [message for pair in pairs for message in pair]


async def test_the_newest_turns_are_sent_and_the_cut_is_told_once(
    caller: Caller, switchable: SwitchableModel
) -> None:
    thread, model = str(uuid4()), switchable.script([Say("one")], [Say("two")], [Say("three")])
    brought = [*turns(HISTORY_TURNS), user("a")]

    told = [
        await stream(caller, run_body(thread=thread, messages=messages))
        for messages in (brought, [user("b")], [user("c")])
    ]

    assert [warnings(frames) for frames in told] == [[], ["HISTORY_CUT"], []]
    seen = [[m.text for m in request.messages[1:]] for request in model.requests]
    assert [(sent[0], sent[-1]) for sent in seen] == [
        ("question 1", "a"),
        ("question 2", "b"),
        ("question 3", "c"),
    ]
    assert {len(sent) for sent in seen} == {2 * HISTORY_TURNS + 1}


async def test_a_conversation_of_many_characters_is_cut_too(
    caller: Caller, switchable: SwitchableModel
) -> None:
    thread, replies = str(uuid4()), [f"{n}".ljust(A_THIRD - 1, "x") for n in range(4)]
    model = switchable.script(*[[Say(reply)] for reply in replies], [Say("fine")])

    told = [
        await stream(caller, run_body(thread=thread, messages=[user(text)])) for text in "?????"
    ]

    assert [warnings(frames) for frames in told] == [[], [], [], [], ["HISTORY_CUT"]]
    assert [m.text[0] for m in model.requests[-1].messages[1:]] == list("?1?2?3?")


async def test_a_brought_conversation_that_is_cut_is_told(
    caller: Caller, switchable: SwitchableModel
) -> None:
    model = switchable.script([Say("fine")])

    frames = await stream(caller, run_body(messages=[*turns(HISTORY_TURNS + 1), user("so?")]))

    assert warnings(frames) == ["HISTORY_CUT"]
    assert model.requests[0].messages[1].text == "question 2"


async def test_what_was_told_with_an_answer_is_in_the_history(
    caller: Caller, switchable: SwitchableModel
) -> None:
    thread, _ = str(uuid4()), switchable.script([Say("one")], [Say("two")])
    brought = [*turns(HISTORY_TURNS + 1), user("a")]
    frames = await stream(caller, run_body(thread=thread, messages=brought))
    [told] = [f.data["value"] for f in frames if f.data.get("name") == "WARNING"]
    await stream(caller, run_body(thread=thread, messages=[user("b")]))

    _, history = await caller.get("/api/v1/agent/history", threadId=thread)

    answers = [each.get("warnings") for each in history["messages"] if each["role"] == "assistant"]
    assert answers == [None] * (HISTORY_TURNS + 1) + [[told], None]


async def test_short_ids_of_calls_are_replaced_where_the_beginning_is_not_read(
    caller: Caller, switchable: SwitchableModel
) -> None:
    """The first turn, which is not read, may have a call of this id."""
    called = [Call("current_time", id="call_0")], [Say("Noon.")]
    switchable.script(*called, *called)

    ids = []
    for count in (HISTORY_TURNS, HISTORY_TURNS + 1):
        frames = await stream(caller, run_body(messages=[*turns(count), user("time?")]))
        ids += [f.data["toolCallId"] for f in frames if f.data["type"] == "TOOL_CALL_START"]

    assert ids[0] == "call_0"
    assert ids[1] != "call_0"
