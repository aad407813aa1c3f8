"""Accepting a run: once, one at a time, and only if it can be paid for."""

import asyncio
from datetime import datetime
from uuid import UUID, uuid4

import pytest
from tests.protocols.agui.account_rows import read_account_rows
from tests.protocols.switchable_model import SwitchableModel
from tests.serving import RUNS, Caller, Served, run_body

from yarrow.llm.errors import ModelUnreachable
from yarrow.llm.scripted import Fail, Hold, Say, Turn


async def run_to_the_end(caller: Caller, **kwargs) -> str:
    """Submit a run, wait for its end, and give back its thread."""
    body = run_body(**kwargs)
    await caller.submit(body)
    await caller.events(body["threadId"], body["runId"])
    return str(body["threadId"])


async def test_accepted_run_has_its_ids_and_time(caller: Caller) -> None:  # seed 2, response
    body = run_body()

    answer = await caller.submit(body)

    assert set(answer) == {"taskId", "threadId", "runId", "created"}
    assert (answer["threadId"], answer["runId"]) == (body["threadId"], body["runId"])
    assert UUID(answer["taskId"])
    assert datetime.fromisoformat(answer["created"]).tzinfo is not None


async def test_same_body_gets_the_same_answer_and_is_charged_once(caller: Caller) -> None:
    body = run_body()

    first = await caller.submit(body)
    while_running = await caller.submit(body)
    await caller.events(body["threadId"], body["runId"])
    afterwards = await caller.submit(body)

    assert first == while_running == afterwards
    assert (await caller.points())["balance"] == 80


async def test_order_of_keys_does_not_make_another_body(caller: Caller) -> None:
    body = run_body()

    first = await caller.submit(body)

    assert await caller.submit(dict(reversed(body.items()))) == first


async def test_many_at_once_are_one_run(caller: Caller, switchable: SwitchableModel) -> None:
    hold = Hold()
    switchable.script([hold, Say("done")])
    body = run_body()

    answers = await asyncio.gather(*(caller.submit(body) for _ in range(8)))
    hold.release.set()
    await caller.events(body["threadId"], body["runId"])

    assert len({answer["taskId"] for answer in answers}) == 1
    assert (await caller.points())["balance"] == 80


async def test_same_run_with_another_body_is_a_conflict(served: Served, caller: Caller) -> None:
    thread = await run_to_the_end(caller, run="run-1")
    before = await read_account_rows(served.product.database, caller.id)

    status, problem = await caller.post(RUNS, run_body("else", thread=thread, run="run-1"))

    assert (status, problem["code"]) == (409, "AGENT_RUN_CONFLICT")
    assert problem["params"] == {"run": "run-1"}
    assert await read_account_rows(served.product.database, caller.id) == before


async def test_run_id_may_repeat_in_another_thread(caller: Caller) -> None:
    await run_to_the_end(caller, run="run-1")
    await run_to_the_end(caller, run="run-1")

    assert (await caller.points())["balance"] == 60


async def test_session_takes_one_run_at_a_time(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    hold = Hold()
    switchable.script([hold, Say("done")])
    body = run_body(run="first")
    await caller.submit(body)
    await hold.reached.wait()
    before = await read_account_rows(served.product.database, caller.id)

    status, problem = await caller.post(RUNS, run_body(thread=body["threadId"], run="second"))

    assert (status, problem["code"]) == (409, "AGENT_SESSION_BUSY")
    assert problem["params"] == {"run": "first"}
    assert await read_account_rows(served.product.database, caller.id) == before
    hold.release.set()
    assert (await caller.events(body["threadId"], "first"))[-1].type == "RUN_FINISHED"


async def test_one_of_many_concurrent_runs_in_a_session_is_accepted(
    caller: Caller, switchable: SwitchableModel
) -> None:
    hold = Hold()
    switchable.script([hold, Say("done")])
    thread = str(uuid4())

    answers = await asyncio.gather(
        *(caller.post(RUNS, run_body(thread=thread, run=f"run-{n}")) for n in range(8))
    )
    hold.release.set()

    assert sorted(status for status, _ in answers) == [202] + [409] * 7
    assert {p["code"] for s, p in answers if s == 409} == {"AGENT_SESSION_BUSY"}


async def test_other_sessions_of_the_account_run_meanwhile(
    caller: Caller, switchable: SwitchableModel
) -> None:
    hold = Hold()
    switchable.script([hold, Say("first")], [Say("second")])
    held = run_body()
    await caller.submit(held)
    await hold.reached.wait()

    await run_to_the_end(caller)

    hold.release.set()
    assert (await caller.events(held["threadId"], held["runId"]))[-1].type == "RUN_FINISHED"


async def test_run_that_cannot_be_paid_is_refused(served: Served, caller: Caller) -> None:
    for _ in range(5):
        await run_to_the_end(caller)
    before = await read_account_rows(served.product.database, caller.id)

    status, problem = await caller.post(RUNS, run_body())

    assert (status, problem["code"]) == (402, "AGENT_POINTS_INSUFFICIENT")
    assert problem["params"] == {"needed": 20, "available": 0}
    assert await read_account_rows(served.product.database, caller.id) == before


async def test_points_held_by_running_runs_cannot_be_spent_twice(
    caller: Caller, switchable: SwitchableModel
) -> None:
    hold = Hold()
    held: Turn = [hold, Say("done")]
    switchable.script(*[held] * 6)

    answers = await asyncio.gather(*(caller.post(RUNS, run_body()) for _ in range(6)))
    points = await caller.points()
    hold.release.set()

    assert sorted(status for status, _ in answers) == [202] * 5 + [402]
    assert (points["balance"], points["frozen_balance"], points["available"]) == (100, 100, 0)


async def test_failed_run_costs_nothing_and_frees_the_session(
    caller: Caller, switchable: SwitchableModel
) -> None:
    switchable.script([Say("It is "), Fail(ModelUnreachable())], [Say("fine")])
    thread = await run_to_the_end(caller, run="failing")

    points = await caller.points()
    await run_to_the_end(caller, thread=thread, run="again")

    assert (points["balance"], points["frozen_balance"]) == (100, 0)
    assert (await caller.points())["balance"] == 80


async def test_charge_stores_the_request_id(caller: Caller) -> None:
    body = run_body()
    headers = caller.headers | {"X-Request-Id": "request-7"}

    await caller.send("POST", RUNS, json=body, headers=headers)
    await caller.events(body["threadId"], body["runId"])

    _, ledger = await caller.get("/api/v1/points/ledger")
    charge = ledger["entries"][0]
    assert (charge["direction"], charge["amount"], charge["balance_after"]) == (-1, 20, 80)
    assert charge["biz_id"] == body["threadId"]
    assert charge["metadata"]["request_id"] == "request-7"


@pytest.mark.parametrize("accept", ["application/json", "*/*", "text/html"])
async def test_only_a_client_that_asks_for_a_stream_gets_one(caller: Caller, accept: str) -> None:
    headers = caller.headers | {"Accept": accept}

    status, answer = await caller.send("POST", RUNS, json=run_body(), headers=headers)

    assert (status, "taskId" in answer) == (202, True)
