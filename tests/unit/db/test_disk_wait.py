"""Waiting for the disk: one statement for all that wait, and none of them waits for a dead one."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from uuid import UUID, uuid4

import pytest

from yarrow.db.disk_wait import DiskWait
from yarrow.db.errors import DatabaseUnavailable, RowLost


class Disk:
    """Answers statements when it is told to; it has all rows but the lost ones."""

    def __init__(self) -> None:
        self.asked: list[set[UUID]] = []
        self.lost: set[UUID] = set()
        self.answers = asyncio.Event()
        self.is_gone = False

    @asynccontextmanager
    async def connect(self) -> AsyncIterator["Disk"]:
        yield self

    async def fetchval(self, query: str, row_ids: Sequence[UUID]) -> list[UUID]:
        self.asked.append(set(row_ids))
        await self.answers.wait()
        if self.is_gone:
            raise DatabaseUnavailable
        return list(set(row_ids) - self.lost)


async def begin(disk: Disk, rows: Sequence[UUID]) -> list[asyncio.Task[None]]:
    """Wait for rows; the first one's statement runs, the others wait for the next one."""
    wait = DiskWait(disk.connect, "rows")
    tasks = []
    for row in rows:
        tasks.append(asyncio.create_task(wait.wait(row)))
        await asyncio.sleep(0)
    return tasks


async def test_those_that_wait_share_the_next_statement() -> None:
    disk, (first, *others) = Disk(), [uuid4() for _ in range(4)]
    tasks = await begin(disk, [first, *others])

    disk.answers.set()

    await asyncio.gather(*tasks)
    assert disk.asked == [{first}, set(others)]


async def test_a_row_that_is_gone_fails_its_caller_alone() -> None:
    disk, rows = Disk(), [uuid4() for _ in range(4)]
    disk.lost = {rows[2]}
    tasks = await begin(disk, rows)

    disk.answers.set()

    answers = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(each) for each in answers] == [type(None), type(None), RowLost, type(None)]


async def test_a_statement_that_fails_is_not_tried_by_each_of_its_callers() -> None:
    disk, rows = Disk(), [uuid4() for _ in range(50)]
    disk.is_gone = True
    tasks = await begin(disk, rows)

    disk.answers.set()

    for failure in await asyncio.gather(*tasks, return_exceptions=True):
        assert type(failure) is DatabaseUnavailable
    assert len(disk.asked) == 2


async def test_a_caller_that_leaves_does_not_fail_the_others() -> None:
    disk, rows = Disk(), [uuid4() for _ in range(4)]
    tasks = await begin(disk, rows)

    tasks[0].cancel()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    tasks[1].cancel()
    disk.answers.set()

    with pytest.raises(asyncio.CancelledError):
        await tasks[0]
    await asyncio.gather(*tasks[2:])


async def test_who_joins_waits_also_after_a_caller_of_the_statement_has_left() -> None:
    disk, (first, second, last) = Disk(), [uuid4() for _ in range(3)]
    wait = DiskWait(disk.connect, "rows")
    tasks = [asyncio.create_task(wait.wait(row)) for row in (first, second, second)]
    await asyncio.sleep(0)
    tasks[0].cancel()
    await asyncio.wait(tasks[:1])
    tasks.append(asyncio.create_task(wait.wait(last)))
    await asyncio.sleep(0)
    tasks[1].cancel()
    await asyncio.wait(tasks[1:2])
    await asyncio.sleep(0)

    joining = asyncio.create_task(wait.join(last))
    await asyncio.sleep(0)

    assert not joining.done()
    disk.answers.set()
    await asyncio.gather(*tasks[2:], joining)
    assert disk.asked == [{first}, {second}, {second}, {last}]
