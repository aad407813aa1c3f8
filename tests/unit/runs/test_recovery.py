"""When the job of a run comes again."""

from datetime import timedelta

from yarrow.runs.executions import ExecutionResult
from yarrow.runs.recovery import LEASE, retry_delay


def test_the_job_of_an_ended_run_does_not_come_again() -> None:
    assert retry_delay(ExecutionResult.ENDED) is None


def test_a_released_run_is_offered_at_once() -> None:
    assert retry_delay(ExecutionResult.RELEASED) == timedelta()


def test_a_run_of_another_worker_is_offered_again_within_its_lease() -> None:
    delay = retry_delay(ExecutionResult.NOT_CLAIMED)

    assert delay is not None
    assert timedelta() < delay < LEASE
