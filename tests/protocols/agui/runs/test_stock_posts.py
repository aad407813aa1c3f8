"""What stock AG-UI clients post: the whole conversation each time, for a stream in return."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import uuid4

import aiohttp
import pytest
from tests.loose_json import JsonObject
from tests.protocols.agui.stock_client import StockClient
from tests.protocols.switchable_model import SwitchableModel
from tests.serving import RUNS, Caller, Frame, frames_of, run_body
from tests.waiting import wait_until

from yarrow.llm.model import ChatRole
from yarrow.llm.scripted import Call, Hold, Say

WEATHER = {"name": "get_weather", "description": "weather", "parameters": {"type": "object"}}


def user(text: str) -> JsonObject:
    return {"id": uuid4().hex, "role": "user", "content": text}


def answer(text: str) -> JsonObject:
    return {"id": uuid4().hex, "role": "assistant", "content": text}


@asynccontextmanager
async def posted(caller: Caller, body: JsonObject) -> AsyncIterator[aiohttp.ClientResponse]:
    headers = caller.headers | {"Accept": "text/event-stream"}
    async with caller.http.post(caller.url + RUNS, json=body, headers=headers) as response:
        yield response


async def stream(caller: Caller, body: JsonObject) -> list[Frame]:
    async with posted(caller, body) as response:
        assert response.status == 200, await response.text()
        return [frame async for frame in frames_of(response)]


async def test_answer_is_the_strict_stream(caller: Caller) -> None:
    body = run_body()

    frames = await stream(caller, body)

    assert StockClient().feed(frames).last == frames[-1].data
    assert frames == await caller.events(body["threadId"], body["runId"], profile="agui")


async def test_only_the_last_question_is_new(caller: Caller, switchable: SwitchableModel) -> None:
    thread = str(uuid4())
    await stream(caller, run_body(thread=thread, messages=[user("one")]))
    model = switchable.script([Say("fine")])

    history = [user("one"), answer("You said: one"), user("two")]
    await stream(caller, run_body(thread=thread, messages=history))

    result = [(m.role, m.text) for m in model.requests[0].messages[1:]]
    assert result == [
        (ChatRole.USER, "one"),
        (ChatRole.ASSISTANT, "You said: one"),
        (ChatRole.USER, "two"),
    ]
    _, kept = await caller.get("/api/v1/agent/history", threadId=thread)
    assert [m["content"] for m in kept["messages"]] == ["one", "You said: one", "two", "fine"]


async def test_more_than_two_hundred_messages_are_accepted(caller: Caller) -> None:
    long = [message for n in range(150) for message in (user(str(n)), answer("ok"))]

    frames = await stream(caller, run_body(messages=[*long, user("last")]))

    assert frames[-1].data["result"]["answer"] == "You said: last"


async def test_question_after_a_failed_run_is_the_last_one(caller: Caller) -> None:
    frames = await stream(caller, run_body(messages=[user("lost"), user("again")]))

    assert frames[-1].data["result"]["answer"] == "You said: again"


@pytest.mark.parametrize(
    "messages",
    [
        [],
        [answer("hi")],
        [user("one"), answer("hi")],
        [{"id": "s", "role": "system", "content": ""}],
    ],
)
async def test_conversation_must_end_with_something_new(
    caller: Caller, messages: list[JsonObject]
) -> None:
    async with posted(caller, run_body(messages=messages)) as response:
        problem = await response.json(content_type="application/problem+json")

    assert (response.status, problem["code"]) == (422, "AGENT_INPUT_INVALID")
    assert problem["detail"].endswith("must end with a user message or a tool result")


@pytest.mark.parametrize(
    ("body", "rule"),
    [
        (run_body("x" * 10_001), "RunAgentInput user message text exceeds limit"),
        (run_body() | {"threadId": "main"}, "threadId must be a valid UUID"),
        (run_body(run="x" * 129), "runId exceeds length limit"),
    ],
)
async def test_other_rules_hold_for_streams_too(
    caller: Caller, body: JsonObject, rule: str
) -> None:
    async with posted(caller, body) as response:
        problem = await response.json(content_type="application/problem+json")

    assert (response.status, problem["detail"]) == (422, rule)


async def test_tool_result_continues_the_conversation(
    caller: Caller, switchable: SwitchableModel
) -> None:
    thread = str(uuid4())
    model = switchable.script(
        [Say("Asking."), Call("get_weather", {"city": "Rome"})], [Say("Sunny.")]
    )
    first = await stream(caller, run_body("weather?", thread=thread, tools=[WEATHER]))
    call = next(f.data for f in first if f.type == "TOOL_CALL_START")

    sent = answer("Asking.") | {
        "toolCalls": [
            {
                "id": call["toolCallId"],
                "type": "function",
                "function": {"name": "get_weather", "arguments": '{"city":"Rome"}'},
            }
        ]
    }
    result = {"id": "t", "role": "tool", "toolCallId": call["toolCallId"], "content": "21 C"}
    second = await stream(
        caller,
        run_body(thread=thread, messages=[user("weather?"), sent, result], tools=[WEATHER]),
    )

    assert second[-1].data["result"]["answer"] == "Sunny."
    received = model.requests[1].messages[1:]
    assert [(m.role, m.text) for m in received] == [
        (ChatRole.USER, "weather?"),
        (ChatRole.ASSISTANT, "Asking."),
        (ChatRole.TOOL, "21 C"),
    ]
    assert received[1].tool_calls[0].id == received[2].tool_call_id


async def test_repeated_post_replays_the_run_at_no_cost(caller: Caller) -> None:
    body = run_body()

    first = await stream(caller, body)
    again = await stream(caller, body)

    assert first == again
    assert (await caller.points())["balance"] == 80


async def test_json_and_stream_posts_share_one_run(caller: Caller) -> None:
    body = run_body()

    accepted = await caller.submit(body)
    frames = await stream(caller, body)

    assert (accepted["runId"], frames[-1].type) == (body["runId"], "RUN_FINISHED")
    assert (await caller.points())["balance"] == 80


async def test_disconnect_of_a_stream_post_does_not_cancel(
    caller: Caller, switchable: SwitchableModel
) -> None:
    hold = Hold()
    model = switchable.script([Say("one"), hold, Say("two")])
    body = run_body()
    async with posted(caller, body) as response:
        await response.content.readuntil(b'"delta":"one"')
    await hold.reached.wait()

    hold.release.set()
    frames = await caller.events(body["threadId"], body["runId"])

    assert frames[-1].data["result"]["answer"] == "onetwo"
    assert model.cancelled == 0


async def leave(caller: Caller, body: JsonObject) -> None:
    """Post and close the connection after the first text."""
    async with posted(caller, body) as response:
        await response.content.readuntil(b'"delta":"one"')


async def test_run_is_cancelled_when_its_client_asked_for_it_and_leaves(
    caller: Caller, switchable: SwitchableModel
) -> None:
    model = switchable.script([Say("one"), Hold(), Say("two")])
    body = run_body() | {"forwardedProps": {"onDisconnect": "cancel"}}

    await leave(caller, body)
    # Following before the server sees that the client left would keep the run.
    await wait_until(lambda: model.cancelled == 1)

    frames = await caller.events(body["threadId"], body["runId"])
    assert frames[-1].data["code"] == "AGENT_RUN_CANCELED"
    assert (await caller.points())["balance"] == 100


async def test_run_goes_on_while_another_client_follows_it(
    caller: Caller, switchable: SwitchableModel
) -> None:
    hold = Hold()
    model = switchable.script([Say("one"), hold, Say("two")])
    body = run_body() | {"forwardedProps": {"onDisconnect": "cancel"}}
    await caller.submit(body)
    async with posted(caller, body) as following:
        await following.content.readuntil(b'"delta":"one"')

        await leave(caller, body)
        await asyncio.sleep(0.2)
        hold.release.set()

        assert b'"answer":"onetwo"' in await following.read()
    assert model.cancelled == 0


async def test_unknown_disconnect_policy_is_refused(caller: Caller) -> None:
    body = run_body() | {"forwardedProps": {"onDisconnect": "stop"}}

    async with posted(caller, body) as response:
        problem = await response.json(content_type="application/problem+json")

    assert problem["detail"] == "forwardedProps.onDisconnect must be continue or cancel"
    assert problem["params"]["field"] == "forwardedProps.onDisconnect"


async def test_two_posts_of_one_run_share_its_stream(
    caller: Caller, switchable: SwitchableModel
) -> None:
    hold = Hold()
    switchable.script([Say("one"), hold, Say("two")])
    body = run_body()

    following = [asyncio.create_task(stream(caller, body)) for _ in range(2)]
    await hold.reached.wait()
    hold.release.set()
    first, second = await asyncio.gather(*following)

    assert first == second
