"""Ending an answer early, at the user's request, with what was said so far."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing, contextmanager

from yarrow.journal.events import RunEvent


class FinishSignal:
    """Asks the agent of one run to end its answer. An agent that does not read it finishes as
    usual."""

    def __init__(self) -> None:
        self.is_requested = False
        self._interrupt: Callable[[], object] | None = None

    def request(self) -> None:
        """Interrupt the agent if it waits for its model."""
        if not self.is_requested:
            self.is_requested = True
            if self._interrupt is not None:
                self._interrupt()

    @contextmanager
    def interrupting(self, interrupt: Callable[[], object]) -> Iterator[None]:
        """Call `interrupt` on a request within the block."""
        self._interrupt = interrupt
        try:
            yield
        finally:
            self._interrupt = None


async def read_until_finish(
    events: AsyncGenerator[RunEvent, None], finish: FinishSignal
) -> AsyncGenerator[RunEvent, None]:
    """Yield events until they end or finishing is requested; `events` is closed then.

    The request cancels only the wait for the next event: the task is suspended nowhere else while
    `interrupting` is in force, so no other work of the agent is cut.
    """
    reading = asyncio.current_task()
    assert reading is not None
    async with aclosing(events):
        while not finish.is_requested:
            try:
                with finish.interrupting(reading.cancel):
                    event = await anext(events)
            except StopAsyncIteration:
                return
            except asyncio.CancelledError:
                if not finish.is_requested or reading.uncancel() > 0:
                    raise
                return
            yield event
