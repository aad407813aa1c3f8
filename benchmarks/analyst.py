"""The data analyst beside Data Formulator: first byte, streamed words, charts, growth.

    python -m benchmarks.analyst [--peer | --only-peer] [--quick] [--rounds 3]

Both servers talk to the same scripted model and are driven over HTTP by the same client, in
turns; ratios are made within a round and the table shows medians. A chart counts only if its
numbers are right. `--peer` installs Data Formulator into a folder of its own, once; where that
fails, ours is measured alone. Missed bars are said and do not fail the command; broken runs of
ours do.
"""

import argparse
import asyncio
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from time import perf_counter

import aiohttp
import psutil
import uvloop
from benchmarks.analyst_client import Analyst, Started
from benchmarks.analyst_measures import (
    OURS,
    Bench,
    Metric,
    charts,
    crowded_charts,
    first_byte,
    growth,
    prepared,
    report,
)
from benchmarks.analyst_peer import NAME, NotInstalled, family, installed, peer
from benchmarks.analyst_report import print_report
from benchmarks.deployment import SIGNUP_POINTS, Deployment, deployed, opened, scratch
from benchmarks.processes import LOOPBACK, PYTHON, free_port, running
from benchmarks.run import machine
from msgspec import Struct
from msgspec.structs import replace

KEEP_ALIVE_S = 4.0
"""Shorter than what uvicorn grants."""


class Plan(Struct, frozen=True):
    """How much is measured, and of whom."""

    rounds: int
    times: int
    """Single requests of each kind in a round."""
    limit_s: float
    """How long the clients ask for charts in a round."""
    ours: bool
    peer: bool


async def ours(deployment: Deployment, http: aiohttp.ClientSession) -> Analyst:
    """The product with accounts on, on an empty data dir; started twice to time both."""
    began = perf_counter()
    server = await deployment.serve()
    first_s = perf_counter() - began
    await server.child.stop()
    began = perf_counter()
    server = await deployment.serve()
    warm_s = perf_counter() - began
    async with opened(deployment) as database:
        account = await deployment.account(server, database, points=SIGNUP_POINTS)
    return Analyst(
        name=OURS,
        url=server.url,
        http=http,
        pids=lambda: sorted({*family(server.child.pid), *deployment.database_pids()}),
        started=Started(first_s, warm_s),
        model={"endpoint": "openai", "model": "stub"},
        headers=account.headers,
        speaks_sql=True,
    )


def kept_open() -> aiohttp.ClientSession:
    """The clients' connections stay, as those of a page or an app do, if the server lets them."""
    return aiohttp.ClientSession(
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=5),
        connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=KEEP_ALIVE_S),
    )


@asynccontextmanager
async def servers(folder: Path, plan: Plan) -> AsyncIterator[list[Analyst]]:
    """The scripted model, and the servers before it."""
    async with AsyncExitStack() as stack:
        enter = stack.enter_async_context
        port = free_port()
        command = [PYTHON, "-m", "benchmarks.analyst_model", "--port", str(port)]
        await enter(running(command, log=folder / "model.log", port=port))
        model_url = f"http://{LOOPBACK}:{port}/v1"
        deployment = await enter(deployed(folder, model_url))
        http = await enter(kept_open())
        found = []
        if plan.ours:
            found.append(await ours(deployment, http))
        if plan.peer:
            found.append(await enter(peer(folder, model_url, http)))
        yield found


async def measure(plan: Plan) -> list[Bench]:
    """Everything, in turns."""
    with scratch() as folder:
        async with servers(folder, plan) as analysts:
            benches = []
            for analyst in analysts:
                _say(f"preparing {analyst.name}")
                benches.append(await prepared(analyst))
            for number in range(plan.rounds):
                await _round(number, benches, plan)
            for bench in benches:
                _say(f"charts among many tables, {bench.analyst.name}")
                await crowded_charts(bench, limit_s=plan.limit_s)
                bench.note_memory(Metric.MEMORY_LOADED)
            return benches


async def _round(number: int, benches: Sequence[Bench], plan: Plan) -> None:
    parts = {
        "first byte": partial(first_byte, times=plan.times),
        "report": partial(report, times=plan.times),
        "charts": partial(charts, limit_s=plan.limit_s),
        "growth": partial(growth, times=plan.times),
    }
    for name, part in parts.items():
        for bench in benches:
            _say(f"round {number + 1}, {name}, {bench.analyst.name}")
            await part(bench)


def _say(what: str) -> None:
    load = psutil.getloadavg()[0]
    print(f"  {what} (load {load:.1f}) …", file=sys.stderr, flush=True)


def read_plan(arguments: Sequence[str] | None = None) -> Plan:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.analyst")
    parser.add_argument("--peer", action="store_true", help="beside Data Formulator")
    parser.add_argument("--only-peer", action="store_true", help="Data Formulator alone")
    parser.add_argument("--quick", action="store_true", help="one short round")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args(arguments)
    return Plan(
        rounds=1 if given.quick else given.rounds,
        times=1 if given.quick else 3,
        limit_s=5.0 if given.quick else 15.0,
        ours=not given.only_peer,
        peer=given.peer or given.only_peer,
    )


async def main() -> int:
    """Measure and print; a signal ends it early and cleanly."""
    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    plan, told = read_plan(), machine()
    if plan.peer:
        try:
            await installed()
        except NotInstalled as failure:
            print(f"{NAME} does not install here, its figures are skipped: {failure}")
            plan = replace(plan, ours=True, peer=False)
    benches = await measure(plan)
    print_report(f"{told}, {psutil.getloadavg()[0]:.1f} at the end", [b.sheet for b in benches])
    return 1 if any(b.sheet.broken for b in benches if b.analyst.name == OURS) else 0


if __name__ == "__main__":
    try:
        sys.exit(uvloop.run(main()))
    except (KeyboardInterrupt, asyncio.CancelledError):
        sys.exit(130)
