"""What is measured of an analyst, and the sheet the readings are kept on."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from enum import StrEnum
from itertools import cycle
from statistics import median
from time import perf_counter
from uuid import uuid4

import aiohttp
from benchmarks.analyst_client import Analyst, Workspace
from benchmarks.analyst_script import DELTAS, TABLE
from benchmarks.load import BrokenRun, percentile
from benchmarks.processes import cpu_seconds, proportional_mb
from msgspec import Struct, field

OURS = "yarrow"
MODEL_MS = 2_000
PACE_MS = 2
CLIENTS = 16
WARM_UP_S = 5.0
LATE_S = 0.5
"""What a server writes after its last byte counts too."""
FEW, MANY = 1, 150
BROKEN = (BrokenRun, aiohttp.ClientError, TimeoutError)


class Metric(StrEnum):
    """One figure of the table, by its name there."""

    FIRST_BYTE = f"first byte while the model thinks for {MODEL_MS // 1000} s: ms"
    DELTA_CPU = "report at full speed: CPU ms per delta"
    DELTA_RATE = "report at full speed: deltas/s"
    PACED_CPU = f"report, a word every {PACE_MS} ms: CPU ms per delta"
    CHART_RATE = f"{CLIENTS} clients, Python: charts/s"
    CHART_P50 = f"{CLIENTS} clients, Python: p50 ms"
    CHART_P95 = f"{CLIENTS} clients, Python: p95 ms"
    CHART_CPU = f"{CLIENTS} clients, Python: CPU ms per chart"
    SHARED_RATE = f"{CLIENTS} clients in one workspace, Python: charts/s"
    SHARED_P50 = f"{CLIENTS} clients in one workspace, Python: p50 ms"
    SHARED_P95 = f"{CLIENTS} clients in one workspace, Python: p95 ms"
    SHARED_CPU = f"{CLIENTS} clients in one workspace, Python: CPU ms per chart"
    CROWDED_RATE = f"{CLIENTS} clients among {MANY} tables, Python: charts/s"
    CROWDED_P50 = f"{CLIENTS} clients among {MANY} tables, Python: p50 ms"
    CROWDED_P95 = f"{CLIENTS} clients among {MANY} tables, Python: p95 ms"
    CROWDED_CPU = f"{CLIENTS} clients among {MANY} tables, Python: CPU ms per chart"
    SQL_RATE = f"{CLIENTS} clients, SQL: charts/s"
    SQL_P50 = f"{CLIENTS} clients, SQL: p50 ms"
    SQL_P95 = f"{CLIENTS} clients, SQL: p95 ms"
    SQL_CPU = f"{CLIENTS} clients, SQL: CPU ms per chart"
    EXPLAIN_FEW = f"explain, {FEW} table: ms"
    EXPLAIN_MANY = f"explain, {MANY} tables: ms"
    CHART_FEW = f"chart, {FEW} table: ms"
    CHART_MANY = f"chart, {MANY} tables: ms"
    LIST_FEW = f"list-tables, {FEW} table: ms"
    LIST_MANY = f"list-tables, {MANY} tables: ms"
    START_FIRST = "start to ready, empty folder: s"
    START_WARM = "start to ready, used folder: s"
    MEMORY_IDLE = "memory before the load: MB"
    MEMORY_LOADED = "memory after the load: MB"


class Sheet(Struct):
    """All readings of one server: several of a metric, in the order of the rounds."""

    name: str
    readings: dict[Metric, list[float]] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)

    def note(self, metric: Metric, value: float) -> None:
        self.readings.setdefault(metric, []).append(value)

    def middle(self, metric: Metric) -> float:
        return median(self.readings[metric])


class Bench(Struct, frozen=True):
    """A server, its sheet, and its workspace with many tables."""

    analyst: Analyst
    sheet: Sheet
    crowded: Workspace

    def note_memory(self, metric: Metric) -> None:
        self.sheet.note(metric, proportional_mb(self.analyst.pids()))


class Spent(Struct):
    """CPU and time of a block, known after it."""

    cpu_s: float = 0.0
    seconds: float = 0.0


@asynccontextmanager
async def metered(analyst: Analyst) -> AsyncIterator[Spent]:
    """What the server and all its processes spend on the block, and right after it."""
    spent = Spent()
    before, began = cpu_seconds(analyst.pids()), perf_counter()
    yield spent
    spent.seconds = perf_counter() - began
    await asyncio.sleep(LATE_S)
    spent.cpu_s = cpu_seconds(analyst.pids()) - before


async def prepared(analyst: Analyst) -> Bench:
    """Fill the workspace with many tables, and warm up what is slow the first time."""
    bench = Bench(analyst, Sheet(analyst.name), Workspace(analyst, _new_name()))
    bench.sheet.note(Metric.START_FIRST, analyst.started.first_s)
    bench.sheet.note(Metric.START_WARM, analyst.started.warm_s)
    bench.note_memory(Metric.MEMORY_IDLE)
    await bench.crowded.upload()
    for number in range(1, MANY):
        await bench.crowded.upload(f"{TABLE}_{number}")
    fresh = await _fresh(analyst)
    await fresh.report()
    await fresh.chart()
    await _drive(bench, BY_PYTHON.way, await _one_each(analyst), limit_s=WARM_UP_S)
    return bench


def _new_name() -> str:
    return f"bench-{uuid4().hex[:12]}"


async def _fresh(analyst: Analyst) -> Workspace:
    workspace = Workspace(analyst, _new_name())
    await workspace.upload()
    return workspace


async def first_byte(bench: Bench, *, times: int) -> None:
    """How long a client sees nothing while the model thinks."""
    workspace = await _fresh(bench.analyst)
    for _ in range(times):
        streamed = await workspace.explain(model_ms=MODEL_MS)
        bench.sheet.note(Metric.FIRST_BYTE, streamed.first_byte_s * 1000)


async def report(bench: Bench, *, times: int) -> None:
    """What a streamed word costs, at full speed and at a pace."""
    workspace = await _fresh(bench.analyst)
    words = DELTAS * times
    async with metered(bench.analyst) as spent:
        seconds = [await workspace.report() for _ in range(times)]
    bench.sheet.note(Metric.DELTA_CPU, spent.cpu_s * 1000 / words)
    bench.sheet.note(Metric.DELTA_RATE, words / sum(seconds))
    async with metered(bench.analyst) as spent:
        await workspace.report(pace_ms=PACE_MS)
    bench.sheet.note(Metric.PACED_CPU, spent.cpu_s * 1000 / DELTAS)


class Contest(Struct, frozen=True):
    """One way to ask for charts, and where its readings go."""

    way: str
    rate: Metric
    p50: Metric
    p95: Metric
    cpu: Metric


BY_PYTHON = Contest(
    "chart", Metric.CHART_RATE, Metric.CHART_P50, Metric.CHART_P95, Metric.CHART_CPU
)
IN_ONE_WORKSPACE = Contest(
    "chart", Metric.SHARED_RATE, Metric.SHARED_P50, Metric.SHARED_P95, Metric.SHARED_CPU
)
AMONG_MANY = Contest(
    "chart", Metric.CROWDED_RATE, Metric.CROWDED_P50, Metric.CROWDED_P95, Metric.CROWDED_CPU
)
BY_SQL = Contest("sql", Metric.SQL_RATE, Metric.SQL_P50, Metric.SQL_P95, Metric.SQL_CPU)


async def charts(bench: Bench, *, limit_s: float) -> None:
    """How many charts are made when many ask at once, each in a workspace or all in one."""
    analyst = bench.analyst
    await _contest(bench, BY_PYTHON, await _one_each(analyst), limit_s=limit_s)
    await _contest(bench, IN_ONE_WORKSPACE, [await _fresh(analyst)], limit_s=limit_s)
    if analyst.speaks_sql:
        await _contest(bench, BY_SQL, await _one_each(analyst), limit_s=limit_s)


async def crowded_charts(bench: Bench, *, limit_s: float) -> None:
    """The same in the workspace with many tables; once and last, for every chart adds one."""
    await _contest(bench, AMONG_MANY, [bench.crowded], limit_s=limit_s)


async def _one_each(analyst: Analyst) -> list[Workspace]:
    return [await _fresh(analyst) for _ in range(CLIENTS)]


async def _contest(
    bench: Bench, contest: Contest, workspaces: Sequence[Workspace], *, limit_s: float
) -> None:
    times, spent = await _drive(bench, contest.way, workspaces, limit_s=limit_s)
    if not times:
        return
    bench.sheet.note(contest.rate, len(times) / spent.seconds)
    bench.sheet.note(contest.p50, percentile(times, 0.5) * 1000)
    bench.sheet.note(contest.p95, percentile(times, 0.95) * 1000)
    bench.sheet.note(contest.cpu, spent.cpu_s * 1000 / len(times))


async def _drive(
    bench: Bench, way: str, workspaces: Sequence[Workspace], *, limit_s: float
) -> tuple[list[float], Spent]:
    """Seconds of each chart that came out right; the others are kept as broken."""
    times: list[float] = []

    async def client(workspace: Workspace, until: float) -> None:
        while perf_counter() < until:
            try:
                times.append(await workspace.chart(way))
            except BROKEN as broken:
                bench.sheet.broken.append(repr(broken))

    async with metered(bench.analyst) as spent, asyncio.TaskGroup() as tasks:
        until = perf_counter() + limit_s
        for workspace, _ in zip(cycle(workspaces), range(CLIENTS), strict=False):
            tasks.create_task(client(workspace, until))
    return times, spent


async def growth(bench: Bench, *, times: int) -> None:
    """The same three requests in a workspace with one table and in one with many."""
    fresh = await _fresh(bench.analyst)
    for _ in range(times):
        for metric, work in _alone(fresh, bench.crowded).items():
            bench.sheet.note(metric, await work() * 1000)


def _alone(
    few: Workspace, many: Workspace
) -> dict[Metric, Callable[[], Coroutine[None, None, float]]]:
    return {
        Metric.EXPLAIN_FEW: few.explained,
        Metric.EXPLAIN_MANY: many.explained,
        Metric.LIST_FEW: few.list_tables,
        Metric.LIST_MANY: many.list_tables,
        Metric.CHART_FEW: few.chart,
        Metric.CHART_MANY: many.chart,
    }
