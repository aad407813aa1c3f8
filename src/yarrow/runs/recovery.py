"""Recovery: what brings a run to its end after its process or a message was lost.

Every unfinished run has a job in PgQueuer's table, and every worker renews a lease each second.
Claiming is one conditional UPDATE (`transitions.claim_run`), so several of these may find the
same run without harm.

1. `choose_retry_time`: the job of a run that a live worker owns is offered again when its lease
   would end. Catches an owner that dies afterwards.
2. PgQueuer's own heartbeat offers a job again whose holder died, in `JOB_HEARTBEAT_TIMEOUT`.
3. `heartbeat` starts runs that this worker owns and that do not execute here. Catches a claim
   whose answer was lost on the way back, after `START_GRACE`.
4. `sweep_runs` gives a job to unfinished runs that have none. Catches the loss of the job itself,
   within two sweeps.

How the constants fit: a lease outlives four missed heartbeats of `HEARTBEAT_S`. A run that its
acceptor starts itself is offered to others after `START_GRACE`, when it has normally ended. Workers
poll each second, so they have the runs of a killed one a second after its lease. A run that was
claimed more than `MAX_ATTEMPTS` times kills its workers, and fails instead; so does one that holds
an event loop for ten seconds (`blocked_loop`).
"""

import logging
from contextlib import suppress
from datetime import timedelta
from typing import assert_never

from yarrow.db.errors import DatabaseUnavailable
from yarrow.ids import RunId
from yarrow.runs import store
from yarrow.runs.engine import Engine
from yarrow.runs.executions import ExecutionResult, Executions, StopReason

log = logging.getLogger("yarrow.worker")

HEARTBEAT_S = 1.0
LEASE = timedelta(seconds=4)
START_GRACE = timedelta(seconds=3)
JOB_HEARTBEAT_TIMEOUT = timedelta(seconds=4)
SWEEP_S = 5.0
KEEP_TRACES = timedelta(days=1)
MAX_ATTEMPTS = 5


async def choose_retry_time(
    engine: Engine, run_id: RunId, result: ExecutionResult
) -> timedelta | None:
    """When the run's job is to be offered again; None when the run has ended."""
    match result:
        case ExecutionResult.ENDED:
            return None
        case ExecutionResult.NOT_CLAIMED:
            with suppress(DatabaseUnavailable):
                async with engine.database.reserved_connection() as tx:
                    return await store.read_lease_end(tx, run_id, lease=engine.lease)
            return LEASE
        case ExecutionResult.RELEASED:
            return timedelta()
        case _:
            assert_never(result)


async def heartbeat(engine: Engine, executions: Executions) -> None:
    """Renew the lease; stop runs whose notification was lost; start claimed ones."""
    async with engine.database.reserved_connection() as tx:
        await store.renew_lease(tx, engine.worker_id)
        cancelled, finishing = await store.list_stopped_runs(tx, engine.worker_id)
        claimed = await store.list_claimed_runs(tx, engine.worker_id, longer_than=START_GRACE)
    for run_id in cancelled:
        executions.stop(run_id, StopReason.CANCEL)
    for run_id in finishing:
        executions.finish(run_id)
    # Accepted and claimed in one statement whose answer never arrived here.
    for run_id in claimed:
        executions.start(run_id)


async def sweep_runs(engine: Engine) -> None:
    """Give a job to every unfinished run that has none; drop traces of old workers and jobs."""
    async with engine.database.transaction() as tx:
        requeued = await store.requeue_runs_without_job(tx, older_than=timedelta(seconds=SWEEP_S))
        await store.delete_stale_rows(tx, older_than=KEEP_TRACES)
    if requeued:
        log.warning("worker.runs_requeued", extra={"runs": requeued})
