"""Threads for assemblies are shared fairly between accounts."""

import asyncio
import threading
from uuid import uuid4

import pytest
from tests.waiting import PATIENCE_S, wait_until

from yarrow.ids import AccountId
from yarrow.stories.assembly_threads import THREADS, THREADS_PER_ACCOUNT, AssemblyThreads


class Stuck:
    """Work that lasts until it is let go, and how much of it runs at once."""

    def __init__(self) -> None:
        self.running = 0
        self._lock, self._door = threading.Lock(), threading.Event()

    def __call__(self) -> str:
        with self._lock:
            self.running += 1
        self._door.wait(PATIENCE_S * 2)
        return "done"

    def let_go(self) -> None:
        self._door.set()


@pytest.fixture
def stuck():
    work = Stuck()
    yield work
    work.let_go()


def account() -> AccountId:
    return AccountId(uuid4())


async def test_an_account_with_much_work_does_not_keep_others_waiting(stuck: Stuck):
    threads, busy = AssemblyThreads(), account()

    async with asyncio.TaskGroup() as group:
        crowd = [group.create_task(threads.run(busy, stuck)) for _ in range(THREADS * 5)]
        await wait_until(lambda: stuck.running == THREADS_PER_ACCOUNT)
        async with asyncio.timeout(PATIENCE_S):
            assert await threads.run(account(), lambda: "mine") == "mine"
        assert stuck.running == THREADS_PER_ACCOUNT
        stuck.let_go()

    assert {task.result() for task in crowd} == {"done"}


async def test_a_caller_who_leaves_does_not_get_another_thread(stuck: Stuck):
    threads, busy = AssemblyThreads(), account()
    gone = [asyncio.ensure_future(threads.run(busy, stuck)) for _ in range(THREADS_PER_ACCOUNT)]
    await wait_until(lambda: stuck.running == THREADS_PER_ACCOUNT)
    for task in gone:
        task.cancel()
    await asyncio.wait(gone)

    later = asyncio.ensure_future(threads.run(busy, stuck))
    await threads.run(account(), lambda: None)
    assert stuck.running == THREADS_PER_ACCOUNT

    stuck.let_go()
    assert await later == "done"


async def test_what_the_work_raises_is_raised_and_ends_its_turn():
    threads, one = AssemblyThreads(), account()

    def fail() -> None:
        raise ValueError("wrong")

    for _ in range(THREADS_PER_ACCOUNT + 1):
        with pytest.raises(ValueError, match="wrong"):
            await threads.run(one, fail)
