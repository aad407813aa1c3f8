"""Background loops survive errors that pass, and die of those that do not."""

import asyncpg
import pytest

from yarrow.db.errors import DatabaseUnavailable
from yarrow.db.repeat import MAX_FAILURES, repeat_step
from yarrow.errors import StorageUnavailable


class Enough(BaseException):
    """No error of a step: it passes through the loop."""


class Steps:
    """A step that raises these errors in turn, `None` for success, then ends the loop."""

    def __init__(self, *errors: Exception | None) -> None:
        self._errors = iter(errors)
        self.taken = 0

    async def __call__(self) -> None:
        self.taken += 1
        error = next(self._errors, Enough())
        if error is not None:
            raise error


async def test_a_step_that_always_fails_ends_its_loop() -> None:
    steps = Steps(*[ValueError("broken")] * (MAX_FAILURES + 5))

    with pytest.raises(ValueError, match="broken"):
        await repeat_step("step", steps, 0)

    assert steps.taken == MAX_FAILURES


@pytest.mark.parametrize(
    "errors",
    [
        [*[ValueError()] * (MAX_FAILURES - 1), None] * 3,
        [DatabaseUnavailable()] * (MAX_FAILURES * 3),
        [asyncpg.ReadOnlySQLTransactionError()] * (MAX_FAILURES * 3),
        [StorageUnavailable()] * (MAX_FAILURES * 3),
    ],
    ids=[
        "with successes in between",
        "while the database is away",
        "while the database is read-only",
        "while the file store is away",
    ],
)
async def test_errors_that_pass_do_not_end_a_loop(errors: list[Exception | None]) -> None:
    steps = Steps(*errors)

    with pytest.raises(Enough):
        await repeat_step("step", steps, 0)

    assert steps.taken == len(errors) + 1


@pytest.mark.parametrize("is_wrapped", [False, True], ids=["plain", "wrapped"])
async def test_an_error_of_the_database_is_logged_with_its_sqlstate(
    caplog: pytest.LogCaptureFixture, *, is_wrapped: bool
) -> None:
    error: Exception = asyncpg.QueryCanceledError("canceling statement due to statement timeout")
    if is_wrapped:
        cause, error = error, DatabaseUnavailable()
        error.__cause__ = cause

    with pytest.raises(Enough):
        await repeat_step("step", Steps(error), 0)

    (record,) = caplog.records
    assert (record.msg, record.__dict__["sqlstate"]) == ("worker.step_postponed", "57014")
