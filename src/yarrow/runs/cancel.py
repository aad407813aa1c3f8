"""Stop a run, or delete a session with whatever still runs in it."""

from yarrow.ids import AccountId, SessionId
from yarrow.runs import store
from yarrow.runs.engine import Engine
from yarrow.runs.executions import Slots, StopReason
from yarrow.runs.follow import read_own_run
from yarrow.runs.model import RunStatus
from yarrow.runs.store import RunState
from yarrow.sessions import store as sessions
from yarrow.sessions.rules import require_owner


async def cancel(
    engine: Engine, slots: Slots, account_id: AccountId, *, session_id: SessionId, key: str
) -> bool:
    """Stop the run wherever it is; False when it had ended before.

    A run that waits is claimed like any other; whoever claims it sees the wish first.
    """
    run = await read_own_run(engine, account_id, session_id=session_id, key=key)
    if run.status.ended:
        return False
    async with engine.database.transaction() as tx:
        accepted = await store.request_cancel(tx, run.id)
    if accepted:
        await _stop(slots, run)
    return accepted


async def _stop(slots: Slots, run: RunState) -> None:
    """End it here, or leave it to the worker that has it; a run that waits is ended now."""
    here = slots.stop(run.id, StopReason.CANCEL)
    if not here and run.status is RunStatus.QUEUED:
        await slots.execute(run.id)


async def delete_session(
    engine: Engine, slots: Slots, account_id: AccountId, session_id: SessionId
) -> None:
    """Hide the session for good and stop what runs in it; a missing one is as good as deleted.

    Two transactions: after the first no turn begins in the session any more, so the second
    meets all that is going. In one, its locks and a settlement's would wait for each other.
    """
    async with engine.database.transaction() as tx:
        ownership = await sessions.lock_ownership(tx, session_id)
        if ownership.owner is None or (ownership.deleted and ownership.owner == account_id):
            return
        require_owner(session_id, ownership, caller=account_id)
        await sessions.delete_session(tx, session_id)
    async with engine.database.transaction() as tx:
        going = await store.active_runs(tx, session_id)
        for run in going:
            await store.request_cancel(tx, run.id)
    for run in going:
        await _stop(slots, run)
