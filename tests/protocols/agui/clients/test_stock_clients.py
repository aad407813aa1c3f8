"""Unchanged @ag-ui/client, both generations, against the served product."""

import asyncio
from asyncio.subprocess import Process
from collections.abc import Callable
from uuid import uuid4

import pytest
from tests.loose_json import JsonObject, decode_json
from tests.protocols.switchable_model import SwitchableModel
from tests.serving import RUNS, Caller
from tests.waiting import PATIENCE_S

from yarrow.kit.json import encode_json
from yarrow.llm.errors import ModelUnreachable
from yarrow.llm.scripted import Call, Fail, Hold, Say, Think

WEATHER = {"name": "get_weather", "description": "weather", "parameters": {"type": "object"}}


async def talk(
    caller: Caller,
    client: Process,
    *turns: str | JsonObject,
    saw: Callable[[str], None] = lambda _: None,
    **more,
) -> JsonObject:
    """What the client tells of these turns; `saw` is called when it leaves and comes back."""
    job = {"threadId": str(uuid4()), "url": caller.url + RUNS, "turns": turns, **more}
    job.setdefault("token", caller.headers["Authorization"].removeprefix("Bearer "))
    assert client.stdin is not None
    assert client.stdout is not None
    client.stdin.write(encode_json(job) + b"\n")
    result: JsonObject = {}
    while "complaints" not in result:
        line = await client.stdout.readline()
        assert line, "the client's process has ended"
        result = decode_json(line)
        saw(str(result.get("saw")))
    assert "turns" in result, result["complaints"]
    refused = any("error" in turn for turn in result["turns"])
    assert refused or result["complaints"] == ""
    return result


def texts(result: JsonObject) -> list[tuple[str, str]]:
    return [(m["role"], m.get("content", "")) for m in result["messages"]]


async def test_client_gets_the_whole_turn(
    caller: Caller, switchable: SwitchableModel, client: Process
) -> None:
    switchable.script([Think("let me see"), Say("It is raining in 北京 today.")])

    result = await talk(caller, client, "weather?")

    (turn,) = result["turns"]
    assert turn["events"][0] == "RUN_STARTED"
    assert turn["events"][-1] == "RUN_FINISHED"
    assert turn["result"] == {
        "status": "success",
        "answer": "It is raining in 北京 today.",
        "error": "",
    }
    assert texts(result) == [
        ("user", "weather?"),
        ("reasoning", "let me see"),
        ("assistant", "It is raining in 北京 today."),
    ]
    assert result["messages"][-1]["metadata"]["yarrow"] == turn["result"]
    assert (await caller.points())["balance"] == 80


async def test_second_turn_posts_the_history_and_is_answered(
    caller: Caller, switchable: SwitchableModel, client: Process
) -> None:
    model = switchable.script([Say("Hello.")], [Say("Fine.")])

    result = await talk(caller, client, "hi", "how are you?")

    assert [turn["result"]["answer"] for turn in result["turns"]] == ["Hello.", "Fine."]
    assert texts(result)[-1] == ("assistant", "Fine.")
    assert [m.text for m in model.requests[1].messages[1:]] == ["hi", "Hello.", "how are you?"]
    assert (await caller.points())["balance"] == 60


async def test_client_sees_server_tools_and_its_own(
    caller: Caller, switchable: SwitchableModel, client: Process
) -> None:
    switchable.script(
        [Call("current_time", id="ours")], [Say("And:"), Call("get_weather", id="yours")]
    )

    result = await talk(caller, client, "weather?", tools=[WEATHER])

    calls = {
        c["id"]: c["function"]["name"] for m in result["messages"] for c in m.get("toolCalls", [])
    }
    answered = [m["toolCallId"] for m in result["messages"] if m["role"] == "tool"]
    assert calls == {"ours": "current_time", "yours": "get_weather"}
    assert answered == ["ours"]


async def test_regenerate_and_edit_replace_the_turn(
    caller: Caller, switchable: SwitchableModel, client: Process
) -> None:
    thread = str(uuid4())
    model = switchable.script([Say("a")], [Say("b")], [Say("c")], [Say("d")])

    steps = ("one", "two", {"regenerate": True}, {"edit": "deux"})
    result = await talk(caller, client, *steps, threadId=thread)

    _, kept = await caller.get("/api/v1/agent/history", threadId=thread)
    assert [m["content"] for m in kept["messages"]] == ["one", "a", "deux", "d"]
    assert texts(result) == [
        ("user", "one"),
        ("assistant", "a"),
        ("user", "deux"),
        ("assistant", "d"),
    ]
    assert [m.text for m in model.requests[-1].messages[1:]] == ["one", "a", "deux"]


async def test_result_of_a_client_tool_costs_nothing_more(
    caller: Caller, switchable: SwitchableModel, client: Process
) -> None:
    switchable.script([Call("get_weather", id="c1")], [Say("Warm.")])

    result = await talk(caller, client, "weather?", {"result": "21 C"}, tools=[WEATHER])

    assert result["turns"][-1]["result"]["answer"] == "Warm."
    assert (await caller.points())["balance"] == 80


async def test_failed_run_is_an_error(
    caller: Caller, switchable: SwitchableModel, client: Process
) -> None:
    switchable.script([Say("It is "), Fail(ModelUnreachable())])

    result = await talk(caller, client, "weather?")

    (turn,) = result["turns"]
    assert turn["runError"] == "AGENT_MODEL_UNAVAILABLE"
    assert turn.keys().isdisjoint(("result", "error"))
    assert texts(result)[-1] == ("assistant", "It is ")


@pytest.mark.parametrize(
    ("broken", "status", "code"),
    [({"threadId": "main"}, 422, "AGENT_INPUT_INVALID"), ({"token": "x"}, 401, "AUTH_REQUIRED")],
)
async def test_refused_run_is_an_error_with_its_problem(
    caller: Caller, client: Process, broken: JsonObject, status: int, code: str
) -> None:
    result = await talk(caller, client, "weather?", **broken)

    error = result["turns"][0]["error"]
    assert error["status"] == status
    assert decode_json(error["payload"])["code"] == code


async def test_abort_does_not_cancel(
    caller: Caller, switchable: SwitchableModel, client: Process
) -> None:
    hold, thread = Hold(), str(uuid4())
    model = switchable.script([Say("one two "), hold, Say("three")])

    await talk(caller, client, "count", threadId=thread, leaveAt="one two ")
    hold.release.set()

    url = f"{caller.url}{RUNS}/{thread}/events"
    async with caller.http.get(url, headers=caller.headers) as answer:
        assert b'"answer":"one two three"' in await answer.read()
    assert model.cancelled == 0


async def test_abort_cancels_when_the_client_asked_for_it(
    caller: Caller, switchable: SwitchableModel, client: Process
) -> None:
    thread, cancels = str(uuid4()), {"onDisconnect": "cancel"}
    switchable.script([Say("one two "), Hold(), Say("three")])

    await talk(caller, client, "count", threadId=thread, leaveAt="one two ", forwardedProps=cancels)

    url = f"{caller.url}{RUNS}/{thread}/events"
    async with asyncio.timeout(PATIENCE_S), caller.http.get(url, headers=caller.headers) as answer:
        assert b'"code":"AGENT_RUN_CANCELED"' in await answer.read()


@pytest.mark.parametrize("come_back", ["same", "fresh"])
async def test_reconnected_client_has_the_text_once(
    caller: Caller, switchable: SwitchableModel, client: Process, come_back: str
) -> None:
    hold = Hold()
    switchable.script([Say("Hello.")], [Think("let me see"), Say("one two "), hold, Say("three")])

    result = await talk(
        caller,
        client,
        "hi",
        "count",
        leaveAt="one two ",
        comeBack=come_back,
        saw=lambda what: hold.release.set() if what == "joined" else None,
    )

    assert result["turns"][-1]["result"]["answer"] == "one two three"
    assert sorted(texts(result)) == sorted(
        [
            ("user", "hi"),
            ("assistant", "Hello."),
            ("user", "count"),
            ("reasoning", "let me see"),
            ("assistant", "one two three"),
        ]
    )
