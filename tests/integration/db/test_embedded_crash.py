"""What the next start does after something was killed."""

import asyncio
import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import asyncpg
import psutil

from yarrow.db.embedded import server_processes
from yarrow.db.embedded.server import EmbeddedPostgres, find_postmaster_pid

Ask = Callable[[str, str], Awaitable[object]]
Act = Callable[..., subprocess.Popen[str]]


def first_line(actor: subprocess.Popen[str]) -> str:
    assert actor.stdout is not None
    return actor.stdout.readline().strip()


def kill_postmaster(data_dir: Path) -> None:
    pid = find_postmaster_pid(data_dir)
    assert pid is not None
    os.kill(pid, signal.SIGKILL)


def test_server_of_a_killed_process_is_taken_over(used_dir: Path, act: Act) -> None:
    killed = act()
    first_line(killed)
    pid = find_postmaster_pid(used_dir)
    killed.kill()
    killed.wait()

    with EmbeddedPostgres(used_dir):
        assert find_postmaster_pid(used_dir) == pid

    assert find_postmaster_pid(used_dir) is None


async def test_killed_postmaster_is_replaced_and_commits_survive(used_dir: Path, ask: Ask) -> None:
    server = EmbeddedPostgres(used_dir)
    await ask(server.start(), "CREATE TABLE kept AS SELECT 7 AS n")
    kill_postmaster(used_dir)

    dsn = await asyncio.to_thread(server.start)

    assert await ask(dsn, "SELECT n FROM kept") == 7
    server.stop()


async def test_busy_backend_of_a_killed_postmaster_is_ended(used_dir: Path, ask: Ask) -> None:
    server = EmbeddedPostgres(used_dir)
    dsn = server.start()
    connection = await asyncpg.connect(dsn)
    # A backend that computes does not notice that its postmaster is gone.
    spin = "DO $$ BEGIN LOOP NULL; END LOOP; END $$"
    spinning = asyncio.create_task(connection.execute(spin))
    while not await ask(dsn, f"SELECT TRUE FROM pg_stat_activity WHERE query = '{spin}'"):
        await asyncio.sleep(0.01)
    kill_postmaster(used_dir)

    assert await ask(await asyncio.to_thread(server.start), "SELECT 1") == 1

    server.stop()
    with contextlib.suppress(asyncpg.PostgresError, OSError):
        await spinning


def test_stale_pid_file_does_not_block(used_dir: Path) -> None:
    with EmbeddedPostgres(used_dir):
        noted = (used_dir / "postgres" / "postmaster.pid").read_text()
    (used_dir / "postgres" / "postmaster.pid").write_text(noted)

    with EmbeddedPostgres(used_dir):
        assert find_postmaster_pid(used_dir) is not None


def test_pid_taken_by_another_process_does_not_block_and_is_spared(used_dir: Path) -> None:
    with EmbeddedPostgres(used_dir):
        noted = (used_dir / "postgres" / "postmaster.pid").read_text()
    owner = (used_dir / "postgres").stat().st_uid
    user = owner if os.geteuid() == 0 else None
    bystander = subprocess.Popen(["sleep", "60"], user=user)
    rest = noted.partition("\n")[2]
    for name in ("postmaster.pid", ".s.PGSQL.5432.lock"):
        (used_dir / "postgres" / name).write_text(f"{bystander.pid}\n{rest}")

    with EmbeddedPostgres(used_dir):
        assert find_postmaster_pid(used_dir) not in (None, bystander.pid)

    assert bystander.poll() is None
    bystander.kill()
    bystander.wait()


def test_garbage_in_the_pid_file_does_not_block(used_dir: Path) -> None:
    with EmbeddedPostgres(used_dir):
        pass
    (used_dir / "postgres" / "postmaster.pid").write_bytes(b"")

    with EmbeddedPostgres(used_dir):
        assert find_postmaster_pid(used_dir) is not None


def test_interrupted_first_start_leaves_no_half_made_cluster(data_dir: Path, act: Act) -> None:
    killed = act()
    assert server_processes.wait_until(
        lambda: any(data_dir.glob("postgres.new-*/base")), timeout_s=10
    )
    killed.kill()
    killed.wait()
    assert not (data_dir / "postgres").exists()

    with EmbeddedPostgres(data_dir):
        assert find_postmaster_pid(data_dir) is not None
    with EmbeddedPostgres(data_dir):
        assert not any(data_dir.glob("postgres.new-*"))


def test_hanging_server_is_replaced(used_dir: Path) -> None:
    first, second = EmbeddedPostgres(used_dir), EmbeddedPostgres(used_dir)
    first.start()
    hanging = psutil.Process(find_postmaster_pid(used_dir))
    hanging.suspend()

    second.start()

    assert find_postmaster_pid(used_dir) not in (None, hanging.pid)
    first.stop()
    second.stop()


def test_start_again_revives_a_server_that_dies_again_and_again(used_dir: Path) -> None:
    server = EmbeddedPostgres(used_dir)
    server.start()

    for pause_s in (0, 0.002, 0.02, 0):
        before = find_postmaster_pid(used_dir)
        kill_postmaster(used_dir)
        time.sleep(pause_s)
        server.start()
        assert find_postmaster_pid(used_dir) not in (None, before)

    server.stop()


def test_uncollected_zombie_of_a_server_does_not_block(used_dir: Path, act: Act) -> None:
    """In a container the first process often collects nobody."""
    parent = act()
    first_line(parent)
    os.kill(parent.pid, signal.SIGSTOP)
    kill_postmaster(used_dir)

    server = EmbeddedPostgres(used_dir)
    server.start()

    assert find_postmaster_pid(used_dir) is not None
    parent.kill()
    parent.wait()
    server.stop()
