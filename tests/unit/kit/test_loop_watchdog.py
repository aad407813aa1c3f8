"""The watchdog reports what blocks the event loop, and nothing else."""

import asyncio
import logging
import re
import signal
import sys
import time
from types import FunctionType

import pytest
from prometheus_client import CollectorRegistry
from tests.waiting import wait_until

from yarrow.kit.loop_watchdog import LoopWatchdog

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


def hold_the_gil() -> None:
    re.fullmatch(r"(a|b|ab)*c", "ab" * 23)


def sleep_in_the_loop() -> None:
    time.sleep(1.2)


@pytest.mark.parametrize("block", [hold_the_gil, sleep_in_the_loop])
async def test_a_block_is_counted_and_logged_with_its_stack(
    block: FunctionType, caplog: pytest.LogCaptureFixture
) -> None:
    registry = CollectorRegistry()
    watching = asyncio.create_task(LoopWatchdog(registry).watch())
    await asyncio.sleep(0.1)

    block()

    await wait_until(lambda: registry.get_sample_value("yarrow_loop_blocks_total") == 1)
    (record,) = [each for each in caplog.records if each.message == "loop.blocked"]
    assert block.__name__ in vars(record)["stack"]
    watching.cancel()


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


async def test_a_loop_that_runs_is_not_reported(caplog: pytest.LogCaptureFixture) -> None:
    registry = CollectorRegistry()
    with caplog.at_level(logging.WARNING, "yarrow.loop"):
        watching = asyncio.create_task(LoopWatchdog(registry).watch())
        await asyncio.sleep(1.5)

    assert registry.get_sample_value("yarrow_loop_blocks_total") == 0
    watching.cancel()
