"""A full disk: a deployment on a small file system, which a file of the trial fills for a while.

The file system is a tmpfs, so the trial needs the right to mount one.
"""

import asyncio
import errno
import os
import shutil
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from time import perf_counter

import asyncpg
from benchmarks.client import LOST, PATIENCE_S, PAUSE_S, Client, Stuck, Wish
from benchmarks.deployment import deployed
from benchmarks.fault_bed import Bed, Layout, Outcome, Untried, follow_all, judged
from benchmarks.fault_takeovers import ANSWER, RUNS_PER_FAULT, answer, neighbour, upload_table

from yarrow.db import open_database
from yarrow.db.errors import DatabaseUnavailable

SIZE_MB = 512
"""PostgreSQL alone takes about sixty, the reserve and what must be free beside it 264."""
FULL_S = 3.0
BLOCK = bytes(1 << 20)


@contextmanager
def mount_small_disk(folder: Path, *, size_mb: int = SIZE_MB) -> Iterator[None]:
    """Mount a tmpfs on the folder while the block lasts."""
    folder.mkdir(parents=True)
    options = f"size={size_mb}m,mode=755"
    command = ["mount", "-t", "tmpfs", "-o", options, "none", str(folder)]
    mounted = subprocess.run(command, capture_output=True, text=True, check=False)
    if mounted.returncode:
        raise Untried(f"no file system could be mounted: {mounted.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@contextmanager
def fill_disk(folder: Path) -> Iterator[None]:
    """Write a file until no byte is free; delete it at the end of the block.

    The server may give its reserve up while the file is written, which must not take that room.
    """
    balloon, room = folder / "balloon", shutil.disk_usage(folder).free
    file = os.open(balloon, os.O_CREAT | os.O_WRONLY)
    try:
        block = BLOCK
        while block and room:
            try:
                room -= os.write(file, block[:room])
            except OSError as error:
                if error.errno != errno.ENOSPC:
                    raise
                block = block[: len(block) // 2]
        yield
    finally:
        os.close(file)
        balloon.unlink()


@asynccontextmanager
async def small_bed(bed: Bed) -> AsyncIterator[Bed]:
    """A deployment of its own whose data are on a small disk; its log is not."""
    folder = bed.deployment.folder / "small"
    with mount_small_disk(folder / "data"):
        model, settings = bed.deployment.model_url, bed.deployment.settings
        async with deployed(folder, model, settings) as deployment:
            yield Bed(deployment)


async def disk_full(bed: Bed, trials: int) -> Outcome:
    """No byte is free for a while; every other time PostgreSQL needs a new file for its log."""
    outcome = Outcome(f"the disk is full for {FULL_S:.0f} s")
    async with small_bed(bed) as small:
        (server,) = (await small.use(Layout.ALONE)).servers
        async with neighbour(small, outcome, server):
            for trial in range(trials):
                client = await small.client(server)
                await _fill_during_runs(small, outcome, client, new_log=bool(trial % 2))
                with judged(outcome):
                    await _upload_at_last(client)
                outcome.trials += 1
        outcome.wrong += [str(violation) for violation in await small.books()]
    return outcome


async def _fill_during_runs(bed: Bed, outcome: Outcome, client: Client, *, new_log: bool) -> None:
    wishes = [Wish(ANSWER.text) for _ in range(RUNS_PER_FAULT)]
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(follow_all(outcome, client, wishes, answer(40)))
        await asyncio.sleep(bed.dice.uniform(0.0, 1.0))
        with fill_disk(bed.deployment.data_dir):
            if new_log:
                await _switch_log(bed)
            outcome.note(await _try_upload(client))
            await asyncio.sleep(FULL_S)
            # The server has given its reserve up: it goes on although nobody freed anything.
            await follow_all(outcome, client, [Wish(ANSWER.text)], answer(40))


async def _switch_log(bed: Bed) -> None:
    with suppress(asyncpg.PostgresError, DatabaseUnavailable, OSError, TimeoutError):
        async with open_database(bed.dsn, size=2) as database, database.connection() as tx:
            for _ in range(4):
                await tx.execute("SELECT pg_switch_wal()")
                await tx.execute("CREATE TABLE IF NOT EXISTS filled (text text)")


async def _upload_at_last(client: Client) -> None:
    """Upload a table; the database may still be starting."""
    deadline = perf_counter() + PATIENCE_S
    while True:
        try:
            return await upload_table(client)
        except RuntimeError as refused:
            if perf_counter() > deadline:
                raise Stuck(str(refused)) from refused
        await asyncio.sleep(PAUSE_S)


async def _try_upload(client: Client) -> str:
    """Upload a table to the full disk; says how that was answered."""
    try:
        async with asyncio.timeout(FULL_S):
            await upload_table(client)
    except RuntimeError as refused:
        return "upload refused" if " 500 " not in str(refused) else f"upload: {refused}"
    except LOST:
        return "upload without an answer"
    return "upload stored"
