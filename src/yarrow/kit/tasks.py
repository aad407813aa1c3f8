"""Background loops: tasks that run for the life of the process.

A loop handles the errors it expects and never returns. When one dies all the same, the process
is broken in a way nobody foresaw: it reports 503, drains and exits non-zero (`server`), and
whatever supervises it starts a new one. A `TaskGroup` would cancel the drain together with the
other loops, on which the drain depends.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager

log = logging.getLogger("yarrow.kit.tasks")


class BackgroundLoops:
    """The loops of a process, and the first of them that died."""

    def __init__(self) -> None:
        self.dead_loop: str | None = None
        self._on_death: list[Callable[[], None]] = []

    def on_death(self, callback: Callable[[], None]) -> None:
        """Call back when the first loop dies; at once if one has died already."""
        self._on_death.append(callback)
        if self.dead_loop is not None:
            callback()

    @asynccontextmanager
    async def running(self, **loops: Coroutine[None, None, None]) -> AsyncIterator[None]:
        """Run the loops while the block lasts; each is named by its keyword."""
        tasks = [asyncio.create_task(loop, name=name) for name, loop in loops.items()]
        for task in tasks:
            task.add_done_callback(self._on_done)
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def _on_done(self, task: asyncio.Task[None]) -> None:
        if task.cancelled():
            return
        name = task.get_name()
        log.critical("background.loop_died", extra={"loop": name}, exc_info=task.exception())
        if self.dead_loop is None:
            self.dead_loop = name
            for callback in self._on_death:
                callback()
