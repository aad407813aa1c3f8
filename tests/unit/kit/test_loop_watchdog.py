"""The watchdog reports what blocks the event loop, and nothing else."""

import asyncio
import re
import signal
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import FunctionType

import pytest
from prometheus_client import CollectorRegistry
from tests.waiting import PATIENCE_S

from yarrow.kit.loop_watchdog import LoopWatchdog

pytestmark = pytest.mark.slow

STOPPED = """
import asyncio, logging, sys
from prometheus_client import CollectorRegistry
from yarrow.kit.loop_watchdog import LoopWatchdog

async def main():
    logging.basicConfig(stream=sys.stdout, format="%(message)s")
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(LoopWatchdog(CollectorRegistry()).watch())
        await asyncio.sleep(0.5)
        print("ready", flush=True)

asyncio.run(main())
"""


def count_blocks(registry: CollectorRegistry) -> float:
    return registry.get_sample_value("yarrow_loop_blocks_total") or 0.0


@asynccontextmanager
async def watching(registry: CollectorRegistry) -> AsyncIterator[None]:
    task = asyncio.create_task(LoopWatchdog(registry).watch())
    try:
        yield
    finally:
        task.cancel()


def hold_the_gil() -> None:
    re.fullmatch(r"(a|b|ab)*c", "ab" * 23)


def sleep_in_the_loop() -> None:
    time.sleep(1.2)


@pytest.mark.parametrize("block", [hold_the_gil, sleep_in_the_loop])
async def test_a_block_is_counted_and_logged_with_its_stack(
    block: FunctionType, caplog: pytest.LogCaptureFixture
) -> None:
    registry, blocked, named = CollectorRegistry(), 0, 0
    async with watching(registry), asyncio.timeout(PATIENCE_S):
        while not named:  # More than once only on a machine that does not let the thread run.
            await asyncio.sleep(0.1)
            block()
            blocked += 1
            await asyncio.sleep(1.0)
            named = sum(
                block.__name__ in vars(record).get("stack", "") for record in caplog.records
            )

    assert count_blocks(registry) >= named
    assert named <= blocked


async def test_a_process_that_was_stopped_is_not_a_blocked_loop() -> None:
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-c", STOPPED, stdout=asyncio.subprocess.PIPE
    )
    assert child.stdout is not None
    assert await child.stdout.readline() == b"ready\n"

    child.send_signal(signal.SIGSTOP)
    await asyncio.sleep(1.5)
    child.send_signal(signal.SIGCONT)

    assert await child.stdout.readline() == b"process.paused\n"
    child.kill()
    assert await child.stdout.read() == b""
    await child.wait()
