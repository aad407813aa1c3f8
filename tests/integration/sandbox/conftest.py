"""One sandbox for the hostile programs, with a table of ours and one of somebody else."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from functools import partial
from pathlib import Path

import psutil
import pytest
from msgspec import Struct
from msgspec.structs import replace
from tests.waiting import PATIENCE_S

from yarrow.kit.limiter import Limiter
from yarrow.sandbox.client import ForkServerClient
from yarrow.sandbox.messages import JobKind
from yarrow.sandbox.model import FileToRead, JobLimits, WarmLimits
from yarrow.sandbox.sandbox import Sandbox
from yarrow.sandbox.warm_workers import WarmRequest, WarmResponse, WarmWorkers, make_worker_key
from yarrow.settings import Settings

LIMITS = JobLimits(seconds=30.0, clock_seconds=300.0, memory_mb=512)
"""For what succeeds or fails by itself: jobs yield the processor to all the machine does beside."""
SHORT = replace(LIMITS, seconds=1.0, clock_seconds=10.0)
"""For what never ends."""
TOO_LONG = "longer than"


class Box(Struct, frozen=True):
    """A sandbox and the files that a job must, or must not, see."""

    sandbox: Sandbox
    ours: Path
    others: Path
    secret: Path

    @property
    def tables(self) -> dict[str, Path]:
        return {"sales": self.ours}


class Workspace:
    """The sandbox's queries on behalf of one workspace, which may be answered warm."""

    def __init__(self, sandbox: Sandbox, key: str) -> None:
        self.run_sql = partial(sandbox.run_sql, workspace=key)
        self.save_query = partial(sandbox.save_query, workspace=key)


class Pool(Struct, frozen=True):
    """Warm workers that are asked directly, without a fresh process behind them."""

    workers: WarmWorkers
    client: ForkServerClient

    async def answers(self, request: WarmRequest, tables: Mapping[str, Path]) -> bool:
        return await self.run(request, tables) is not None

    async def run(
        self, request: WarmRequest, tables: Mapping[str, Path], limits: JobLimits = LIMITS
    ) -> WarmResponse | None:
        """The response of a warm worker itself; its frame's file is removed."""
        key = make_worker_key("a/pool", self.client, limits)
        reply = await self.workers.run(key, request, tables, limits)
        if reply is not None and reply.frame is not None:
            reply.frame.path.unlink()
        return reply


async def cannot_isolate(_: ForkServerClient) -> str | None:
    """A probe, for a sandbox on a machine without namespaces."""
    return "no namespaces"


def list_jobs(sandbox: Sandbox, kind: JobKind) -> set[int]:
    """The pids of the jobs that live now."""
    (fork_server,) = psutil.Process(sandbox.pids[kind]).children()
    return {child.pid for child in fork_server.children() if not is_ended(child)}


def is_ended(process: psutil.Process) -> bool:
    """Whether a process is gone, or waits as a zombie for its parent."""
    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


async def wait_for_jobs(sandbox: Sandbox, kind: JobKind, count: int) -> set[int]:
    """Return when so many jobs live: one that was killed is there for a moment longer."""
    async with asyncio.timeout(PATIENCE_S):
        while len(jobs := list_jobs(sandbox, kind)) != count:
            await asyncio.sleep(0.02)
    return jobs


async def make_table(sandbox: Sandbox, name: str, text: str) -> Path:
    source = sandbox.spool_path(".csv")
    source.write_text(text)
    target = sandbox.folder / f"{name}.parquet"
    await sandbox.read_file(FileToRead(source, f"{name}.csv", name), target)
    return target


@pytest.fixture(scope="session")
async def box(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Box]:
    folder = tmp_path_factory.mktemp("box")
    secret = folder / "secret.txt"
    secret.write_text("the secret of the server")
    async with Sandbox(Settings(data_dir=folder, sandbox_memory_mb=512)) as sandbox:
        ours = await make_table(sandbox, "ours", "region,amount\nnorth,10\nsouth,32\n")
        others = await make_table(sandbox, "others", "word\nprivate\n")
        yield Box(sandbox, ours, others, secret)


@pytest.fixture
async def python_box(box: Box) -> Box:
    """A sandbox that can run Python; where the machine cannot isolate, there is none to test."""
    reason = await box.sandbox.why_no_python()
    if reason is not None:
        pytest.skip(f"this machine cannot isolate Python: {reason}")
    return box


@pytest.fixture(scope="session")
async def session_pool(box: Box) -> AsyncIterator[Pool]:
    client = ForkServerClient(JobKind.SQL, box.sandbox.folder, jailed=True)
    workers = WarmWorkers(
        4, limiter=Limiter(4), spool_path=box.sandbox.spool_path, limits=WarmLimits()
    )
    yield Pool(workers, client)
    workers.close()
    await client.close()


@pytest.fixture
def pool(python_box: Box, session_pool: Pool) -> Pool:
    """Skipped where jobs cannot be isolated."""
    return session_pool
