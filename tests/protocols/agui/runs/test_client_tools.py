"""A tool of the client: the run that brings its result belongs to the turn and costs nothing."""

from uuid import uuid4

import pytest
from tests.loose_json import JsonObject
from tests.protocols.agui.runs.test_stock_posts import WEATHER, posted, stream
from tests.protocols.switchable_model import SwitchableModel
from tests.serving import Caller, Frame, Served, run_body

from yarrow.llm.errors import ModelFailed, ModelRefused
from yarrow.llm.scripted import Call, Fail, Say
from yarrow.runs.acceptance_rules import MAX_CONTINUATIONS

QUESTION = {"id": "u1", "role": "user", "content": "weather?"}


def result(call_id: str = "c1") -> JsonObject:
    return {"id": f"t-{call_id}", "role": "tool", "toolCallId": call_id, "content": "21 C"}


def called(frames: list[Frame], call_id: str = "c1") -> JsonObject:
    """The assistant message that a client makes of the call."""
    start = next(f.data for f in frames if f.type == "TOOL_CALL_START")
    function = {"name": "get_weather", "arguments": "{}"}
    call = {"id": call_id, "type": "function", "function": function}
    return {"id": start["parentMessageId"], "role": "assistant", "toolCalls": [call]}


async def ask(caller: Caller, switchable: SwitchableModel, thread: str) -> list[JsonObject]:
    """A question whose answer is a call of the client's tool; gives the conversation."""
    switchable.script([Call("get_weather", id="c1")])
    body = run_body(thread=thread, messages=[QUESTION], tools=[WEATHER])
    return [QUESTION, called(await stream(caller, body))]


async def send(caller: Caller, thread: str, messages: list[JsonObject]) -> list[Frame]:
    return await stream(caller, run_body(thread=thread, messages=messages, tools=[WEATHER]))


async def count_turns(served: Served, thread: str) -> list[tuple[str, bool]]:
    async with served.product.database.connection() as tx:
        rows = await tx.fetch("SELECT status, live FROM turns WHERE session_id = $1", thread)
    return [(row["status"], row["live"]) for row in rows]


async def test_result_belongs_to_the_turn_and_costs_nothing(
    caller: Caller, switchable: SwitchableModel, served: Served
) -> None:
    thread = str(uuid4())
    conversation = await ask(caller, switchable, thread)
    model = switchable.script([Say("Warm.")])

    frames = await send(caller, thread, [*conversation, result()])

    assert frames[-1].data["result"]["answer"] == "Warm."
    assert [m.text for m in model.requests[0].messages[1:]] == ["weather?", "", "21 C"]
    assert (await caller.points())["balance"] == 80
    assert await count_turns(served, thread) == [("answered", True)]


async def ask_both(caller: Caller, switchable: SwitchableModel, thread: str) -> list[JsonObject]:
    """As `ask`, but the answer calls our tool too, whose result the client has at its end."""
    sum_call = Call("calculate", {"expression": "1+1"}, id="ours")
    switchable.script([Say("A moment."), Call("get_weather", id="c1"), sum_call])
    frames = await stream(caller, run_body(thread=thread, messages=[QUESTION], tools=[WEATHER]))
    (returned,) = [f.data for f in frames if f.type == "TOOL_CALL_RESULT"]
    ours = {"id": "ours", "function": {"name": "calculate", "arguments": "{}"}}
    answer = called(frames)
    answer["toolCalls"].append(ours)
    echo = {"id": returned["messageId"], "role": "tool", "toolCallId": "ours", "content": "2"}
    return [QUESTION, answer, echo]


async def test_result_of_a_reply_that_called_our_tool_too_belongs_to_the_turn(
    caller: Caller, switchable: SwitchableModel
) -> None:
    """The client sends what our tool returned again: it is part of its conversation."""
    thread = str(uuid4())
    conversation = await ask_both(caller, switchable, thread)
    model = switchable.script([Say("Warm.")])

    frames = await send(caller, thread, [*conversation, result()])

    _, history = await caller.get("/api/v1/agent/history", threadId=thread)
    asked = model.requests[0].messages[1:]
    assert [m.tool_call_id for m in asked] == ["", "", "c1", "ours"]
    assert {call.id for call in asked[1].tool_calls} == {"c1", "ours"}
    assert [f for f in frames if f.type == "CUSTOM"] == []
    assert [m["content"] for m in history["messages"]][-2:] == ["21 C", "Warm."]
    assert (await caller.points())["balance"] == 80


async def test_charge_of_a_reply_that_called_our_tool_too_names_its_message(
    caller: Caller, switchable: SwitchableModel, served: Served
) -> None:
    thread = str(uuid4())
    _, answer, _ = await ask_both(caller, switchable, thread)

    _, ledger = await caller.get("/api/v1/points/ledger")
    charge = ledger["entries"][0]["metadata"]["charge"]

    async with served.product.database.connection() as tx:
        seq = await tx.fetchval("SELECT seq FROM messages WHERE id = $1", answer["id"])
    assert (charge["message_id"], charge["message_seq"]) == (answer["id"], seq)


async def test_results_of_our_own_tools_alone_are_refused_and_cost_nothing(
    caller: Caller, switchable: SwitchableModel, served: Served
) -> None:
    thread = str(uuid4())
    conversation = await ask_both(caller, switchable, thread)

    async with posted(caller, run_body(thread=thread, messages=conversation)) as response:
        problem = await response.json(content_type="application/problem+json")

    assert (response.status, problem["code"]) == (422, "AGENT_INPUT_INVALID")
    assert "send a user message" in problem["detail"]
    assert (await caller.points())["balance"] == 80
    assert await count_turns(served, thread) == [("answered", True)]


async def test_tool_that_is_sent_twice_is_offered_once(
    caller: Caller, switchable: SwitchableModel
) -> None:
    model = switchable.script([Say("Warm.")])

    await stream(caller, run_body(tools=[WEATHER, WEATHER | {"description": "newer"}]))

    offered = [tool for tool in model.requests[0].tools if tool.name == "get_weather"]
    assert [tool.description for tool in offered] == ["newer"]


async def test_result_that_comes_too_late_is_warned_of(
    caller: Caller, switchable: SwitchableModel
) -> None:
    thread = str(uuid4())
    switchable.script([Call("get_weather", id="c1"), Call("get_weather", id="c2")])
    frames = await stream(caller, run_body(thread=thread, messages=[QUESTION], tools=[WEATHER]))
    conversation = [QUESTION, called(frames), result("c1")]
    frames = await send(caller, thread, conversation)
    end = next(f.data for f in frames if f.type == "TEXT_MESSAGE_END")
    said = {"id": end["messageId"], "role": "assistant", "content": "…"}

    frames = await send(caller, thread, [*conversation, said, result("c2")])

    warnings = [f.data["value"]["code"] for f in frames if f.data.get("name") == "WARNING"]
    assert warnings == ["TOOL_RESULT_IGNORED"]


async def test_json_post_that_repeats_the_question_continues_the_turn(
    caller: Caller, switchable: SwitchableModel
) -> None:
    thread = str(uuid4())
    await ask(caller, switchable, thread)
    model = switchable.script([Say("Warm.")])

    body = run_body(thread=thread, messages=[QUESTION, result()], tools=[WEATHER])
    await caller.submit(body)
    await caller.events(thread, body["runId"])

    assert [m.text for m in model.requests[0].messages[1:]] == ["weather?", "", "21 C"]
    assert (await caller.points())["balance"] == 80


@pytest.mark.parametrize("more", [[{"id": "u2", "role": "user", "content": "and?"}], []])
async def test_result_with_a_new_question_or_without_a_call_is_charged(
    caller: Caller, switchable: SwitchableModel, more: list[JsonObject]
) -> None:
    thread = str(uuid4())
    conversation = await ask(caller, switchable, thread)
    switchable.script([Say("Warm.")])

    await send(caller, thread, [*conversation, result("c1" if more else "other"), *more])

    assert (await caller.points())["balance"] == 60


async def test_result_is_answered_once(caller: Caller, switchable: SwitchableModel) -> None:
    thread = str(uuid4())
    conversation = await ask(caller, switchable, thread)
    await send(caller, thread, [*conversation, result()])

    await send(caller, thread, [*conversation, result()])

    assert (await caller.points())["balance"] == 60


async def test_failed_result_run_leaves_the_call_open(
    caller: Caller, switchable: SwitchableModel
) -> None:
    thread = str(uuid4())
    conversation = await ask(caller, switchable, thread)
    switchable.script([Say("no"), Fail(ModelFailed(500))])
    await send(caller, thread, [*conversation, result()])
    switchable.script([Say("Warm.")])

    frames = await send(caller, thread, [*conversation, result()])

    _, kept = await caller.get("/api/v1/agent/history", threadId=thread)
    assert frames[-1].data["result"]["answer"] == "Warm."
    assert [m["content"] for m in kept["messages"]] == ["weather?", "", "21 C", "Warm."]
    assert (await caller.points())["balance"] == 80


async def test_failed_run_that_is_posted_with_what_it_had_done_is_asked_again(
    caller: Caller, switchable: SwitchableModel, served: Served
) -> None:
    """A stock client that runs again after an error sends the call and the result it has seen."""
    thread = str(uuid4())
    sum_call = Call("calculate", {"expression": "1+1"}, id="ours")
    switchable.script([sum_call], [Fail(ModelRefused(400))])
    frames = await stream(caller, run_body(thread=thread, messages=[QUESTION]))
    (returned,) = [f.data for f in frames if f.type == "TOOL_CALL_RESULT"]
    echo = {"id": returned["messageId"], "role": "tool", "toolCallId": "ours", "content": "2"}
    model = switchable.script([Say("Warm.")])

    frames = await send(caller, thread, [QUESTION, called(frames, "ours"), echo])

    _, kept = await caller.get("/api/v1/agent/history", threadId=thread)
    assert [m.text for m in model.requests[0].messages[1:]] == ["weather?"]
    assert [f for f in frames if f.type == "CUSTOM"] == []
    assert [m["content"] for m in kept["messages"]] == ["weather?", "Warm."]
    assert (await caller.points())["balance"] == 80


async def test_turn_with_tools_is_replaced_as_a_whole(
    caller: Caller, switchable: SwitchableModel
) -> None:
    thread = str(uuid4())
    conversation = await ask(caller, switchable, thread)
    await send(caller, thread, [*conversation, result()])
    switchable.script([Say("No idea.")])

    await send(caller, thread, [QUESTION])

    _, kept = await caller.get("/api/v1/agent/history", threadId=thread)
    assert [m["content"] for m in kept["messages"]] == ["weather?", "No idea."]


async def test_free_results_of_a_turn_are_bounded(
    caller: Caller, switchable: SwitchableModel
) -> None:
    thread = str(uuid4())
    conversation = await ask(caller, switchable, thread)

    for n in range(1, MAX_CONTINUATIONS + 2):
        switchable.script([Call("get_weather", id=f"c{n + 1}")])
        frames = await send(caller, thread, [*conversation, result(f"c{n}")])
        conversation += [result(f"c{n}"), called(frames, f"c{n + 1}")]

    assert (await caller.points())["balance"] == 60


async def test_a_model_that_only_calls_tools_fails_and_costs_nothing(
    caller: Caller, switchable: SwitchableModel
) -> None:
    """8 rounds of tools, as the limits say, and then a reply that has to be the answer."""
    model = switchable.script(*[[Call("current_time")]] * 9)

    *_, last = await stream(caller, run_body())

    assert [bool(request.tools) for request in model.requests] == [True] * 8 + [False]
    assert (last.type, last.data["code"]) == ("RUN_ERROR", "AGENT_MODEL_OUTPUT_INVALID")
    points = await caller.points()
    assert (points["balance"], points["frozen_balance"]) == (100, 0)


async def test_words_beside_a_call_that_was_not_offered_are_the_answer(
    caller: Caller, switchable: SwitchableModel
) -> None:
    call = Call("current_time")
    switchable.script(*[[call]] * 8, [Say("It is late."), call])

    *_, last = await stream(caller, run_body())

    assert last.data["result"]["answer"] == "It is late."
