"""Stop a run, or delete a session with whatever still runs in it."""

from yarrow.ids import AccountId, SessionId
from yarrow.runs import store
from yarrow.runs.engine import Engine
from yarrow.runs.follow import read_own_run, require_own_session
from yarrow.runs.model import RunStatus
from yarrow.runs.slots import Slots, StopReason
from yarrow.runs.store import RunState
from yarrow.sessions import store as sessions


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
        await store.request_cancel(tx, run.id)
    await _stop(slots, run)
    return True


async def _stop(slots: Slots, run: RunState) -> None:
    """End it here, or leave it to the worker that has it; a run that waits is ended now."""
    here = slots.stop(run.id, StopReason.CANCEL)
    if not here and run.status is RunStatus.QUEUED:
        await slots.execute(run.id)


async def delete_session(
    engine: Engine, slots: Slots, account_id: AccountId, session_id: SessionId
) -> None:
    """Hide the session for good and stop what runs in it; a missing one is as good as deleted."""
    async with engine.database.transaction() as tx:
        ownership = await sessions.read_ownership(tx, session_id)
        if ownership.owner is None or (ownership.deleted and ownership.owner == account_id):
            return
        await require_own_session(tx, session_id, account_id)
        going = await store.active_runs(tx, session_id)
        for run in going:
            await store.request_cancel(tx, run.id)
        await sessions.delete_session(tx, session_id)
    for run in going:
        await _stop(slots, run)
