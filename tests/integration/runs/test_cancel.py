"""Cancelling: wherever the run is, and whatever it races with."""

import asyncio
from pathlib import Path
from uuid import UUID

from tests.serving import RUNS, Caller, Served, broken_rules_of, run_body, serving
from tests.waiting import PATIENCE_S

from yarrow.db import Database
from yarrow.llm.scripted import Hold, Say, ScriptedModel


async def cancel(caller: Caller, body: dict[str, str]) -> tuple[int, dict[str, object]]:
    return await caller.post(f"{RUNS}/{body['threadId']}/cancel", runId=body["runId"])


async def test_a_cancelled_run_stops_its_model_and_costs_nothing(served: Served) -> None:
    hold = Hold()
    served.model.play([Say("half of "), hold, Say("it")])
    caller = await served.account()
    body = run_body()
    await caller.submit(body)
    await hold.reached.wait()

    status, answer = await cancel(caller, body)
    frames = await caller.events(body["threadId"], body["runId"])

    assert (status, answer["accepted"]) == (200, True)
    assert (frames[-1].type, frames[-1].data["code"]) == ("RUN_ERROR", "AGENT_RUN_CANCELED")
    assert served.model.cancelled == 1
    points = await caller.points()
    assert (points["balance"], points["frozen_balance"]) == (100, 0)


async def test_a_run_that_waits_for_a_worker_is_cancelled_at_once(
    dsn: str, model: ScriptedModel, tmp_path: Path
) -> None:
    async with serving(dsn, model=model, data_dir=tmp_path, slots=0) as served:
        caller = await served.account()
        body = run_body()
        await caller.submit(body)

        await cancel(caller, body)
        frames = await caller.events(body["threadId"], body["runId"])

        assert [f.type for f in frames] == ["RUN_STARTED", "RUN_ERROR"]
        assert frames[-1].data["code"] == "AGENT_RUN_CANCELED"
        assert (await caller.points())["frozen_balance"] == 0
        assert model.requests == []


async def test_a_run_of_another_process_is_cancelled_through_the_database(
    dsn: str, model: ScriptedModel, tmp_path: Path
) -> None:
    hold = Hold()
    model.play([hold])
    async with (
        serving(dsn, model=model, data_dir=tmp_path) as first,
        serving(dsn, model=ScriptedModel(), data_dir=tmp_path, slots=0) as second,
    ):
        caller = await first.account()
        body = run_body()
        await caller.submit(body)
        await hold.reached.wait()

        caller.url = second.url
        status, _ = await cancel(caller, body)
        frames = await caller.events(body["threadId"], body["runId"])

        assert status == 200
        assert frames[-1].data["code"] == "AGENT_RUN_CANCELED"
        assert model.cancelled == 1


async def test_cancel_racing_success_has_one_outcome(served: Served) -> None:
    caller = await served.account(points=1_000)
    bodies = [run_body() for _ in range(20)]

    async def run_and_cancel(body: dict[str, str], delay_s: float) -> tuple[str, object]:
        await caller.submit(body)
        await asyncio.sleep(delay_s)
        _, answer = await cancel(caller, body)
        frames = await caller.events(body["threadId"], body["runId"])
        return frames[-1].type, answer["accepted"]

    ends = await asyncio.gather(*(run_and_cancel(b, n / 2_000) for n, b in enumerate(bodies)))

    assert {accepted for end, accepted in ends if end == "RUN_FINISHED"} <= {False}
    assert {accepted for end, accepted in ends if end == "RUN_ERROR"} <= {True}
    charged = sum(end == "RUN_FINISHED" for end, _ in ends)
    points = await caller.points()
    assert (points["balance"], points["frozen_balance"]) == (1_000 - 20 * charged, 0)
    assert await broken_rules_of(served.product.database) == []


async def test_a_run_that_ended_cannot_be_cancelled(served: Served) -> None:
    caller = await served.account()
    body = run_body()
    await caller.submit(body)
    await caller.events(body["threadId"], body["runId"])

    status, answer = await cancel(caller, body)

    assert (status, answer["accepted"]) == (200, False)
    assert (await caller.points())["balance"] == 80


async def test_deleting_a_session_stops_what_runs_in_it(served: Served, database: Database) -> None:
    hold = Hold()
    served.model.play([hold])
    caller = await served.account()
    body = run_body()
    await caller.submit(body)
    await hold.reached.wait()

    status, _ = await caller.send("DELETE", f"/api/v1/agent/sessions/{body['threadId']}")

    assert status == 204
    async with asyncio.timeout(PATIENCE_S):
        while (await caller.points())["frozen_balance"]:
            await asyncio.sleep(0.01)
    assert (await caller.points())["balance"] == 100
    assert served.model.cancelled == 1


async def test_a_wish_that_nobody_heard_still_counts(served: Served, database: Database) -> None:
    hold = Hold()
    served.model.play([hold, Say("done")])
    caller = await served.account()
    body = run_body()
    accepted = await caller.submit(body)
    await hold.reached.wait()

    async with database.transaction() as tx:
        await tx.execute(
            "UPDATE runs SET cancel_requested_at = now() WHERE id = $1", UUID(accepted["taskId"])
        )
    hold.release.set()

    frames = await caller.events(body["threadId"], body["runId"])
    assert frames[-1].data["code"] == "AGENT_RUN_CANCELED"
    assert (await caller.points())["balance"] == 100


async def test_no_run_goes_on_in_a_session_that_was_deleted(dsn: str, tmp_path: Path) -> None:
    endless = ScriptedModel(otherwise=lambda _: [Hold()])
    async with serving(dsn, model=endless, data_dir=tmp_path) as served:
        caller = await served.account(points=1_000)
        for n in range(20):
            body = run_body()
            delete = caller.send("DELETE", f"/api/v1/agent/sessions/{body['threadId']}")
            submitting = asyncio.create_task(caller.post(RUNS, body))
            await asyncio.sleep(n / 2_000)
            await delete
            await submitting
            await caller.send("DELETE", f"/api/v1/agent/sessions/{body['threadId']}")

        async with asyncio.timeout(PATIENCE_S):
            while (await caller.points())["frozen_balance"]:
                await asyncio.sleep(0.01)
        assert (await caller.points())["balance"] == 1_000
