"""Claims: one owner at a time, and one that comes back from the dead writes nothing."""

from datetime import timedelta
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from tests.serving import Served, run_body, serving

from yarrow.ids import RunId, WorkerId
from yarrow.llm.scripted import ScriptedModel
from yarrow.runs import store, transitions
from yarrow.runs.errors import RunFenced
from yarrow.runs.events import RunStarted
from yarrow.runs.model import Cancelled, ClaimedRun, Succeeded
from yarrow.runs.settle import settle

LEASE = timedelta(seconds=4)


async def queued_run(served: Served) -> RunId:
    caller = await served.account()
    return RunId(UUID((await caller.submit(run_body()))["taskId"]))


async def claim(
    served: Served, run_id: RunId, *, lives: bool = True, lease: timedelta = LEASE
) -> ClaimedRun | None:
    worker = WorkerId(uuid4())
    async with served.product.database.transaction() as tx:
        if lives:
            await store.renew_lease(tx, worker)
        return await transitions.claim_run(tx, run_id, worker_id=worker, lease=lease)


async def end_what_is_left(served: Served) -> None:
    """The workers of these tests do not exist: their runs would fall to the next test's servers."""
    engine = served.product.engine
    async with served.product.database.connection() as tx:
        left = await tx.fetch("SELECT id FROM runs WHERE ended_at IS NULL")
    for row in left:
        run = await claim(served, row["id"], lease=timedelta())
        assert run is not None
        log = engine.journal.open(run.id, attempt=run.attempt, first_seq=run.first_seq)
        await settle(engine, run, log, Cancelled())


@pytest.fixture
async def api(dsn: str, model: ScriptedModel, tmp_path: Path):
    """A process that accepts runs and executes none."""
    async with serving(dsn, model=model, data_dir=tmp_path, slots=0) as served:
        yield served
        await end_what_is_left(served)


async def test_a_living_workers_run_cannot_be_claimed(api: Served) -> None:
    run_id = await queued_run(api)

    assert await claim(api, run_id) is not None
    assert await claim(api, run_id) is None


async def test_a_silent_workers_run_is_taken_over(api: Served) -> None:
    run_id = await queued_run(api)

    first = await claim(api, run_id, lives=False)
    second = await claim(api, run_id)

    assert first is not None
    assert second is not None
    assert (first.attempt, second.attempt) == (1, 2)


async def test_a_worker_back_from_the_dead_cannot_settle(api: Served) -> None:
    run_id = await queued_run(api)
    engine = api.product.engine
    dead = await claim(api, run_id, lives=False)
    alive = await claim(api, run_id)
    assert dead is not None
    assert alive is not None

    logs = [
        engine.journal.open(run.id, attempt=run.attempt, first_seq=run.first_seq)
        for run in (dead, alive)
    ]
    for log in logs:
        log.add(RunStarted(engine.now_ms()))
    with pytest.raises(RunFenced):
        await settle(engine, dead, logs[0], Succeeded())
    await settle(engine, alive, logs[1], Succeeded())

    async with api.product.database.connection() as tx:
        charges = await tx.fetchval(
            "SELECT count(*) FROM points_ledger WHERE user_id = $1 AND change_type = 'consume'",
            alive.account_id,
        )
        seqs = await tx.fetch("SELECT seq FROM run_events WHERE run_id = $1", run_id)
    assert charges == 1
    assert all(row["seq"] > 1_000_000 for row in seqs)


async def test_settling_twice_charges_once(api: Served) -> None:
    run = await claim(api, await queued_run(api))
    assert run is not None
    engine = api.product.engine
    log = engine.journal.open(run.id, attempt=1, first_seq=1)
    log.add(RunStarted(engine.now_ms()))

    await settle(engine, run, log, Succeeded())
    with pytest.raises(RunFenced):
        await settle(engine, run, log, Succeeded())

    async with api.product.database.connection() as tx:
        balance = await tx.fetchval(
            "SELECT balance FROM user_points WHERE user_id = $1", run.account_id
        )
    assert balance == 80
