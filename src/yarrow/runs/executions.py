"""The runs that execute in this process: a bounded set of tasks, each of which can be stopped."""

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from enum import Enum, auto
from typing import TypeVar

from msgspec import Struct

from yarrow.db.errors import DatabaseUnavailable
from yarrow.ids import AccountId, RunId, SessionId
from yarrow.runs.finish_signal import FinishSignal
from yarrow.runs.model import ClaimedRun

log = logging.getLogger("yarrow.runs")

TASK_NAME = "run "
"""Before the run's id, the name of every task that executes it."""
RELEASE_S = 5.0
"""How long a stopping process waits for its runs to be released."""

_Result = TypeVar("_Result")


class StopReason(Enum):
    """Why a run is asked to stop."""

    CANCEL = auto()
    """The account cancelled it."""
    RELEASE = auto()
    """This process stops; another one is to execute the run."""


class ExecutionResult(Enum):
    """What came of an attempt to execute a run."""

    ENDED = auto()
    """This process settled the run."""
    NOT_CLAIMED = auto()
    """It has ended, another live worker owns it, or the database was unreachable."""
    RELEASED = auto()
    """This process gave up the claim; any worker may claim the run immediately."""


class StopSignal:
    """Asks one execution to stop; within `interrupting` the request interrupts it at once."""

    def __init__(self) -> None:
        self.reason: StopReason | None = None
        self.finish = FinishSignal()
        self._interrupt: Callable[[], object] | None = None

    def request(self, reason: StopReason) -> None:
        """The first reason counts."""
        if self.reason is None:
            self.reason = reason
            if self._interrupt is not None:
                self._interrupt()

    @contextmanager
    def interrupting(self, interrupt: Callable[[], object]) -> Iterator[None]:
        """Call `interrupt` on a request within the block, at once if there was one before.

        Outside the block a request waits, so that a settlement is never cut in half.
        """
        self._interrupt = interrupt
        if self.reason is not None:
            interrupt()
        try:
            yield
        finally:
            self._interrupt = None


Execute = Callable[[RunId, ClaimedRun | None, StopSignal], Awaitable[ExecutionResult]]
"""Executes a run that is claimed already, or claims it first."""


class _Execution(Struct, frozen=True):
    task: asyncio.Task[ExecutionResult]
    stop: StopSignal


class Executions:
    """At most `size` runs at a time."""

    def __init__(self, execute: Execute, *, size: int) -> None:
        self._execute = execute
        self._size = size
        self._running: dict[RunId, _Execution] = {}
        self._by_key: dict[tuple[SessionId, str], ClaimedRun] = {}
        self._is_open = size > 0
        self._reserved = 0
        self._freed = asyncio.Event()
        self._per_account: Counter[AccountId] = Counter()

    @property
    def active(self) -> int:
        return len(self._running)

    @property
    def has_capacity(self) -> bool:
        return self._is_open and len(self._running) + self._reserved < self._size

    def is_running(self, run_id: RunId) -> bool:
        return run_id in self._running

    def find_run(self, session_id: SessionId, key: str) -> ClaimedRun | None:
        """The run of this key, if it was accepted here and runs here."""
        return self._by_key.get((session_id, key))

    def count_account_runs(self, account_id: AccountId) -> int:
        """The account's runs that were accepted here and run here, with those being accepted."""
        return self._per_account[account_id]

    @contextmanager
    def reserve(self, account_id: AccountId) -> Iterator[bool]:
        """Keep capacity for one run while it is being accepted; False when there is none."""
        reserved = self.has_capacity
        self._reserved += reserved
        self._per_account[account_id] += 1
        try:
            yield reserved
        finally:
            self._reserved -= reserved
            self._release_account(account_id)

    def _release_account(self, account_id: AccountId) -> None:
        self._per_account[account_id] -= 1
        if not self._per_account[account_id]:
            del self._per_account[account_id]

    def start(
        self, run_id: RunId, claimed: ClaimedRun | None = None
    ) -> asyncio.Task[ExecutionResult] | None:
        """Start a run, or join it if it already runs here. None without capacity."""
        if (running := self._running.get(run_id)) is not None:
            return running.task
        if not self.has_capacity:
            return None
        stop = StopSignal()
        task = asyncio.create_task(self._run(run_id, claimed, stop), name=f"{TASK_NAME}{run_id}")
        self._running[run_id] = _Execution(task, stop)
        task.add_done_callback(lambda _: self._forget_run(run_id))
        if claimed is not None:
            self._per_account[claimed.account_id] += 1
            self._by_key[claimed.session_id, claimed.key] = claimed
            task.add_done_callback(lambda _: self._forget_accepted(claimed))
        return task

    async def start_or_wait(
        self, run_id: RunId, *, timeout_s: float
    ) -> asyncio.Task[ExecutionResult] | None:
        """Start a run, waiting a while for capacity."""
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                while (task := self.start(run_id)) is None and self._is_open:
                    self._freed.clear()
                    await self._freed.wait()
                return task
        return None

    async def execute_uncounted(self, run_id: RunId) -> ExecutionResult:
        """Execute a run regardless of capacity: one that was cancelled and only has to end."""
        return await self._run(run_id, None, StopSignal())

    async def _run(
        self, run_id: RunId, claimed: ClaimedRun | None, stop: StopSignal
    ) -> ExecutionResult:
        result = ExecutionResult.NOT_CLAIMED
        try:
            result = await await_or_log(
                self._execute(run_id, claimed, stop),
                on_error=result,
                event="run.execution_failed",
                run_id=run_id,
            )
        except DatabaseUnavailable:
            log.warning("run.database_lost", extra={"run_id": str(run_id)})
        return result

    def _forget_run(self, run_id: RunId) -> None:
        del self._running[run_id]
        self._freed.set()

    def _forget_accepted(self, run: ClaimedRun) -> None:
        if self.find_run(run.session_id, run.key) is run:  # a crash may void the first of two
            del self._by_key[run.session_id, run.key]
        self._release_account(run.account_id)

    def stop(self, run_id: RunId, reason: StopReason) -> bool:
        """Ask a run to stop; False when it does not run here."""
        if (running := self._running.get(run_id)) is None:
            return False
        running.stop.request(reason)
        return True

    def finish(self, run_id: RunId) -> bool:
        """Ask a run to end its answer early; False when it does not run here."""
        if (running := self._running.get(run_id)) is None:
            return False
        running.stop.finish.request()
        return True

    def release_all(self) -> None:
        """Ask every run to stop and be released to another worker, at once."""
        for running in self._running.values():
            running.stop.request(StopReason.RELEASE)

    async def drain(self, timeout_s: float) -> None:
        """Start nothing new, let running ones finish for a while, then release the rest."""
        self._is_open = False
        await self._wait_for_all(timeout_s)
        self.release_all()
        await self._wait_for_all(RELEASE_S)

    async def _wait_for_all(self, timeout_s: float) -> None:
        if tasks := {running.task for running in self._running.values()}:
            await asyncio.wait(tasks, timeout=timeout_s)


async def await_or_log(
    work: Awaitable[_Result], *, on_error: _Result, event: str, **ids: object
) -> _Result:
    """Await the work; log any error but `DatabaseUnavailable` as `event`, and return `on_error`.

    The boundary around agents, hooks of their domains and memory jobs: what goes wrong there ends
    one run or job, not the worker.
    """
    try:
        return await work
    except DatabaseUnavailable:
        raise
    except Exception:
        log.exception(event, extra={name: str(value) for name, value in ids.items()})
        return on_error
