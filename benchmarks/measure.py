"""One slice of load on one target, with what it cost by the kernel's account."""

import asyncio
from collections.abc import Callable, Sequence

from benchmarks.load import Runner, drive, percentile
from benchmarks.processes import cpu_seconds, proportional_mb, resident_mb
from msgspec import Struct

SAMPLE_S = 0.1


class Target(Struct, frozen=True):
    """Something that answers runs, and the processes it consists of."""

    name: str
    runner: Runner
    pids: Sequence[int]
    pids_of_database: Callable[[], list[int]] | None = None
    """Asked anew each time: PostgreSQL has a process for each connection."""

    @property
    def stores(self) -> bool:
        return self.pids_of_database is not None

    def database(self) -> list[int]:
        return self.pids_of_database() if self.pids_of_database else []


class Measured(Struct, frozen=True):
    """What one slice of load showed."""

    target: str
    clients: int
    number: int
    """The round it belongs to: only figures of one round may be compared."""
    runs_per_s: float
    first_token_p50_ms: float
    first_token_p99_ms: float
    server_us: float
    """CPU of the server's process per token."""
    database_us: float
    server_mb: float
    """Largest resident size of the server's process while the load lasted."""
    database_mb: float
    runs: int
    broken: list[str]

    @property
    def total_us(self) -> float:
        return self.server_us + self.database_us


async def measure(
    target: Target, *, clients: int, runs: int, limit_s: float, text: str, number: int
) -> Measured:
    """Drive the target, and read the meters before and after."""
    before = cpu_seconds(target.pids), cpu_seconds(target.database())
    peak = _Peak(target)
    async with asyncio.TaskGroup() as tasks:
        sampling = tasks.create_task(peak.sample())
        load = await drive(target.runner, clients=clients, runs=runs, limit_s=limit_s, text=text)
        sampling.cancel()
    after = cpu_seconds(target.pids), cpu_seconds(target.database())
    tokens = max(1, load.tokens)
    firsts = [run.first_token_s * 1000 for run in load.runs]
    return Measured(
        target=target.name,
        clients=clients,
        number=number,
        runs_per_s=len(load.runs) / load.seconds,
        first_token_p50_ms=percentile(firsts, 0.5),
        first_token_p99_ms=percentile(firsts, 0.99),
        server_us=(after[0] - before[0]) * 1e6 / tokens,
        database_us=(after[1] - before[1]) * 1e6 / tokens,
        server_mb=peak.server_mb,
        database_mb=proportional_mb(target.database()),
        runs=len(load.runs),
        broken=load.broken,
    )


class _Peak:
    """The largest size of a process over a while."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self.server_mb = 0.0

    async def sample(self) -> None:
        while True:
            self.server_mb = max(self.server_mb, resident_mb(self._target.pids))
            await asyncio.sleep(SAMPLE_S)
