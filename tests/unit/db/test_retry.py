"""Reads that wait for a database that is away."""

from datetime import timedelta

import pytest

from yarrow.db.errors import DatabaseUnavailable, RowLost
from yarrow.db.retry import RETRY_S, retry_while_away

LONG = timedelta(minutes=1)


class Answers:
    """Raises each error in turn, then gives the number of calls."""

    def __init__(self, *errors: Exception) -> None:
        self._errors, self.calls = list(errors), 0

    async def read(self) -> int:
        self.calls += 1
        if self._errors:
            raise self._errors.pop(0)
        return self.calls


async def test_a_read_is_repeated_until_the_database_is_back() -> None:
    answers = Answers(DatabaseUnavailable(), DatabaseUnavailable())

    assert await retry_while_away(answers.read, LONG) == 3


@pytest.mark.parametrize(("patience", "calls"), [(None, 1), (timedelta(seconds=RETRY_S / 2), 2)])
async def test_patience_ends(patience: timedelta | None, calls: int) -> None:
    answers = Answers(*[DatabaseUnavailable()] * 9)

    with pytest.raises(DatabaseUnavailable):
        await retry_while_away(answers.read, patience)
    assert answers.calls == calls


async def test_a_row_that_a_crash_took_is_not_waited_for() -> None:
    answers = Answers(RowLost())

    with pytest.raises(RowLost):
        await retry_while_away(answers.read, LONG)
    assert answers.calls == 1
