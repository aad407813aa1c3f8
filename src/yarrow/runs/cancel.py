"""Cancel a run, or end its answer early."""

from yarrow.ids import AccountId, SessionId
from yarrow.runs import store
from yarrow.runs.engine import Engine
from yarrow.runs.executions import Executions, StopReason
from yarrow.runs.model import RunRow, RunStatus
from yarrow.runs.read import read_own_run


async def cancel(
    engine: Engine,
    executions: Executions,
    account_id: AccountId,
    *,
    session_id: SessionId,
    key: str,
) -> bool:
    """Request the cancel of a run, wherever it executes; False when it had already ended.

    Four ways lead to its end: it executes here and is stopped; its worker gets the
    notification; that is lost and the worker's next heartbeat finds the mark; it is queued and
    is claimed here only to be ended. Whoever claims a marked run ends it first of all.
    """
    run = await read_own_run(engine, account_id, session_id=session_id, key=key)
    return not run.status.ended and await cancel_run(engine, executions, run)


async def cancel_run(engine: Engine, executions: Executions, run: RunRow) -> bool:
    """Mark the run; stop it if it executes here, or claim and end it if it is queued."""
    async with engine.database.transaction() as tx:
        accepted = await store.request_cancel(tx, run.ref.id)
    is_elsewhere = accepted and not executions.stop(run.ref.id, StopReason.CANCEL)
    if is_elsewhere and run.status is RunStatus.QUEUED:
        await executions.execute_uncounted(run.ref.id)
    return accepted


async def finish_early(
    engine: Engine,
    executions: Executions,
    account_id: AccountId,
    *,
    session_id: SessionId,
    key: str,
) -> bool:
    """Request that a run stores the text it has so far; False when it had already ended.

    It reaches the run as a cancel does. A run without any text, or whose worker is
    lost before it could finish, ends as cancelled.
    """
    run = await read_own_run(engine, account_id, session_id=session_id, key=key)
    if run.status.ended:
        return False
    async with engine.database.connection() as tx:
        accepted = await store.request_finish(tx, run.ref.id)
    if accepted and not executions.finish(run.ref.id) and run.status is RunStatus.QUEUED:
        await executions.execute_uncounted(run.ref.id)
    return accepted
