"""`make bench`: the server beside a thin proxy, driven by one client, in one table.

    python -m benchmarks.run [--quick] [--rounds 3] [--accounts 64]

The machine is rarely quiet, so the targets take turns (A B A B) and only figures of the same
round are divided by each other; the table shows medians over the rounds. Missed bars are said
and do not fail the command: they depend on the machine. Broken runs do.
"""

import argparse
import asyncio
import platform
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import psutil
import uvloop
from benchmarks.deployment import Deployment, Server, deployed, opened, scratch
from benchmarks.followers import IdleFollowers, allow_many_sockets, measure_followers
from benchmarks.load import RUNS, ask_model, drive, one_request, two_requests
from benchmarks.measure import Measured, Target, measure
from benchmarks.processes import LOOPBACK, PYTHON, free_port, running
from benchmarks.report import print_report
from msgspec import Struct

PLENTY = 100_000_000
TOKENS = 50
SHOWN = 5


class Plan(Struct, frozen=True):
    """How much is measured."""

    rounds: int
    alone: int
    """Runs per slice with one client."""
    loaded: int
    """Runs per slice with 64 clients."""
    limit_s: float
    accounts: int


class Level(Struct, frozen=True):
    """One shape of load and the targets that take turns under it."""

    clients: int
    runs: int
    """Per slice; targets that store nothing are faster and get `factor` times as many."""
    rounds: int
    targets: Sequence[Target]
    factor: int = 3
    text: str = "hello there"


class Stack(Struct, frozen=True):
    """Everything that is measured, running."""

    targets: list[Target]
    deployment: Deployment
    token: str
    """Of the first account."""


@asynccontextmanager
async def open_stack(folder: Path, accounts: int) -> AsyncIterator[Stack]:
    """Stub, proxy and server, running; the server's database has accounts with points."""
    async with AsyncExitStack() as running_all:
        enter = running_all.enter_async_context
        stub_port, thin_port = free_port(), free_port()
        model = f"http://{LOOPBACK}:{stub_port}/v1"
        command = [PYTHON, "-m", "benchmarks.stub", "--port", str(stub_port)]
        stub = await enter(
            running([*command, "--tokens", str(TOKENS)], log=folder / "stub.log", port=stub_port)
        )
        command = [PYTHON, "-m", "benchmarks.thin", "--port", str(thin_port), "--model", model]
        thin = await enter(running(command, log=folder / "thin.log", port=thin_port))
        deployment = await enter(deployed(folder, model))
        server = await deployment.serve()
        tokens = await _accounts(deployment, server, accounts)
        targets = [
            Target("model alone", ask_model(stub_port), [stub.pid]),
            Target("thin proxy", one_request(thin_port), [thin.pid]),
            *_ways_to_ask(deployment, server, tokens),
        ]
        yield Stack(targets, deployment, tokens[0])


async def _accounts(deployment: Deployment, server: Server, count: int) -> list[str]:
    async with opened(deployment) as database:
        return [
            (await deployment.account(server, database, points=PLENTY)).token for _ in range(count)
        ]


def _ways_to_ask(deployment: Deployment, server: Server, tokens: list[str]) -> list[Target]:
    port, pids, database = server.port, [server.child.pid], deployment.database_pids
    first = tokens[:1]
    return [
        Target("yarrow", two_requests(port, tokens=first), pids, database),
        Target("yarrow, one request", one_request(port, path=RUNS, tokens=first), pids, database),
        Target(
            f"yarrow, {len(tokens)} accounts", two_requests(port, tokens=tokens), pids, database
        ),
    ]


def levels(targets: list[Target], plan: Plan) -> list[Level]:
    """What is measured: alone, under full load, and with many slow streams open."""
    model, thin, *ways = targets
    return [
        Level(1, plan.alone, plan.rounds, [model, thin, ways[0]]),
        Level(64, plan.loaded, plan.rounds, [thin, *ways]),
        Level(256, 512, 1, [thin, ways[0]], factor=1, text="[[delay=40]]"),
    ]


class BenchResult(Struct, frozen=True):
    """All figures, and what the server called an error."""

    measured: list[Measured]
    followers: IdleFollowers
    mishaps: list[str]


async def bench(plan: Plan) -> BenchResult:
    """Measure everything, after a warm-up."""
    with scratch() as folder:
        async with open_stack(folder, plan.accounts) as stack:
            for target in stack.targets:
                await drive(target.runner, clients=16, runs=300, limit_s=3.0)
            measured = [
                await _slice(target, level, number=number, limit_s=plan.limit_s)
                for level in levels(stack.targets, plan)
                for number in range(level.rounds)
                for target in level.targets
            ]
            followers = await _idle_followers(stack)
            return BenchResult(measured, followers, stack.deployment.mishaps())


async def _idle_followers(stack: Stack) -> IdleFollowers:
    """Measure them at a new server: the other has free memory from the load, which they would use,
    and would not give back what they took before it."""
    print("  idle followers …", file=sys.stderr, flush=True)
    server = await stack.deployment.serve()
    warm_up = two_requests(server.port, tokens=[stack.token])
    await drive(warm_up, clients=16, runs=100, limit_s=3.0)
    return await measure_followers(server.port, server.child.pid, stack.token)


async def _slice(target: Target, level: Level, *, number: int, limit_s: float) -> Measured:
    print(f"  {level.clients} clients, {target.name} …", file=sys.stderr, flush=True)
    return await measure(
        target,
        clients=level.clients,
        runs=level.runs * (1 if target.stores else level.factor),
        limit_s=limit_s,
        text=level.text,
        number=number,
    )


def machine() -> str:
    """What it was measured on."""
    cores, memory = psutil.cpu_count(), psutil.virtual_memory().total / 2**30
    load = psutil.getloadavg()[0]
    return (
        f"{cores} cores, {memory:.0f} GB, {platform.system()} {platform.machine()}, "
        f"Python {platform.python_version()}, load {load:.1f} at the start"
    )


def read_plan(arguments: Sequence[str] | None = None) -> Plan:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run")
    parser.add_argument("--quick", action="store_true", help="one short round")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--accounts", type=int, default=64)
    given = parser.parse_args(arguments)
    if given.quick:
        return Plan(rounds=1, alone=40, loaded=320, limit_s=5.0, accounts=8)
    return Plan(given.rounds, alone=150, loaded=1024, limit_s=10.0, accounts=given.accounts)


async def main() -> int:
    """Measure and print; a signal ends it early and cleanly."""
    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    allow_many_sockets()
    described = machine()
    result = await bench(read_plan())
    print_report(described, result.measured, result.followers)
    for line in result.mishaps[:SHOWN]:
        print(f"the server says: {line[:500]}")
    return 1 if result.mishaps or any(part.broken for part in result.measured) else 0


if __name__ == "__main__":
    try:
        sys.exit(uvloop.run(main()))
    except (KeyboardInterrupt, asyncio.CancelledError):
        sys.exit(130)
