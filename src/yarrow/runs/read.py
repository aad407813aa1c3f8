"""Read runs for their owners."""

from yarrow.ids import AccountId, SessionId
from yarrow.runs import store
from yarrow.runs.engine import Engine
from yarrow.runs.errors import RunNotFound
from yarrow.runs.executions import Executions
from yarrow.runs.model import RunRef, RunRow, RunStatus
from yarrow.sessions.ownership import require_owner


async def read_own_run(
    engine: Engine, account_id: AccountId, *, session_id: SessionId, key: str | None
) -> RunRow:
    """Read the session's run of this key, or its newest one; the account must own the session."""
    async with engine.database.connection() as tx:
        ownership, run = await store.find_run(tx, session_id, key)
    require_owner(session_id, ownership, caller=account_id)
    if run is None:
        raise RunNotFound(key or "yet")
    return run


async def find_own_run(
    engine: Engine,
    executions: Executions,
    account_id: AccountId,
    *,
    session_id: SessionId,
    key: str | None,
) -> RunRow:
    """As `read_own_run`; a run that was accepted here and runs here needs no query."""
    run = None if key is None else executions.find_run(session_id, key)
    if run is None or run.account_id != account_id:
        return await read_own_run(engine, account_id, session_id=session_id, key=key)
    await engine.database.join_disk_wait("runs", run.id)
    ref = RunRef(run.id, run.session_id, run.key)
    return RunRow(ref, RunStatus.RUNNING, run.agent, run.turn_id, run.input.on_disconnect)
