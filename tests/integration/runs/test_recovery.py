"""The nets under a run: takeover has a limit, and a run that lost its job is found again."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import pytest
from tests.integration.runs.claims import cancel_unfinished_runs, claim_run
from tests.serving import Served, broken_rules_of, run_body, serving

from yarrow.ids import RunId
from yarrow.llm.scripted import Hold, Say, ScriptedModel
from yarrow.runs.executions import ExecutionResult
from yarrow.runs.recovery import LEASE, choose_retry_time

DUE_NOW = """
SELECT count(*) FROM pgqueuer
WHERE dedupe_key = $1 AND status = 'queued' AND execute_after <= now()
"""


@pytest.fixture
async def api(dsn: str, tmp_path: Path) -> AsyncIterator[Served]:
    """A process that accepts runs and executes none."""
    async with serving(dsn, model=ScriptedModel(), data_dir=tmp_path, slots=0) as served:
        yield served
        await cancel_unfinished_runs(served)


@pytest.mark.parametrize(
    ("lost", "end", "balance"),
    [(4, ("succeeded", None, 5), 80), (5, ("failed", "worker_lost", 6), 100)],
)
async def test_a_run_is_begun_five_times_and_then_fails_at_no_cost(
    api: Served,
    model: ScriptedModel,
    tmp_path: Path,
    lost: int,
    end: tuple[str, str | None, int],
    balance: int,
) -> None:
    caller, body = await api.account(), run_body()
    run_id = RunId(UUID((await caller.submit(body))["taskId"]))
    for _ in range(lost):
        assert await claim_run(api, run_id, alive=False) is not None

    database = api.product.database
    async with serving(database.dsn, model=model, data_dir=tmp_path):
        await caller.events(body["threadId"], body["runId"])

    async with database.connection() as tx:
        query = "SELECT status, failure, attempt FROM runs WHERE id = $1"
        (row,) = await tx.fetch(query, run_id)
    points = await caller.points()
    assert tuple(row) == end
    assert (points["balance"], points["frozen_balance"]) == (balance, 0)
    assert len(model.requests) == (lost < 5)
    assert await broken_rules_of(database) == []


async def test_clients_of_an_attempt_that_stored_nothing_are_told_that_all_is_void(
    api: Served, model: ScriptedModel, tmp_path: Path
) -> None:
    caller, body = await api.account(), run_body()
    run_id = RunId(UUID((await caller.submit(body))["taskId"]))
    assert await claim_run(api, run_id, alive=False) is not None

    async with serving(api.product.database.dsn, model=model, data_dir=tmp_path):
        new = await caller.events(body["threadId"], body["runId"])
        resumed = await caller.events(body["threadId"], body["runId"], after=5)

    restarted = resumed[0].data
    assert [frame.type for frame in new].count("RUN_STARTED") == 1
    assert new[0].type == "RUN_STARTED"
    assert not any(frame.data.get("name") == "RUN_RESTARTED" for frame in new)
    assert restarted["name"] == "RUN_RESTARTED"
    assert restarted["value"]["discardedUpToId"] == 1_000_000
    assert resumed[1:] == new[1:]


async def test_a_run_without_a_job_is_given_one_by_the_sweep(
    api: Served, model: ScriptedModel, tmp_path: Path
) -> None:
    caller, body = await api.account(), run_body()
    run_id = (await caller.submit(body))["taskId"]
    database = api.product.database
    async with database.transaction() as tx:
        deleted = await tx.execute("DELETE FROM pgqueuer WHERE dedupe_key = $1", run_id)
        # The sweep leaves young runs alone; waiting would take as long as two sweeps.
        await tx.execute(
            "UPDATE runs SET created_at = created_at - interval '1 minute' WHERE id = $1::uuid",
            run_id,
        )

    async with serving(database.dsn, model=model, data_dir=tmp_path):
        frames = await caller.events(body["threadId"], body["runId"])

    assert deleted == "DELETE 1"
    assert frames[-1].data["result"]["answer"] == "You said: hello"
    assert (await caller.points())["balance"] == 80


async def test_a_released_run_can_be_claimed_at_once(
    api: Served, model: ScriptedModel, tmp_path: Path
) -> None:
    """Whatever delay its job had: a process that starts its own run delays the job, and so does
    a worker that meets the run in another's hands."""
    hold = Hold()
    model.play([hold])
    database = api.product.database
    async with serving(database.dsn, model=model, data_dir=tmp_path) as stopping:
        caller, body = await stopping.account(), run_body()
        run_id = (await caller.submit(body))["taskId"]
        await hold.reached.wait()
        async with database.transaction() as tx:
            await tx.execute(
                "UPDATE pgqueuer SET execute_after = now() + interval '1 hour' "
                "WHERE dedupe_key = $1",
                run_id,
            )

    async with database.connection() as tx:
        assert await tx.fetchval(DUE_NOW, run_id) == 1
    caller.url, caller.http = api.url, api.http
    other = ScriptedModel([Say("done by the other")])
    async with serving(database.dsn, model=other, data_dir=tmp_path):
        frames = await caller.events(body["threadId"], body["runId"])
    assert frames[-1].data["result"]["answer"] == "done by the other"


async def test_a_run_of_another_worker_is_offered_again_when_its_lease_ends(api: Served) -> None:
    run_id = RunId(UUID((await (await api.account()).submit(run_body()))["taskId"]))
    run = await claim_run(api, run_id)
    assert run is not None
    engine = api.product.engine
    async with engine.database.transaction() as tx:
        await tx.execute(
            "UPDATE workers SET seen_at = now() - interval '1 second' "
            "WHERE id = (SELECT worker_id FROM runs WHERE id = $1)",
            run_id,
        )

    soon = await choose_retry_time(engine, run_id, ExecutionResult.NOT_CLAIMED)

    assert soon is not None
    assert timedelta() < soon <= LEASE - timedelta(seconds=1)


async def test_a_run_that_no_worker_owns_is_offered_again_after_a_lease(api: Served) -> None:
    run_id = RunId(UUID((await (await api.account()).submit(run_body()))["taskId"]))

    delay = await choose_retry_time(api.product.engine, run_id, ExecutionResult.NOT_CLAIMED)

    assert delay == LEASE


async def test_a_released_run_is_offered_at_once_and_an_ended_one_never(
    api: Served, model: ScriptedModel, tmp_path: Path
) -> None:
    caller, body, engine = await api.account(), run_body(), api.product.engine
    run_id = RunId(UUID((await caller.submit(body))["taskId"]))
    released = await choose_retry_time(engine, run_id, ExecutionResult.RELEASED)
    async with serving(engine.database.dsn, model=model, data_dir=tmp_path):
        await caller.events(body["threadId"], body["runId"])

    settled_here = await choose_retry_time(engine, run_id, ExecutionResult.ENDED)
    settled_elsewhere = await choose_retry_time(engine, run_id, ExecutionResult.NOT_CLAIMED)

    assert (released, settled_here, settled_elsewhere) == (timedelta(), None, None)
