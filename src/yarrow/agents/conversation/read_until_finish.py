"""Read an agent's events until the user asks it to finish."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from yarrow.journal.events import RunEvent
from yarrow.runs.finish_signal import FinishSignal


async def read_until_finish(
    events: AsyncGenerator[RunEvent, None], finish: FinishSignal
) -> AsyncGenerator[RunEvent, None]:
    """Yield events until they end or finishing is requested; `events` is closed then.

    The request cancels only the wait for the next event: the task is suspended nowhere else while
    `finish.interrupt` is set, so no other work of the agent is cut.
    """
    reading = asyncio.current_task()
    assert reading is not None
    async with aclosing(events):
        while not finish.is_requested:
            finish.interrupt = reading.cancel
            try:
                event = await anext(events)
            except StopAsyncIteration:
                return
            except asyncio.CancelledError:
                if not finish.is_requested or reading.uncancel() > 0:
                    raise
                return
            finally:
                finish.interrupt = None
            yield event
