"""A limiter bounds concurrency, is fair between owners, and does not let callers wait for ever."""

import asyncio
from collections.abc import Callable

import pytest
from tests.waiting import PATIENCE_S

from yarrow.kit.limiter import Limiter


class Busy(Exception):
    """What a caller passes as its own error."""


async def settle() -> None:
    """Let every task run as far as it can."""
    for _ in range(10):
        await asyncio.sleep(0)


class Work:
    """Tasks that hold a slot until they are told to end."""

    def __init__(self, limiter: Limiter) -> None:
        self.limiter = limiter
        self._end = asyncio.Event()
        self.running: list[str] = []
        self._tasks: list[asyncio.Task[None]] = []

    def start(self, owner: str) -> asyncio.Task[None]:
        task = asyncio.ensure_future(self._hold(owner))
        self._tasks.append(task)
        return task

    async def _hold(self, owner: str) -> None:
        async with self.limiter.slot(owner):
            self.running.append(owner)
            await self._end.wait()
            self.running.remove(owner)

    async def finish(self) -> None:
        self._end.set()
        await asyncio.gather(*self._tasks, return_exceptions=True)


async def test_no_more_run_than_there_are_slots() -> None:
    work = Work(Limiter(2))

    for owner in "abc":
        work.start(owner)
    await settle()
    running = list(work.running)
    await work.finish()

    assert running == ["a", "b"]
    assert work.running == []


async def test_an_owner_with_many_requests_does_not_delay_another() -> None:
    work = Work(Limiter(2, per_owner=1))

    for _ in range(5):
        work.start("a")
    work.start("b")
    await settle()
    running = list(work.running)
    await work.finish()

    assert running == ["a", "b"]


async def test_an_owner_has_one_place_in_the_shared_queue() -> None:
    limiter = Limiter(1, per_owner=1)
    order: list[str] = []
    first = await limiter.acquire("x")

    async def run(owner: str) -> None:
        async with limiter.slot(owner):
            order.append(owner)

    waiting = [asyncio.ensure_future(run(owner)) for owner in "aaab"]
    await settle()
    first.release()
    await asyncio.gather(*waiting)

    assert order[:2] == ["a", "b"]


async def test_who_waits_too_long_gets_the_callers_error() -> None:
    limiter = Limiter(1, timeout_s=0.01, busy=Busy)

    async with limiter.slot():
        with pytest.raises(Busy):
            await limiter.acquire()

    async with limiter.slot():
        pass


async def test_the_timeout_does_not_count_while_a_slot_is_held() -> None:
    limiter = Limiter(1, timeout_s=0.01, busy=Busy)

    async with limiter.slot():
        await asyncio.sleep(0.03)


async def test_a_full_queue_refuses_at_once() -> None:
    limiter = Limiter(1, max_waiting=1, busy=Busy)
    work = Work(limiter)
    work.start("a")
    work.start("a")
    await settle()

    with pytest.raises(Busy):
        await limiter.acquire()

    await work.finish()
    (await limiter.acquire()).release()


@pytest.mark.parametrize("held", ["own", "shared"])
async def test_a_waiter_that_is_cancelled_leaves_its_place(held: str) -> None:
    limiter = Limiter(1, per_owner=1)
    slot = await limiter.acquire("a" if held == "own" else "b")
    waiting = asyncio.ensure_future(limiter.acquire("a"))
    await settle()

    waiting.cancel()
    await asyncio.wait([waiting])
    slot.release()

    async with asyncio.timeout(PATIENCE_S):
        (await limiter.acquire("a")).release()


async def test_releasing_twice_frees_one_slot() -> None:
    limiter = Limiter(1, timeout_s=0.01, busy=Busy)
    slot = await limiter.acquire()

    slot.release()
    slot.release()

    async with limiter.slot():
        with pytest.raises(Busy):
            await limiter.acquire()


@pytest.mark.parametrize("end", [asyncio.Task.cancel, lambda _: None])
async def test_a_slot_is_free_after_its_block(end: Callable[[asyncio.Task[None]], object]) -> None:
    work = Work(Limiter(1))
    task = work.start("a")
    await settle()

    end(task)
    await work.finish()

    async with asyncio.timeout(PATIENCE_S), work.limiter.slot("b"):
        pass
