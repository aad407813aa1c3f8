"""The runs this process executes now: a bounded set of tasks, each of which can be stopped."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from enum import Enum, auto

from yarrow.errors import DatabaseUnavailable
from yarrow.ids import RunId
from yarrow.runs.model import ClaimedRun

log = logging.getLogger("yarrow.runs")

SAFETY_DELAY = timedelta(seconds=3)
"""A run that its acceptor starts itself is also offered to the others, this much later."""
HAND_BACK_S = 5.0


class StopReason(Enum):
    """Why a run's task is being cancelled."""

    CANCEL = auto()
    """The account wants it to end."""
    HAND_BACK = auto()
    """This process stops; another one shall do the run."""


class Claim(Enum):
    """What came of an attempt to take a run."""

    DONE = auto()
    """It is over, here or elsewhere."""
    ELSEWHERE = auto()
    """A living worker has it, or nobody could be asked."""
    HANDED_BACK = auto()
    """It was ours, and shall go on elsewhere at once."""


Execution = Callable[[RunId, ClaimedRun | None], Awaitable[Claim]]
"""Carries a run out that was claimed for it, or that it has to claim itself."""


class Slots:
    """At most `size` executions at a time."""

    def __init__(self, execute: Execution, *, size: int) -> None:
        self._execute = execute
        self._size = size
        self._tasks: dict[RunId, asyncio.Task[Claim]] = {}
        self._stops: dict[RunId, Callable[[], object]] = {}
        self._reasons: dict[RunId, StopReason] = {}
        self._open = size > 0
        self._reserved = 0
        self._freed = asyncio.Event()

    @property
    def active(self) -> int:
        return len(self._tasks)

    @property
    def has_room(self) -> bool:
        return self._open and len(self._tasks) + self._reserved < self._size

    def has(self, run_id: RunId) -> bool:
        """Whether the run is in one of them."""
        return run_id in self._tasks

    @contextmanager
    def reserved(self) -> Iterator[timedelta]:
        """Keep a slot free while a run is being accepted, if there is one.

        Gives when the run's job is due: later, if the run can start here right after the block.
        """
        room = self.has_room
        self._reserved += room
        try:
            yield SAFETY_DELAY if room else timedelta()
        finally:
            self._reserved -= room

    def start(self, run_id: RunId, claimed: ClaimedRun | None = None) -> asyncio.Task[Claim] | None:
        """Begin a run, or join it if it is already here. None when there is no room."""
        if (running := self._tasks.get(run_id)) is not None:
            return running
        if not self.has_room:
            return None
        task = asyncio.create_task(self.execute(run_id, claimed), name=f"run {run_id}")
        self._tasks[run_id] = task
        task.add_done_callback(lambda _: self._forget(run_id))
        return task

    async def start_soon(self, run_id: RunId, *, patience_s: float) -> asyncio.Task[Claim] | None:
        """The same, waiting a while for a slot to become free."""
        with suppress(TimeoutError):
            async with asyncio.timeout(patience_s):
                while (task := self.start(run_id)) is None and self._open:
                    self._freed.clear()
                    await self._freed.wait()
                return task
        return None

    async def execute(self, run_id: RunId, claimed: ClaimedRun | None = None) -> Claim:
        """Do a run outside the count; for a run that only has to be ended."""
        try:
            return await self._execute(run_id, claimed)
        except DatabaseUnavailable:
            log.warning("run.database_lost", extra={"run_id": str(run_id)})
        except Exception:
            log.exception("run.execution_failed", extra={"run_id": str(run_id)})
        return Claim.ELSEWHERE

    def _forget(self, run_id: RunId) -> None:
        del self._tasks[run_id]
        self._reasons.pop(run_id, None)
        self._freed.set()

    @contextmanager
    def stoppable(self, run_id: RunId, stop: Callable[[], object]) -> Iterator[None]:
        """While the block lasts, `stop` is called when the run shall end; at once if it already
        shall. Outside the block a wish waits, so that no settlement is ever cut in half."""
        self._stops[run_id] = stop
        if run_id in self._reasons:
            stop()
        try:
            yield
        finally:
            del self._stops[run_id]

    def stop(self, run_id: RunId, reason: StopReason) -> bool:
        """Ask a run to end; False when it is not here."""
        if run_id not in self._tasks:
            return False
        if run_id not in self._reasons:
            self._reasons[run_id] = reason
            if (stop := self._stops.get(run_id)) is not None:
                stop()
        return True

    def reason(self, run_id: RunId) -> StopReason | None:
        """Why the run was asked to end."""
        return self._reasons.get(run_id)

    async def drain(self, patience_s: float) -> None:
        """Take nothing new, let what runs finish for a while, hand back the rest."""
        self._open = False
        if self._tasks:
            await asyncio.wait(set(self._tasks.values()), timeout=patience_s)
        for run_id in list(self._tasks):
            self.stop(run_id, StopReason.HAND_BACK)
        if self._tasks:
            await asyncio.wait(set(self._tasks.values()), timeout=HAND_BACK_S)
