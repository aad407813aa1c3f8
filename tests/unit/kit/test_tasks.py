"""The first loop that dies is known by name, and the others go on."""

import asyncio

import pytest
from tests.waiting import PATIENCE_S

from yarrow.kit.tasks import BackgroundLoops


async def run_for_ever() -> None:
    await asyncio.Event().wait()


async def fail() -> None:
    raise RuntimeError("boom")


async def return_early() -> None:
    return


async def wait_for_death(loops: BackgroundLoops) -> None:
    died = asyncio.Event()
    loops.on_death(died.set)
    async with asyncio.timeout(PATIENCE_S):
        await died.wait()


@pytest.mark.parametrize("dying", [fail, return_early])
async def test_a_loop_that_ends_is_dead(dying) -> None:
    loops = BackgroundLoops()

    async with loops.running(healthy=run_for_ever(), broken=dying()):
        await wait_for_death(loops)

    assert loops.dead_loop == "broken"


async def test_the_first_death_is_kept_and_told_once() -> None:
    loops, deaths = BackgroundLoops(), []
    loops.on_death(lambda: deaths.append(loops.dead_loop))

    async with loops.running(first=fail()):
        await wait_for_death(loops)
        async with loops.running(second=fail()):
            await asyncio.sleep(0)

    assert (loops.dead_loop, deaths) == ("first", ["first"])


async def test_a_death_does_not_stop_the_other_loops() -> None:
    loops, beats = BackgroundLoops(), 0

    async def beat() -> None:
        nonlocal beats
        while True:
            beats += 1
            await asyncio.sleep(0)

    async with loops.running(beat=beat(), broken=fail()):
        await wait_for_death(loops)
        before = beats
        await asyncio.sleep(0.01)
        assert beats > before


async def test_loops_end_with_their_block_and_that_is_no_death() -> None:
    loops, ended = BackgroundLoops(), asyncio.Event()

    async def healthy() -> None:
        try:
            await run_for_ever()
        finally:
            ended.set()

    async with loops.running(healthy=healthy()):
        await asyncio.sleep(0)

    assert ended.is_set()
    assert loops.dead_loop is None


async def test_who_asks_late_learns_of_a_death_at_once() -> None:
    loops = BackgroundLoops()
    async with loops.running(broken=fail()):
        await wait_for_death(loops)

        await wait_for_death(loops)
