"""Background loops survive errors that pass, and die of those that do not."""

import pytest

from yarrow.db.errors import DatabaseUnavailable
from yarrow.db.repeat import MAX_FAILURES, repeat_step


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
    ],
    ids=["with successes in between", "while the database is away"],
)
async def test_errors_that_pass_do_not_end_a_loop(errors: list[Exception | None]) -> None:
    steps = Steps(*errors)

    with pytest.raises(Enough):
        await repeat_step("step", steps, 0)

    assert steps.taken == len(errors) + 1
