"""Cancel and delete."""

import asyncio
from uuid import uuid4

from tests.loose_json import JsonObject
from tests.protocols.agui.account_rows import read_account_rows
from tests.protocols.switchable_model import SwitchableModel
from tests.serving import RUNS, Caller, Served, run_body

from yarrow.llm.scripted import Hold, Say

HISTORY = "/api/v1/agent/history"


async def start_held(
    caller: Caller, switchable: SwitchableModel, hold: Hold, **kwargs
) -> JsonObject:
    """A run that has said two words and waits for `hold`."""
    switchable.script([Say("one two"), hold, Say("three")])
    body = run_body(**kwargs)
    await caller.submit(body)
    await hold.reached.wait()
    return body


def cancel_path(body: JsonObject) -> str:
    return f"{RUNS}/{body['threadId']}/cancel?runId={body['runId']}"


async def test_cancel_is_acknowledged(
    caller: Caller, switchable: SwitchableModel
) -> None:  # seed 0, cancel
    body = await start_held(caller, switchable, Hold())

    answer = await caller.post(cancel_path(body))

    ids = {"threadId": body["threadId"], "runId": body["runId"]}
    assert answer == (200, ids | {"accepted": True})


async def test_cancelled_run_ends_with_an_error(
    caller: Caller, switchable: SwitchableModel
) -> None:
    body = await start_held(caller, switchable, Hold())
    following = asyncio.create_task(caller.events(body["threadId"], body["runId"]))

    await caller.post(cancel_path(body))
    frames = await following

    assert frames[-1].type == "RUN_ERROR"
    assert frames[-1].data["code"] == "AGENT_RUN_CANCELED"
    assert [f.type for f in frames].count("RUN_ERROR") == 1


async def test_cancelled_run_costs_nothing(caller: Caller, switchable: SwitchableModel) -> None:
    body = await start_held(caller, switchable, Hold())

    await caller.post(cancel_path(body))
    await caller.events(body["threadId"], body["runId"])

    points = await caller.points()
    assert (points["balance"], points["frozen_balance"]) == (100, 0)
    _, ledger = await caller.get("/api/v1/points/ledger")
    assert [entry["change_type"] for entry in ledger["entries"]] == ["register"]


async def test_cancel_closes_the_call_to_the_model(
    caller: Caller, switchable: SwitchableModel
) -> None:
    hold = Hold()
    model = switchable.script([Say("one"), hold])
    body = run_body()
    await caller.submit(body)
    await hold.reached.wait()

    await caller.post(cancel_path(body))
    await caller.events(body["threadId"], body["runId"])

    assert (model.active, model.cancelled) == (0, 1)


async def test_second_cancel_is_harmless(caller: Caller, switchable: SwitchableModel) -> None:
    body = await start_held(caller, switchable, Hold())
    await caller.post(cancel_path(body))
    frames = await caller.events(body["threadId"], body["runId"])

    status, answer = await caller.post(cancel_path(body))

    assert (status, answer["accepted"]) == (200, False)
    assert await caller.events(body["threadId"], body["runId"]) == frames


async def test_cancel_after_the_end_changes_nothing(served: Served, caller: Caller) -> None:
    body = run_body()
    await caller.submit(body)
    await caller.events(body["threadId"], body["runId"])
    before = await read_account_rows(served.product.database, caller.id)

    status, answer = await caller.post(cancel_path(body))

    assert (status, answer["accepted"]) == (200, False)
    assert await read_account_rows(served.product.database, caller.id) == before


async def test_session_is_free_after_a_cancel(caller: Caller, switchable: SwitchableModel) -> None:
    body = await start_held(caller, switchable, Hold())
    await caller.post(cancel_path(body))
    await caller.events(body["threadId"], body["runId"])

    await caller.submit(run_body(thread=body["threadId"], run="next"))

    assert (await caller.events(body["threadId"], "next"))[-1].type == "RUN_FINISHED"


async def test_cancelled_text_is_not_in_later_prompts(
    caller: Caller, switchable: SwitchableModel
) -> None:
    body = await start_held(caller, switchable, Hold(), text="forget this")
    await caller.post(cancel_path(body))
    await caller.events(body["threadId"], body["runId"])
    model = switchable.script([Say("fine")])

    await caller.submit(run_body("go on", thread=body["threadId"], run="next"))
    await caller.events(body["threadId"], "next")

    assert [message.text for message in model.requests[0].messages[1:]] == ["go on"]


async def test_disconnect_does_not_cancel(caller: Caller, switchable: SwitchableModel) -> None:
    hold = Hold()
    body = await start_held(caller, switchable, hold)
    async for frame in caller.follow(body["threadId"], body["runId"]):
        if frame.type == "TEXT_MESSAGE_CONTENT":
            break

    hold.release.set()

    assert (await caller.events(body["threadId"], body["runId"]))[-1].type == "RUN_FINISHED"


async def test_delete_hides_the_session(caller: Caller) -> None:  # seed 0, session delete
    body = run_body()
    await caller.submit(body)
    await caller.events(body["threadId"], body["runId"])

    status, answer = await caller.send("DELETE", f"/api/v1/agent/sessions/{body['threadId']}")

    assert (status, answer) == (204, {})
    gone = (404, "AGENT_SESSION_NOT_FOUND")
    for query in ({}, {"scope": "history_day"}):
        status, problem = await caller.get(HISTORY, threadId=body["threadId"], **query)
        assert (status, problem["code"]) == gone
    _, latest = await caller.get(HISTORY)
    _, day = await caller.get(HISTORY, scope="history_day")
    assert (latest["messages"], day["messages"]) == ([], [])
    status, problem = await caller.get(f"{RUNS}/{body['threadId']}/events", runId=body["runId"])
    assert (status, problem["code"]) == gone
    status, problem = await caller.post(RUNS, run_body(thread=body["threadId"]))
    assert (status, problem["code"]) == gone


async def test_delete_is_idempotent(served: Served, caller: Caller) -> None:
    body = run_body()
    await caller.submit(body)
    await caller.events(body["threadId"], body["runId"])
    path = f"/api/v1/agent/sessions/{body['threadId']}"
    await caller.send("DELETE", path)
    before = await read_account_rows(served.product.database, caller.id)

    again = await caller.send("DELETE", path)
    unknown = await caller.send("DELETE", f"/api/v1/agent/sessions/{uuid4()}")

    assert (again, unknown) == ((204, {}), (204, {}))
    assert await read_account_rows(served.product.database, caller.id) == before


async def test_delete_cancels_the_active_run_for_free(
    caller: Caller, switchable: SwitchableModel
) -> None:
    body = await start_held(caller, switchable, Hold())
    path = f"/api/v1/agent/sessions/{body['threadId']}"

    async for frame in caller.follow(body["threadId"], body["runId"]):
        if frame.type == "RUN_STARTED":
            assert (await caller.send("DELETE", path))[0] == 204

    assert frame.data["code"] == "AGENT_RUN_CANCELED"
    assert (await caller.points())["available"] == 100
