"""Claims: one owner at a time, and one that comes back from the dead writes nothing."""

from pathlib import Path

import pytest
from tests.integration.runs.claims import cancel_unfinished_runs, claim_run, submit_run
from tests.serving import Served, serving

from yarrow.errors import RunFenced
from yarrow.journal.events import RunStarted
from yarrow.llm.scripted import ScriptedModel
from yarrow.runs.model import Succeeded
from yarrow.runs.settle import settle


@pytest.fixture
async def api(dsn: str, model: ScriptedModel, tmp_path: Path):
    """A process that accepts runs and executes none."""
    async with serving(dsn, model=model, data_dir=tmp_path, slots=0) as served:
        yield served
        await cancel_unfinished_runs(served)


async def test_a_living_workers_run_cannot_be_claimed(api: Served) -> None:
    run_id = await submit_run(api)

    assert await claim_run(api, run_id) is not None
    assert await claim_run(api, run_id) is None


async def test_a_silent_workers_run_is_taken_over(api: Served) -> None:
    run_id = await submit_run(api)

    first = await claim_run(api, run_id, alive=False)
    second = await claim_run(api, run_id)

    assert first is not None
    assert second is not None
    assert (first.attempt, second.attempt) == (1, 2)


async def test_a_worker_back_from_the_dead_cannot_settle(api: Served) -> None:
    run_id = await submit_run(api)
    engine = api.product.engine
    dead = await claim_run(api, run_id, alive=False)
    alive = await claim_run(api, run_id)
    assert dead is not None
    assert alive is not None

    logs = [engine.journal.open(run.id, attempt=run.attempt) for run in (dead, alive)]
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
        seqs = await tx.fetch("SELECT first_seq FROM run_events WHERE run_id = $1", run_id)
    assert charges == 1
    assert all(row["first_seq"] > 1_000_000 for row in seqs)


async def test_a_stale_attempt_appends_nothing_to_the_journal(api: Served) -> None:
    run_id = await submit_run(api)
    engine = api.product.engine
    stale = await claim_run(api, run_id, alive=False)
    current = await claim_run(api, run_id)
    assert stale is not None
    assert current is not None

    for run in (stale, current):
        log = engine.journal.open(run.id, attempt=run.attempt)
        log.add(RunStarted(engine.now_ms()))
        await engine.journal.flush_one(log)

    assert [each.number for each in await engine.journal.read(run_id)] == [1_000_001]


async def test_a_settled_run_takes_no_more_events(api: Served) -> None:
    run = await claim_run(api, await submit_run(api))
    assert run is not None
    engine = api.product.engine
    log = engine.journal.open(run.id, attempt=1)
    log.add(RunStarted(engine.now_ms()))
    await settle(engine, run, log, Succeeded())

    late = engine.journal.open(run.id, attempt=1)
    for _ in range(3):
        late.add(RunStarted(engine.now_ms()))
    await engine.journal.flush_one(late)

    assert [each.number for each in await engine.journal.read(run.id)] == [1, 2]


async def test_settling_twice_charges_once(api: Served) -> None:
    run = await claim_run(api, await submit_run(api))
    assert run is not None
    engine = api.product.engine
    log = engine.journal.open(run.id, attempt=1)
    log.add(RunStarted(engine.now_ms()))

    await settle(engine, run, log, Succeeded())
    with pytest.raises(RunFenced):
        await settle(engine, run, log, Succeeded())

    async with api.product.database.connection() as tx:
        balance = await tx.fetchval(
            "SELECT balance FROM user_points WHERE user_id = $1", run.account_id
        )
    assert balance == 80
