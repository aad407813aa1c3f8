"""Delete a session and cancel its runs."""

from yarrow.ids import AccountId, SessionId
from yarrow.runs import store
from yarrow.runs.cancel import cancel_run
from yarrow.runs.engine import Engine
from yarrow.runs.executions import Executions
from yarrow.sessions import store as sessions
from yarrow.sessions.ownership import require_owner


async def delete_session(
    engine: Engine, executions: Executions, account_id: AccountId, session_id: SessionId
) -> None:
    """Mark the session as deleted and cancel its runs; a missing session is no error.

    After the first transaction no new turn can start in the session, so all active runs are found
    then. In one transaction, its locks and those of a settlement could deadlock.
    """
    async with engine.database.transaction() as tx:
        ownership = await sessions.lock_ownership(tx, session_id)
        if ownership.owner is None or (ownership.deleted and ownership.owner == account_id):
            return
        require_owner(session_id, ownership, caller=account_id)
        await sessions.mark_deleted(tx, session_id)
    async with engine.database.connection() as tx:
        active = await store.list_active_runs(tx, session_id)
    for run in active:
        await cancel_run(engine, executions, run)
