"""Runs that were interrupted between claim and settlement are finished all the same."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import UUID

from tests.serving import Caller, Served, broken_rules_of, run_body, serving
from tests.waiting import PATIENCE_S

from yarrow.db import Database
from yarrow.ids import RunId
from yarrow.llm.scripted import Hold, Say, ScriptedModel
from yarrow.runs import transitions

DISK_FULL, CHECK_VIOLATION = "53100", "23514"
# A sequence counts what a transaction that fails would take back.
REFUSE_CHARGES = """
CREATE SEQUENCE refusals;
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM nextval('refusals');
    RAISE EXCEPTION 'refused' USING ERRCODE = '{code}';
END $$;
CREATE TRIGGER refuse BEFORE INSERT ON points_ledger FOR EACH ROW EXECUTE FUNCTION refuse()
"""


@asynccontextmanager
async def refused_charges(database: Database, code: str) -> AsyncIterator[None]:
    """Let PostgreSQL fail every charge with this error while the block lasts."""
    async with database.transaction() as tx:
        await tx.execute(REFUSE_CHARGES.replace("{code}", code))
    try:
        yield
    finally:
        async with database.transaction() as tx:
            await tx.execute("DROP FUNCTION refuse CASCADE; DROP SEQUENCE refusals")


async def wait_for_refusals(database: Database, count: int) -> None:
    async with asyncio.timeout(PATIENCE_S), database.connection() as tx:
        while await tx.fetchval("SELECT last_value FROM refusals") < count:
            await asyncio.sleep(0.01)


async def finished(caller: Caller, body: dict[str, str]) -> str:
    async with asyncio.timeout(PATIENCE_S):
        return (await caller.events(body["threadId"], body["runId"]))[-1].type


async def test_a_claim_whose_answer_was_lost_is_made_again(
    dsn: str, database: Database, model: ScriptedModel, tmp_path: Path
) -> None:
    hold = Hold()
    model.play([hold, Say("done")])
    async with serving(dsn, model=model, data_dir=tmp_path, slots=1) as served:
        caller, body = await served.account(), run_body()
        await caller.submit(run_body())
        accepted = await caller.submit(body)  # not started: the only slot is in use
        engine, run_id = served.product.engine, RunId(UUID(accepted["taskId"]))
        async with database.transaction() as tx:
            claimed = await transitions.claim_run(
                tx, run_id, worker_id=engine.worker_id, lease=engine.lease
            )
        hold.release.set()

        assert claimed is not None
        assert await finished(caller, body) == "RUN_FINISHED"
        assert (await caller.points())["balance"] == 60


async def test_a_full_disk_is_waited_for(served: Served, database: Database) -> None:
    caller = await served.account()
    body = run_body()
    async with refused_charges(database, DISK_FULL):
        await caller.submit(body)
        await wait_for_refusals(database, 3)

    assert await finished(caller, body) == "RUN_FINISHED"
    assert len(served.model.requests) == 1
    assert (await caller.points())["balance"] == 80
    assert await broken_rules_of(database) == []


async def test_an_answer_that_cannot_be_kept_fails_the_run(
    served: Served, database: Database
) -> None:
    caller = await served.account()
    body = run_body()
    async with refused_charges(database, CHECK_VIOLATION):
        await caller.submit(body)
        end = await finished(caller, body)

    assert end == "RUN_ERROR"
    points = await caller.points()
    assert (points["balance"], points["frozen_balance"]) == (100, 0)
