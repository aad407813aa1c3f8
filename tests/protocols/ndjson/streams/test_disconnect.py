"""Leaving a stream, and coming back to it."""

import asyncio
from uuid import uuid4

import pytest
from tests.loose_json import decode_json
from tests.protocols.ndjson.analyst_client import (
    CLARIFY,
    DATA_AGENT,
    SUMMARY,
    AnalystClient,
    find_line,
    line_types,
    read_lines,
    visualize,
)
from tests.protocols.switchable_model import SwitchableModel
from tests.serving import Caller, Served, run_body
from tests.waiting import PATIENCE_S, wait_until

from yarrow.llm.scripted import Hold, ScriptedModel

BODY = {"user_question": "?", "input_tables": [{"name": "sales"}]}


async def left_in_the_middle(analyst: AnalystClient, hold: Hold, **params: str) -> str:
    """Ask, leave while the model speaks; the session's id."""
    async with analyst.post(DATA_AGENT, BODY, params=params) as answer:
        first = decode_json(await answer.content.readline())
        await asyncio.wait_for(hold.reached.wait(), PATIENCE_S)
        answer.close()
    return str(first["session_id"])


async def until(model: ScriptedModel, *, cancelled: int) -> None:
    await wait_until(lambda: model.cancelled >= cancelled)


async def test_disconnect_cancels_the_model_call_and_the_run(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    hold = Hold()
    model = switchable.script([hold, SUMMARY])

    session_id = await left_in_the_middle(analyst, hold)

    await until(model, cancelled=1)
    assert model.active == 0
    lines = await analyst.attach(session_id)
    assert find_line(lines, "error")["error"] == {
        "code": "AGENT_ERROR",
        "message": "The analysis was stopped.",
        "retry": False,
    }


async def test_disconnect_leaves_no_model_call_open(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    hold = Hold()
    model = switchable.script([hold, visualize()], [SUMMARY])

    session_id = await left_in_the_middle(analyst, hold)
    await until(model, cancelled=1)
    hold.release.set()

    assert (await analyst.attach(session_id))[-1]["type"] == "error"
    assert (len(model.requests), model.active) == (1, 0)


async def test_disconnect_after_the_last_line_cancels_nothing(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    switchable.script(*[[SUMMARY]] * 10)
    for _ in range(10):
        async with analyst.post(DATA_AGENT, BODY) as answer:
            first = decode_json(await answer.content.readline())
            while decode_json(await answer.content.readline())["type"] != "completion":
                pass
            answer.close()

        assert (await analyst.attach(first["session_id"]))[-1]["type"] == "completion"


async def test_a_client_may_let_its_run_go_on(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    hold = Hold()
    model = switchable.script([hold, visualize()], [SUMMARY])

    session_id = await left_in_the_middle(analyst, hold, on_disconnect="continue")
    hold.release.set()
    lines = await analyst.attach(session_id)

    assert lines[-1]["type"] == "completion"
    assert model.cancelled == 0


async def test_a_stream_can_be_seen_again(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    switchable.script([visualize()], [CLARIFY])

    live = await analyst.ask()

    assert await analyst.attach(live[0]["session_id"], run_id=live[0]["run_id"]) == live
    assert await analyst.attach(live[0]["session_id"]) == live


async def test_a_second_follower_sees_the_same_lines_live(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    hold = Hold()
    switchable.script([hold, SUMMARY])

    async with analyst.post(DATA_AGENT, BODY) as answer:
        first = decode_json(await answer.content.readline())
        await asyncio.wait_for(hold.reached.wait(), PATIENCE_S)
        async with analyst.open_stream(first["session_id"]) as second:
            seen = [decode_json(await second.content.readline())]
            hold.release.set()
            rest = [line async for line in read_lines(answer)]
            seen += [line async for line in read_lines(second)]

    assert seen == [first, *rest]
    assert line_types(rest)[-1] == "completion"


async def test_an_earlier_run_of_a_session_can_be_seen(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    switchable.script([CLARIFY], [SUMMARY])
    first = await analyst.ask()
    await analyst.resume(first[-1], "A")

    session_id, run_id = first[0]["session_id"], first[0]["run_id"]

    assert (await analyst.attach(session_id, run_id=run_id))[-1]["type"] == "clarify"
    assert (await analyst.attach(session_id))[-1]["type"] == "completion"


@pytest.mark.parametrize(("session_id", "code"), [("x", "INVALID_REQUEST"), ("", "NOT_FOUND")])
async def test_unknown_run_cannot_be_attached_to(
    analyst: AnalystClient, session_id: str, code: str
) -> None:
    status, body = await analyst.caller.get(f"/api/agent/runs/{session_id or uuid4()}")

    assert (status, body["error"]["code"]) == (200, code)


async def test_other_accounts_cannot_attach(
    analyst: AnalystClient, switchable: SwitchableModel, served: Served
) -> None:
    switchable.script([SUMMARY])
    session_id = (await analyst.ask())[0]["session_id"]
    stranger = await served.account()

    _, body = await stranger.get(f"/api/agent/runs/{session_id}")

    assert (body["status"], body["error"]["code"]) == ("error", "ACCESS_DENIED")


async def test_runs_of_other_agents_are_not_shown_here(
    caller: Caller, switchable: SwitchableModel
) -> None:
    accepted = await caller.submit(run_body("hello"))
    await caller.events(accepted["threadId"], accepted["runId"])

    _, body = await caller.get(f"/api/agent/runs/{accepted['threadId']}")

    assert body["error"]["code"] == "NOT_FOUND"
