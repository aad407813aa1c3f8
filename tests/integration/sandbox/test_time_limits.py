"""A job is limited by its processor time: one that has to wait for a processor goes on."""

import asyncio
import signal
from pathlib import Path

import psutil
import pytest
from tests.integration.sandbox.conftest import LIMITS, Box, Workspace, list_jobs

from yarrow.sandbox.errors import QueryFailed, TableUnreadable
from yarrow.sandbox.messages import JobKind
from yarrow.sandbox.model import FileToRead, JobLimits
from yarrow.sandbox.sandbox import Sandbox
from yarrow.settings import Settings

pytestmark = pytest.mark.slow

PRODUCT = "SELECT count(*) AS n FROM range(100000000) a, range(100000) b"
COUNTED = "SELECT count(*) AS n FROM range(30000000) WHERE range % 7 = 3"
ONE_SECOND = JobLimits(seconds=1)
SLEEP = "import time; time.sleep(600)"
ENDLESS_IN_C = "total = sum(range(10**13))"


async def test_a_query_that_is_kept_from_the_processor_succeeds(box: Box) -> None:
    await box.sandbox.run_sql("SELECT 1", {})
    idle = list_jobs(box.sandbox, JobKind.SQL)
    query = asyncio.create_task(box.sandbox.run_sql(COUNTED, {}, JobLimits(seconds=3)))
    async with asyncio.timeout(LIMITS.seconds):
        while not (started := list_jobs(box.sandbox, JobKind.SQL) - idle):
            await asyncio.sleep(0.001)

    (job,) = map(psutil.Process, started)
    job.send_signal(signal.SIGSTOP)
    await asyncio.sleep(4)
    job.send_signal(signal.SIGCONT)

    assert list((await query).rows) == [{"n": 4285714}]


@pytest.mark.parametrize("workspace", [None, "a/spent"])
async def test_an_endless_query_is_told_its_limit_and_what_to_do(
    workspace: str | None, box: Box
) -> None:
    run = Workspace(box.sandbox, workspace).run_sql if workspace else box.sandbox.run_sql

    with pytest.raises(QueryFailed) as failed:
        await run(PRODUCT, {}, ONE_SECOND)

    assert str(failed.value) == (
        "Timeout: the query took longer than 1 seconds of processor time, the limit of "
        "YARROW_SANDBOX_TIMEOUT_S; aggregate, filter rows or take fewer columns"
    )


@pytest.mark.parametrize("code", ["while True:\n    pass", ENDLESS_IN_C])
async def test_endless_code_ends_by_its_processor_time(code: str, python_box: Box) -> None:
    async with python_box.sandbox.python_session({}, ONE_SECOND) as session:
        result = await session.run(code)

    assert result.error == (
        "TimeoutError: the code ran longer than 1 seconds of processor time, the limit of "
        "YARROW_SANDBOX_TIMEOUT_S; filter or aggregate first"
    )


async def test_each_program_of_a_session_has_the_same_time(python_box: Box) -> None:
    busy = "import time\nwhile time.process_time() < {until}:\n    pass\nprint('done')"

    async with python_box.sandbox.python_session({}, JobLimits(seconds=1.5)) as session:
        results = [await session.run(busy.format(until=run)) for run in (1, 2, 3)]

    assert [(result.stdout, result.error) for result in results] == [("done\n", None)] * 3


async def test_code_that_sleeps_ends_by_the_clock(python_box: Box) -> None:
    result = await python_box.sandbox.run_python(SLEEP, {}, JobLimits(clock_seconds=2))

    assert result.error is not None
    assert "longer than 2 seconds by the clock" in result.error
    assert "try again later" in result.error


@pytest.mark.parametrize(
    "waiting",
    [
        "time.sleep(600)",
        "while True:\n    time.sleep(0.2)",
        "threading.Event().wait()",
        "threading.Lock().acquire() and queue.Queue().get()",
    ],
)
async def test_a_program_that_waits_ends_early_with_what_it_printed(
    waiting: str, python_box: Box
) -> None:
    code = f"import queue, threading, time\nprint('before')\n{waiting}"

    result = await python_box.sandbox.run_python(code, {}, JobLimits(idle_seconds=2))

    assert (result.stdout, result.alive) == ("before\n", False)
    assert result.error == (
        "TimeoutError: the code ran longer than 2 seconds without using the processor, which is "
        "the limit: it sleeps or waits for something; remove sleep() and other waiting, nothing "
        "arrives here from outside"
    )


async def test_a_program_that_gets_little_of_the_processor_goes_on(python_box: Box) -> None:
    code = (
        "import time\nfor _ in range(30):\n    until = time.process_time() + 0.02\n"
        "    while time.process_time() < until:\n        pass\n    time.sleep(0.15)\nprint('done')"
    )

    result = await python_box.sandbox.run_python(code, {}, JobLimits(idle_seconds=2))

    assert (result.stdout, result.error) == ("done\n", None)


async def test_a_program_that_sleeps_does_not_keep_the_next_one_of_its_account_waiting(
    python_box: Box, tmp_path: Path
) -> None:
    async with Sandbox(Settings(data_dir=tmp_path, sandbox_jobs=1)) as sandbox:
        limits = JobLimits(idle_seconds=2)
        sleeping = asyncio.create_task(sandbox.run_python(SLEEP, {}, limits))
        await asyncio.sleep(0)

        following = await sandbox.run_python("print('here')", {}, limits)

        assert following.stdout == "here\n"
        assert "without using the processor" in str((await sleeping).error)


async def test_a_file_that_takes_too_long_names_the_setting(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, table_import_timeout_s=0.5)
    async with Sandbox(settings) as sandbox:
        source = sandbox.spool_path(".csv")
        rows = "".join(f'"{n}","text {n}",$1.{n:06}\n' for n in range(100_000))
        source.write_text("n,text,amount\n" + rows * 40)

        with pytest.raises(TableUnreadable) as unreadable:
            await sandbox.read_file(FileToRead(source, "big.csv"), sandbox.spool_path(".parquet"))

    assert str(unreadable.value) == (
        "reading the file took longer than 0.5 seconds of processor time, the limit of "
        "YARROW_TABLE_IMPORT_TIMEOUT_S; split the file, upload it as Parquet, or ask the "
        "operator to raise the setting"
    )
