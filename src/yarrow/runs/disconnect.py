"""What happens to a run whose client disconnects: it continues, or it is cancelled."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from yarrow.ids import AccountId
from yarrow.runs.cancel import cancel
from yarrow.runs.engine import Engine
from yarrow.runs.executions import Executions
from yarrow.runs.model import DisconnectPolicy, RunRef


@asynccontextmanager
async def apply_disconnect_policy(
    engine: Engine,
    executions: Executions,
    account_id: AccountId,
    run: RunRef,
    policy: DisconnectPolicy,
    *,
    unless_followed: bool = False,
) -> AsyncIterator[None]:
    """Around a client's stream: when the block is left before its end, the client disconnected.

    With `unless_followed` a run that other streams of this process follow is not cancelled.
    """
    completed = False
    try:
        yield
        completed = True
    finally:
        is_watched = unless_followed and engine.journal.is_followed(run.id)
        if not completed and policy is DisconnectPolicy.CANCEL and not is_watched:
            await asyncio.shield(
                cancel(engine, executions, account_id, session_id=run.session_id, key=run.key)
            )
