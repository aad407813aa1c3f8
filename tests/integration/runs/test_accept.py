"""Accepting: once, however often and from however many sides it is asked."""

import asyncio
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from tests.lossy_postgres import lossy_postgres
from tests.serving import RUNS, Caller, Served, broken_rules_of, run_body, serving
from tests.waiting import hold_open, wait_for_lock_waiter

from yarrow.db import Database, Row
from yarrow.ids import SessionId
from yarrow.llm.scripted import Hold, Say, ScriptedModel


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


@pytest.mark.parametrize("is_first", [True, False], ids=["first run", "later run"])
async def test_points_that_go_while_a_run_waits_for_them_leave_nothing_of_it(
    served: Served, database: Database, is_first: bool
) -> None:
    caller, thread = await served.account(), str(uuid4())
    if not is_first:
        await caller.submit(run_body(thread=thread, run="before"))
        await caller.events(thread, "before")
    async with database.transaction() as tx:
        # The acceptance has seen enough points, and waits for their row until all are held.
        await tx.execute(
            "UPDATE user_points SET frozen_balance = balance WHERE user_id = $1", caller.id
        )
        submitting = asyncio.create_task(caller.post(RUNS, run_body(thread=thread, run="late")))
        await wait_for_lock_waiter(database)
    status, answer = await submitting

    async with database.connection() as tx:
        # Other tests of this folder check the books of all accounts.
        await tx.execute("UPDATE user_points SET frozen_balance = 0 WHERE user_id = $1", caller.id)
        runs = await tx.fetchval("SELECT count(*) FROM runs WHERE key = 'late'")
        session = await tx.fetchval("SELECT status FROM sessions WHERE id = $1", UUID(thread))
    assert (status, answer["code"], runs) == (402, "AGENT_POINTS_INSUFFICIENT", 0)
    assert session == (None if is_first else "completed")


@pytest.mark.parametrize("is_first", [True, False], ids=["first run", "later run"])
async def test_duplicates_at_two_servers_with_points_for_one_are_one_run(
    dsn: str, database: Database, tmp_path: Path, is_first: bool
) -> None:
    async with (
        serving(dsn, model=ScriptedModel(), data_dir=tmp_path) as one,
        serving(dsn, model=ScriptedModel(), data_dir=tmp_path) as other,
    ):
        caller, body = await one.account(), run_body()
        elsewhere = Caller(other.url, other.http, caller.id, caller.email, caller.headers)
        await _spend(caller, 60)
        await _spend(caller, 20, thread=str(uuid4()) if is_first else body["threadId"])

        async with database.transaction() as tx:
            # Both have read that there is no such run, and wait for the points of the account.
            await tx.execute("SELECT 1 FROM user_points WHERE user_id = $1 FOR UPDATE", caller.id)
            posts = [asyncio.create_task(each.post(RUNS, body)) for each in (caller, elsewhere)]
            await wait_for_lock_waiter(database, waiters=2)
        answers = await asyncio.gather(*posts)
        await caller.events(body["threadId"], body["runId"])

        assert [status for status, _ in answers] == [202, 202]
        assert len({answer["taskId"] for _, answer in answers}) == 1
        assert (await caller.points())["balance"] == 0


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


async def test_a_run_is_claimed_with_its_acceptance_only_where_there_is_capacity(
    dsn: str, model: ScriptedModel, tmp_path: Path
) -> None:
    hold = Hold()
    model.play([hold, Say("done")])
    async with serving(dsn, model=model, data_dir=tmp_path, slots=1) as served:
        caller = await served.account()
        bodies = [run_body(), run_body()]

        ids = [(await caller.submit(body))["taskId"] for body in bodies]

        rows = [await read_run(served, run_id) for run_id in ids]
        claims = [(row["status"], row["attempt"], row["worker_id"]) for row in rows]
        assert claims == [("running", 1, served.product.engine.worker_id), ("queued", 0, None)]
        assert [row["started_at"] is not None for row in rows] == [True, False]
        hold.release.set()
        for body in bodies:
            await caller.events(body["threadId"], body["runId"])


async def test_a_run_accepted_while_the_process_stops_is_released(
    dsn: str, database: Database, tmp_path: Path
) -> None:
    async with (
        serving(dsn, model=ScriptedModel(), data_dir=tmp_path, slots=0) as other,
        serving(dsn, model=ScriptedModel(), data_dir=tmp_path) as stopping,
    ):
        caller, body = await stopping.account(), run_body()
        async with database.transaction() as tx:
            await hold_open(tx)
            # The acceptance waits for the account's points until this transaction ends.
            await tx.execute("SELECT 1 FROM user_points WHERE user_id = $1 FOR UPDATE", caller.id)
            submitting = asyncio.create_task(caller.submit(body))
            await wait_for_lock_waiter(database)
            await stopping.product.stop()
        accepted = await submitting

        row = await read_run(stopping, accepted["taskId"])
        assert (row["status"], row["worker_id"]) == ("queued", None)
        caller.url, caller.http = other.url, other.http
        async with serving(dsn, model=ScriptedModel(), data_dir=tmp_path):
            frames = await caller.events(body["threadId"], body["runId"])
        assert frames[-1].type == "RUN_FINISHED"


async def test_a_run_whose_acceptance_got_lost_on_the_way_back_is_executed(
    dsn: str, database: Database, model: ScriptedModel, tmp_path: Path
) -> None:
    """By the worker's heartbeat: the job is not due before the test is over, and because there is
    one the sweep adds none."""
    async with (
        lossy_postgres(dsn) as (lossy_dsn, proxy),
        serving(lossy_dsn, model=model, data_dir=tmp_path) as served,
    ):
        caller, body = await served.account(), run_body()
        proxy.marker = body["runId"].encode()

        status, _ = await caller.post(RUNS, body)
        async with database.transaction() as tx:
            await tx.execute("UPDATE pgqueuer SET execute_after = now() + interval '1 hour'")
            stored = await tx.fetchval("SELECT count(*) FROM runs WHERE key = $1", body["runId"])
        again = await caller.submit(body)
        await caller.events(body["threadId"], body["runId"])

        assert (status, stored, again["runId"]) == (503, 1, body["runId"])
        assert len(model.requests) == 1
        assert (await caller.points())["balance"] == 80


async def read_run(served: Served, run_id: str) -> Row:
    async with served.product.database.connection() as tx:
        (row,) = await tx.fetch("SELECT * FROM runs WHERE id = $1::uuid", run_id)
        return row


async def test_two_accounts_racing_for_one_thread_leave_it_to_one(served: Served) -> None:
    one, two = await served.account(), await served.account()
    thread = str(uuid4())

    answers = await asyncio.gather(
        *(who.post(RUNS, run_body(thread=thread, run=f"r-{who.id}")) for who in (one, two))
    )

    assert sorted(status for status, _ in answers) == [202, 403]


async def test_a_session_that_this_process_does_not_know_goes_on(served: Served) -> None:
    one, two = await served.account(), await served.account()
    first = run_body()
    _, accepted = await one.post(RUNS, first)
    await one.events(first["threadId"], first["runId"])
    next_turn = run_body(thread=first["threadId"], run="r-next")

    answers = []
    for who, body in ((one, first), (two, next_turn), (one, next_turn)):
        served.product.engine.known_sessions.remove(SessionId(UUID(first["threadId"])))
        answers.append(await who.post(RUNS, body))
    await one.events(first["threadId"], "r-next")

    assert [status for status, _ in answers] == [202, 403, 202]
    assert answers[0][1]["taskId"] == accepted["taskId"]
    asked = [each.text for each in served.model.requests[-1].messages if each.role == "user"]
    assert len(asked) == 2
    assert await broken_rules_of(served.product.database) == []


async def test_a_refused_run_leaves_no_trace(served: Served) -> None:
    caller = await served.account()
    await _spend(caller, 100)
    body = run_body()

    status, answer = await caller.post(RUNS, body)

    assert (status, answer["params"]) == (402, {"needed": 20, "available": 0})
    status, _ = await caller.get("/api/v1/agent/history", threadId=body["threadId"])
    assert status == 404


async def test_a_refused_run_does_not_store_the_conversation_that_the_client_brought(
    served: Served, database: Database
) -> None:
    caller = await served.account()
    await _spend(caller, 100)
    body = run_body()
    body["messages"].append({"id": "m2", "role": "assistant", "content": "Welcome."})

    status, answer = await caller.post(RUNS, body)

    thread = UUID(body["threadId"])
    async with database.connection() as tx:
        sessions = await tx.fetchval("SELECT count(*) FROM sessions WHERE id = $1", thread)
        messages = await tx.fetchval("SELECT count(*) FROM messages WHERE session_id = $1", thread)
    assert (status, answer["params"]) == (402, {"needed": 20, "available": 0})
    assert (sessions, messages) == (0, 0)


async def _spend(caller: Caller, points: int, *, thread: str = "") -> None:
    for _ in range(points // 20):
        body = run_body(thread=thread)
        await caller.submit(body)
        await caller.events(body["threadId"], body["runId"])
