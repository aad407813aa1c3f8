"""What happens to a run whose client disconnects: it continues, or it is cancelled."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from yarrow.ids import AccountId
from yarrow.runs.cancel import cancel
from yarrow.runs.engine import Engine
from yarrow.runs.executions import Executions
from yarrow.runs.model import RunRef


async def cancel_when_closed(
    engine: Engine,
    executions: Executions,
    account_id: AccountId,
    run: RunRef,
    frames: AsyncGenerator[bytes, None],
    *,
    unless_followed: bool = False,
) -> AsyncGenerator[bytes, None]:
    """Yield the frames; cancel the run if they are closed before their end.

    With `unless_followed` a run that other streams of this process follow is not cancelled.
    """
    completed = False
    try:
        async with aclosing(frames):
            async for frame in frames:
                yield frame
        completed = True
    finally:
        if not completed and not (unless_followed and engine.journal.is_followed(run.id)):
            await asyncio.shield(
                cancel(engine, executions, account_id, session_id=run.session_id, key=run.key)
            )
