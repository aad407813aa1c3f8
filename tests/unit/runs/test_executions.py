"""Executions: a bounded number at a time, each of which can be stopped."""

import asyncio
from uuid import uuid4

import pytest

from yarrow.db.errors import DatabaseUnavailable
from yarrow.ids import AccountId, BranchId, RunId, SessionId, TurnId
from yarrow.runs.executions import (
    ExecutionResult,
    Executions,
    StopReason,
    StopSignal,
    await_or_log,
)
from yarrow.runs.model import ClaimedRun, RunInput

ACCOUNT = AccountId(uuid4())
SESSION = SessionId(uuid4())


class Runner:
    """Executes runs that go on until they are released by the test or stopped."""

    def __init__(self) -> None:
        self.stopped: list[StopReason | None] = []
        self.go_on = asyncio.Event()

    async def __call__(
        self, run_id: RunId, claimed: ClaimedRun | None, stop: StopSignal
    ) -> ExecutionResult:
        waiting = asyncio.ensure_future(self.go_on.wait())
        with stop.interrupting(waiting.cancel):
            await asyncio.wait({waiting})
        if waiting.cancelled():
            self.stopped.append(stop.reason)
            return ExecutionResult.RELEASED
        return ExecutionResult.ENDED


def new_run() -> RunId:
    return RunId(uuid4())


def make_claimed(session_id: SessionId, key: str) -> ClaimedRun:
    return ClaimedRun(
        new_run(),
        ACCOUNT,
        session_id,
        BranchId(uuid4()),
        TurnId(uuid4()),
        1,
        is_retry=False,
        replaces=None,
        key=key,
        agent="assistant",
        input=RunInput("hello"),
        price=20,
        attempt=1,
        cancel_requested=False,
        preferences={},
    )


async def test_no_more_than_size_start_and_a_reservation_counts() -> None:
    executions = Executions(Runner(), size=2)

    with executions.reserve(ACCOUNT) as reserved:
        assert reserved
        assert executions.start(new_run()) is not None
        assert executions.start(new_run()) is None
    assert executions.start(new_run()) is not None
    await executions.drain(0)


async def test_a_process_without_capacity_reserves_nothing() -> None:
    executions = Executions(Runner(), size=0)

    with executions.reserve(ACCOUNT) as reserved:
        assert not reserved
    assert executions.start(new_run()) is None


async def test_a_run_that_executes_already_is_joined() -> None:
    executions = Executions(Runner(), size=2)
    run_id = new_run()

    first = executions.start(run_id)

    assert executions.start(run_id) is first
    assert executions.active == 1
    await executions.drain(0)


async def test_who_waits_for_capacity_gets_it_or_gives_up() -> None:
    runner = Runner()
    executions = Executions(runner, size=1)
    executions.start(new_run())

    assert await executions.start_or_wait(new_run(), timeout_s=0.01) is None
    waiting = asyncio.create_task(executions.start_or_wait(new_run(), timeout_s=10))
    await asyncio.sleep(0)
    runner.go_on.set()

    started = await waiting
    assert started is not None
    assert await started is ExecutionResult.ENDED


async def test_a_stop_before_the_interruptible_part_is_not_lost() -> None:
    interrupted: list[str] = []
    stop = StopSignal()

    stop.request(StopReason.CANCEL)
    stop.request(StopReason.RELEASE)
    with stop.interrupting(lambda: interrupted.append("now")):
        pass

    assert (interrupted, stop.reason) == (["now"], StopReason.CANCEL)


async def test_a_stop_after_the_interruptible_part_interrupts_nothing() -> None:
    interrupted: list[str] = []
    stop = StopSignal()

    with stop.interrupting(lambda: interrupted.append("now")):
        pass
    stop.request(StopReason.CANCEL)

    assert interrupted == []


async def test_draining_releases_what_does_not_end_in_time() -> None:
    runner = Runner()
    executions = Executions(runner, size=2)
    executions.start(new_run())

    await executions.drain(0.01)

    assert runner.stopped == [StopReason.RELEASE]
    assert executions.active == 0
    assert executions.start(new_run()) is None


async def test_an_execution_that_raises_leaves_its_capacity() -> None:
    async def crash(run_id: RunId, claimed: ClaimedRun | None, stop: StopSignal) -> ExecutionResult:
        raise ZeroDivisionError

    executions = Executions(crash, size=1)
    task = executions.start(new_run())

    assert task is not None
    assert await task is ExecutionResult.NOT_CLAIMED
    assert executions.has_capacity


async def test_a_key_leads_to_its_newer_run_when_the_older_one_ends() -> None:
    """A crash of the database may take a run that goes on here; its request is sent again."""
    older, newer = (make_claimed(SESSION, "k") for _ in range(2))
    executions = Executions(Runner(), size=2)
    executions.start(older.id, older)
    executions.start(newer.id, newer)

    executions.stop(older.id, StopReason.RELEASE)
    while executions.is_running(older.id):
        await asyncio.sleep(0)
    assert executions.find_run(SESSION, "k") is newer

    await executions.drain(0)
    assert executions.find_run(SESSION, "k") is None
    assert executions.count_account_runs(ACCOUNT) == 0


async def _fail_with(error: Exception) -> str:
    raise error


async def test_an_error_becomes_the_given_result_and_is_logged_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    result = await await_or_log(
        _fail_with(ValueError("broken")), on_error="failed", event="job.broken", job_id=7
    )

    assert result == "failed"
    assert [record.message for record in caplog.records] == ["job.broken"]
    assert caplog.records[0].__dict__["job_id"] == "7"


async def test_a_lost_database_is_raised() -> None:
    with pytest.raises(DatabaseUnavailable):
        await await_or_log(_fail_with(DatabaseUnavailable()), on_error="failed", event="job.broken")


async def test_work_that_is_cancelled_stays_cancelled() -> None:
    never = asyncio.get_running_loop().create_future()
    task = asyncio.create_task(await_or_log(never, on_error=None, event="job.broken"))
    await asyncio.sleep(0)

    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
