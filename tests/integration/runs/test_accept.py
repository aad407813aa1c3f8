"""Accepting: once, however often and from however many sides it is asked."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

import pytest
from tests.serving import RUNS, Caller, Served, broken_rules_of, run_body

from yarrow.db import Tx
from yarrow.db.errors import DatabaseUnavailable
from yarrow.llm.scripted import Hold, Say
from yarrow.runs import transitions


async def test_fifty_duplicate_posts_are_one_run_and_one_charge(served: Served) -> None:
    caller = await served.account()
    body = run_body()

    answers = await asyncio.gather(*(caller.post(RUNS, body) for _ in range(50)))
    await caller.events(body["threadId"], body["runId"])

    assert {status for status, _ in answers} == {202}
    assert len({answer["taskId"] for _, answer in answers}) == 1
    assert len(served.model.requests) == 1
    assert (await caller.points())["balance"] == 80
    assert await broken_rules_of(served.product.database) == []


async def test_fifty_concurrent_runs_with_points_for_one_accept_one(served: Served) -> None:
    caller = await served.account()
    await _spend(caller, 80)
    bodies = [run_body() for _ in range(50)]

    answers = await asyncio.gather(*(caller.post(RUNS, body) for body in bodies))

    accepted = [b for b, (status, _) in zip(bodies, answers, strict=True) if status == 202]
    refused = [answer for status, answer in answers if status != 202]
    assert len(accepted) == 1
    assert {answer["code"] for answer in refused} == {"AGENT_POINTS_INSUFFICIENT"}
    await caller.events(accepted[0]["threadId"], accepted[0]["runId"])
    points = await caller.points()
    assert (points["balance"], points["frozen_balance"]) == (0, 0)
    assert await broken_rules_of(served.product.database) == []


async def test_concurrent_runs_of_one_session_accept_one(served: Served) -> None:
    hold = Hold()
    served.model.play([hold, Say("done")])
    caller = await served.account(points=2_000)
    thread = str(uuid4())

    answers = await asyncio.gather(
        *(caller.post(RUNS, run_body(thread=thread, run=f"r{n}")) for n in range(20))
    )

    statuses = sorted(status for status, _ in answers)
    assert statuses == [202] + [409] * 19
    hold.release.set()
    winner = next(answer["runId"] for status, answer in answers if status == 202)
    await caller.events(thread, winner)
    assert (await caller.points())["frozen_balance"] == 0


@pytest.mark.parametrize("has_room", [True, False])
async def test_a_run_is_claimed_with_its_acceptance_only_where_there_is_room(
    served: Served, has_room: bool
) -> None:
    hold = Hold()
    served.model.play([hold, Say("done")])
    caller, body = await served.account(), run_body()
    served.product.executions.is_open = has_room

    accepted = await caller.submit(body)

    async with served.product.database.connection() as tx:
        (row,) = await tx.fetch("SELECT * FROM runs WHERE id = $1::uuid", accepted["taskId"])
    claimed = (row["status"], row["attempt"], row["worker_id"], row["started_at"] is not None)
    worker = served.product.engine.worker_id
    assert claimed == (("running", 1, worker, True) if has_room else ("queued", 0, None, False))
    served.product.executions.is_open = True
    hold.release.set()
    await caller.events(body["threadId"], body["runId"])


async def test_a_run_accepted_while_the_process_stops_is_anybodys(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    caller, body = await served.account(), run_body()
    start_run = transitions.start_run

    async def start_and_stop(*args: Any, **named: Any) -> transitions.StartedRun | None:
        served.product.executions.is_open = False
        return await start_run(*args, **named)

    monkeypatch.setattr(transitions, "start_run", start_and_stop)
    accepted = await caller.submit(body)

    async with served.product.database.connection() as tx:
        (row,) = await tx.fetch("SELECT * FROM runs WHERE id = $1::uuid", accepted["taskId"])
    assert (row["status"], row["worker_id"]) == ("queued", None)
    served.product.executions.is_open = True
    await caller.events(body["threadId"], body["runId"])


async def test_a_run_whose_acceptance_got_lost_on_the_way_back_is_carried_out(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the worker's heartbeat: the job is not due before the test is over, and because there is
    one the sweep adds none."""
    caller, body = await served.account(), run_body()
    database = served.product.database
    transaction = database.transaction

    @asynccontextmanager
    async def lose_commit_answer() -> AsyncIterator[Tx]:
        async with transaction() as tx:
            yield tx
        raise DatabaseUnavailable

    with monkeypatch.context() as lossy:
        lossy.setattr(database, "transaction", lose_commit_answer)
        status, _ = await caller.post(RUNS, body)
    async with database.transaction() as tx:
        await tx.execute("UPDATE pgqueuer SET execute_after = now() + interval '1 hour'")

    again = await caller.submit(body)
    await caller.events(body["threadId"], body["runId"])

    assert (status, again["runId"]) == (503, body["runId"])
    assert len(served.model.requests) == 1
    assert (await caller.points())["balance"] == 80


async def test_two_accounts_racing_for_one_thread_leave_it_to_one(served: Served) -> None:
    one, two = await served.account(), await served.account()
    thread = str(uuid4())

    answers = await asyncio.gather(
        *(who.post(RUNS, run_body(thread=thread, run=f"r-{who.id}")) for who in (one, two))
    )

    assert sorted(status for status, _ in answers) == [202, 403]


async def test_a_refused_run_leaves_no_trace(served: Served) -> None:
    caller = await served.account()
    await _spend(caller, 100)
    body = run_body()

    status, answer = await caller.post(RUNS, body)

    assert (status, answer["params"]) == (402, {"needed": 20, "available": 0})
    status, _ = await caller.get("/api/v1/agent/history", threadId=body["threadId"])
    assert status == 404


async def _spend(caller: Caller, points: int) -> None:
    for _ in range(points // 20):
        body = run_body()
        await caller.submit(body)
        await caller.events(body["threadId"], body["runId"])
