"""Claims made directly in SQL, under worker ids that have no process behind them."""

from datetime import timedelta
from uuid import UUID, uuid4

from tests.serving import Served, run_body

from yarrow.ids import RunId, WorkerId
from yarrow.runs import store, transitions
from yarrow.runs.model import Cancelled, ClaimedRun
from yarrow.runs.settle import settle

LEASE = timedelta(seconds=4)
EXPIRED = timedelta(hours=-1)
"""A lease that is over, also for a worker whose heartbeat comes while its run is claimed."""


async def submit_run(served: Served) -> RunId:
    """Accept a run of a new account."""
    caller = await served.account()
    return RunId(UUID((await caller.submit(run_body()))["taskId"]))


async def claim_run(
    served: Served, run_id: RunId, *, alive: bool = True, lease: timedelta = LEASE
) -> ClaimedRun | None:
    """Claim as a new worker; one that is not `alive` never sent a heartbeat."""
    worker = WorkerId(uuid4())
    async with served.product.database.transaction() as tx:
        if alive:
            await store.renew_lease(tx, worker)
        return await transitions.claim_run(tx, run_id, worker_id=worker, lease=lease)


async def cancel_unfinished_runs(served: Served) -> None:
    """End what the tests claimed, or the workers of later tests would take it over."""
    engine = served.product.engine
    async with served.product.database.connection() as tx:
        unfinished = await tx.fetch("SELECT id FROM runs WHERE ended_at IS NULL")
    for row in unfinished:
        run = await claim_run(served, row["id"], lease=EXPIRED)
        assert run is not None
        log = engine.journal.open(run.id, attempt=run.attempt)
        await settle(engine, run, log, Cancelled())
