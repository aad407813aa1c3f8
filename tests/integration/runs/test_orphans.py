"""Runs that lost their way between claim and settlement find it again."""

import asyncio
from uuid import UUID

from tests.serving import Caller, Served, broken_rules_of, run_body

from yarrow.db import Database
from yarrow.ids import RunId
from yarrow.runs import transitions

REFUSE = """
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION 'no space left' USING ERRCODE = $1; END $$
"""


async def finished(caller: Caller, body: dict[str, str]) -> str:
    async with asyncio.timeout(15):
        return (await caller.events(body["threadId"], body["runId"]))[-1].type


async def test_a_claim_whose_answer_was_lost_is_taken_again(
    served: Served, database: Database
) -> None:
    caller = await served.account()
    body = run_body()
    executions = served.product.executions
    executions.is_open = False  # accept, and let nobody start it yet
    accepted = await caller.submit(body)
    engine = served.product.engine
    async with database.transaction() as tx:
        run = RunId(UUID(accepted["taskId"]))
        await transitions.claim_run(tx, run, worker_id=engine.worker_id, lease=engine.lease)
    executions.is_open = True

    assert await finished(caller, body) == "RUN_FINISHED"
    assert (await caller.points())["balance"] == 80


async def test_a_full_disk_is_waited_for(served: Served, database: Database) -> None:
    caller = await served.account()
    body = run_body()
    async with database.transaction() as tx:
        await tx.execute(REFUSE.replace("$1", "'53100'"))
        await tx.execute(
            "CREATE TRIGGER full_disk BEFORE INSERT ON points_ledger "
            "FOR EACH ROW EXECUTE FUNCTION refuse()"
        )
    try:
        await caller.submit(body)
        await asyncio.sleep(0.5)
    finally:
        async with database.transaction() as tx:
            await tx.execute("DROP FUNCTION refuse CASCADE")

    assert await finished(caller, body) == "RUN_FINISHED"
    assert (await caller.points())["balance"] == 80
    assert await broken_rules_of(database) == []


async def test_an_answer_that_cannot_be_kept_fails_the_run(
    served: Served, database: Database
) -> None:
    caller = await served.account()
    body = run_body()
    async with database.transaction() as tx:
        await tx.execute(REFUSE.replace("$1", "'23514'"))
        await tx.execute(
            "CREATE TRIGGER bad_row BEFORE INSERT ON points_ledger "
            "FOR EACH ROW EXECUTE FUNCTION refuse()"
        )
    try:
        await caller.submit(body)
        end = await finished(caller, body)
    finally:
        async with database.transaction() as tx:
            await tx.execute("DROP FUNCTION refuse CASCADE")

    assert end == "RUN_ERROR"
    points = await caller.points()
    assert (points["balance"], points["frozen_balance"]) == (100, 0)
