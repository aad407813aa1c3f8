"""The processes of a sandbox: when they begin, and that they end whatever happens."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from tests.integration.sandbox.conftest import Box
from tests.waiting import PATIENCE_S, wait_until

from yarrow.isolation.landlock import is_available
from yarrow.isolation.privileges import NICENESS
from yarrow.sandbox.messages import JobKind
from yarrow.sandbox.model import JobLimits
from yarrow.sandbox.sandbox import Sandbox
from yarrow.settings import Settings

HOLD = """
import asyncio, signal, sys
from pathlib import Path
from yarrow.sandbox.sandbox import Sandbox
from yarrow.settings import Settings

async def main():
    async with Sandbox(Settings(data_dir=Path(sys.argv[1]))) as sandbox:
        async with sandbox.python_session({}) as session:
            await session.run("x = 1")
            print("holding", flush=True)
            await session.run("import time; time.sleep(600)")

# A shell lets programs that it runs in the background ignore SIGINT, and so would this one.
signal.signal(signal.SIGINT, signal.default_int_handler)
asyncio.run(main())
"""

WITHOUT_NAMESPACES = """
import asyncio, sys
from pathlib import Path
from yarrow.sandbox.sandbox import Sandbox
from yarrow.sandbox.errors import PythonUnavailable, QueryFailed
from yarrow.settings import Settings

async def main():
    async with Sandbox(Settings(data_dir=Path(sys.argv[1]))) as sandbox:
        print((await sandbox.run_sql("SELECT 42 AS n", {})).rows)
        for query in ("SELECT * FROM read_text('/etc/passwd')", "COPY (SELECT 1) TO '/tmp/x'"):
            try:
                await sandbox.run_sql(query, {})
            except QueryFailed:
                print("refused")
        try:
            await sandbox.run_python("print(1)", {})
        except PythonUnavailable as off:
            print("off:", bool(off.reason))

asyncio.run(main())
"""


def weight_of_session(pid: int | None) -> str | None:
    """How nice a session is, where Linux weighs sessions."""
    told = Path(f"/proc/{pid}/autogroup")
    return told.read_text().split()[-1] if told.exists() else None


def descendants(pid: int) -> list[psutil.Process]:
    return psutil.Process(pid).children(recursive=True)


async def test_nothing_is_started_before_it_is_needed(tmp_path: Path) -> None:
    async with Sandbox(Settings(data_dir=tmp_path)) as sandbox:
        before = dict(sandbox.pids)
        await sandbox.run_sql("SELECT 1", {})

        assert before == {}
        assert len(sandbox.pids) == 1


async def test_closing_ends_every_process(tmp_path: Path) -> None:
    async with Sandbox(Settings(data_dir=tmp_path)) as sandbox:
        await sandbox.run_sql("SELECT 1", {})
        started = [
            child
            for pid in sandbox.pids.values()
            for child in (psutil.Process(pid), *descendants(pid))
        ]

    psutil.wait_procs(started, timeout=PATIENCE_S)
    assert [child for child in started if child.is_running()] == []


@pytest.mark.usefixtures("python_box")
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_no_orphan_outlives_the_server(end: signal.Signals, tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as server:
        assert server.stdout is not None
        assert server.stdout.readline() == "holding\n"
        children = descendants(server.pid)

        server.send_signal(end)
        server.wait(PATIENCE_S)

    gone, alive = psutil.wait_procs(children, timeout=PATIENCE_S)
    assert len(gone) >= 3
    assert alive == []


async def test_a_process_that_died_is_started_anew(tmp_path: Path) -> None:
    async with Sandbox(Settings(data_dir=tmp_path)) as sandbox:
        await sandbox.run_sql("SELECT 1", {})
        for pid in sandbox.pids.values():
            os.kill(pid, signal.SIGKILL)
        await wait_until(lambda: not sandbox.pids)

        result = await sandbox.run_sql("SELECT 2 AS n", {})

    assert list(result.rows) == [{"n": 2}]


async def test_a_query_whose_job_was_killed_runs_once_more(tmp_path: Path) -> None:
    async with Sandbox(Settings(data_dir=tmp_path)) as sandbox:
        await sandbox.run_sql("SELECT 1", {})
        (server,) = sandbox.pids.values()
        slow = "SELECT count(*) AS n FROM range(50000000) WHERE range % 7 = 3"
        before = {child.pid for child in descendants(server)}
        query = asyncio.create_task(sandbox.run_sql(slow, {}, JobLimits(seconds=PATIENCE_S)))
        await wait_until(lambda: any(child.pid not in before for child in descendants(server)))
        for job in descendants(server):
            if job.pid not in before:
                job.kill()

        result = await query

    assert list(result.rows) == [{"n": 7142857}]


def find_new_child(before: set[int]) -> psutil.Process | None:
    """A child process of ours that was not there before."""
    children = psutil.Process().children()
    return next((child for child in children if child.pid not in before), None)


async def kill_next_child() -> None:
    """Kill the next process that we start, before it has done anything."""
    before = {child.pid for child in psutil.Process().children()}
    await wait_until(lambda: find_new_child(before) is not None)
    child = find_new_child(before)
    assert child is not None
    child.kill()


async def test_a_probe_that_is_killed_does_not_turn_python_off(box: Box, tmp_path: Path) -> None:
    reason = await box.sandbox.why_no_python()
    async with Sandbox(Settings(data_dir=tmp_path)) as sandbox:
        killing = asyncio.create_task(kill_next_child())
        await asyncio.sleep(0)
        result = await sandbox.run_sql("SELECT 1 AS n", {})
        await killing

        assert list(result.rows) == [{"n": 1}]
        assert await sandbox.why_no_python() == reason


async def test_a_start_that_is_killed_costs_a_warm_query_nothing(python_box: Box) -> None:
    sandbox = python_box.sandbox
    await sandbox.run_sql("SELECT 1", {}, workspace="w")
    os.kill(sandbox.pids[JobKind.SQL], signal.SIGKILL)
    await wait_until(lambda: JobKind.SQL not in sandbox.pids)

    killing = asyncio.create_task(kill_next_child())
    await asyncio.sleep(0)
    result = await sandbox.run_sql("SELECT 2 AS n", {}, workspace="other")
    await killing

    assert list(result.rows) == [{"n": 2}]


async def test_a_fork_server_whose_end_is_not_collected_is_replaced(python_box: Box) -> None:
    sandbox = python_box.sandbox
    await sandbox.run_sql("SELECT 1", {})
    waiting = psutil.Process(sandbox.pids[JobKind.SQL])
    (forking,) = waiting.children()
    waiting.suspend()
    forking.kill()

    result = await asyncio.wait_for(sandbox.run_sql("SELECT 2 AS n", {}), PATIENCE_S)

    assert list(result.rows) == [{"n": 2}]


async def test_a_fork_server_that_dies_with_unread_requests_is_no_error(tmp_path: Path) -> None:
    errors: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: errors.append(context))
    async with Sandbox(Settings(data_dir=tmp_path)) as sandbox:
        await sandbox.run_sql("SELECT 1", {})
        (pid,) = sandbox.pids.values()
        processes = [*descendants(pid), psutil.Process(pid)]
        for process in processes:
            process.suspend()
        query = asyncio.create_task(sandbox.run_sql("SELECT 2 AS n", {}))
        await asyncio.sleep(0.1)  # the request is in the socket now
        for process in processes:
            process.kill()

        result = await query

    assert list(result.rows) == [{"n": 2}]
    assert errors == []


async def test_killed_jobs_leave_no_zombies(box: Box) -> None:
    for _ in range(5):
        await box.sandbox.run_sql("SELECT 1", {})

    async with asyncio.timeout(PATIENCE_S):
        while any(_is_zombie(c) for pid in box.sandbox.pids.values() for c in descendants(pid)):
            await asyncio.sleep(0.05)


def _is_zombie(process: psutil.Process) -> bool:
    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can take namespaces away here")
@pytest.mark.skipif(not is_available(), reason="the kernel has no Landlock")
def test_without_namespaces_sql_remains_and_python_is_off(tmp_path: Path) -> None:
    forbid = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$0" -c "$1" "$2"'
    shell = ["unshare", "--user", "--map-root-user", "sh", "-c", forbid]

    done = subprocess.run(
        [*shell, sys.executable, WITHOUT_NAMESPACES, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )

    assert done.stdout.splitlines() == ["[{'n': 42}]", "refused", "refused", "off: True"]


@pytest.mark.parametrize("kind", JobKind)
async def test_jobs_leave_the_processor_to_the_server(kind: JobKind, python_box: Box) -> None:
    await python_box.sandbox.run_sql("SELECT 1", {})
    await python_box.sandbox.run_python("1", {})

    pid = python_box.sandbox.pids[kind]
    first = psutil.Process(pid)
    forking = [*first.children(), first][0]
    assert forking.nice() == min(os.nice(0) + NICENESS, 19)
    async with asyncio.timeout(PATIENCE_S):  # Linux hears such wishes one after the other
        while weight_of_session(pid) not in (None, str(NICENESS)):
            await asyncio.sleep(0.05)
