"""Faults that make a run change its worker, or wait: kills, freezes, locks, failing models."""

import asyncio
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from time import perf_counter

import aiohttp
from benchmarks.analyst_script import TABLE, sales_csv
from benchmarks.client import Client, Frame, Wish, complaints, replay_complaints, valid
from benchmarks.deployment import Server
from benchmarks.fault_bed import MAX_TAKEOVER_S, SLOW, Bed, Layout, Outcome, judged, recovery
from benchmarks.processes import Child, resident_mb, send
from msgspec import Struct

from yarrow.db import open_database

ANALYST_RUNS = "/api/v1/agents/analyst/runs"
RUNS_PER_FAULT = 6
FROZEN_S = 7.0
"""Longer than the lease: the worker wakes when others have its runs."""
LOCKED_S = 4.0
NEIGHBOUR_PAUSE_S = 0.1

MODEL_FAULTS = (
    "[[status=500]]",
    "[[status=400]]",
    "[[cut=3]]",
    "[[error=3]]",
    "[[garbage=3]]",
    "[[hang=3]]",
    "[[finish=content_filter tokens=5]]",
)
MODEL_CODES = ("AGENT_MODEL", "AGENT_CONTENT_FILTERED")


class Kind(Struct, frozen=True):
    """A kind of run that is hit by a fault."""

    name: str
    path: str
    text: str
    seconds: float
    """How long such a run takes, about."""
    check: Callable[[Wish, list[Frame]], list[str]]


def answer(tokens: int) -> str:
    """What the scripted model says in so many tokens."""
    return "".join(f"tok{place % 100:02d} " for place in range(tokens))


def check_answer(wish: Wish, frames: list[Frame]) -> list[str]:
    return complaints(wish, frames, answer(40))


def check_chart(wish: Wish, frames: list[Frame]) -> list[str]:
    """One chart and one summary are valid at the end."""
    names = [frame.data.get("name") for frame in valid(frames)]
    found = complaints(wish, frames, "")
    if (names.count("result"), names.count("completion")) != (1, 1):
        found.append(f"{wish.key}: not one chart and one summary: {names}")
    return found


ANSWER = Kind("answers", "/api/v1/agent/runs", "[[tokens=40 delay=25]]", 1.0, check_answer)
CHART = Kind("charts", ANALYST_RUNS, "How do the regions sell? [[chart 40]]", 1.5, check_chart)


async def upload_table(client: Client) -> None:
    """Give the account the table of sales."""
    form = aiohttp.FormData()
    form.add_field("table_name", TABLE)
    form.add_field("file", sales_csv(), filename=f"{TABLE}.csv", content_type="text/csv")
    status, body = await client.call("POST", "/api/tables/create-table", data=form)
    if status != 200 or body.get("status") != "success":
        raise RuntimeError(f"no table was made: {status} {body}")


async def count_tables(client: Client) -> int:
    _, body = await client.call("GET", "/api/tables/list-tables")
    return len(body["data"]["tables"])


async def hit_runs(
    outcome: Outcome,
    client: Client,
    kind: Kind,
    strike: Callable[[], Awaitable[None]],
    after: float,
) -> None:
    """Start runs, let the fault happen after a while, and follow all of them to their ends."""
    wishes = [Wish(kind.text, path=kind.path) for _ in range(RUNS_PER_FAULT)]
    async with asyncio.TaskGroup() as tasks:
        following = [tasks.create_task(follow_run(outcome, client, kind, each)) for each in wishes]
        await asyncio.sleep(after)
        struck_at = perf_counter()
        await strike()
    for task in following:
        frames = task.result()
        if (seconds := recovery(frames, struck_at)) is not None:
            outcome.recoveries.append(seconds)
            restarts = [frame for frame in frames if frame.restarts]
            outcome.note("restarted" if restarts else "started late")
            if any(f.data["value"]["repeatedUpToId"] > f.id for f in restarts):
                outcome.note("resumed behind a step")
            if seconds > MAX_TAKEOVER_S:
                outcome.note(SLOW)
    outcome.trials += 1


async def follow_run(outcome: Outcome, client: Client, kind: Kind, wish: Wish) -> list[Frame]:
    """Submit a run, follow it over all faults, and compare it with its replay."""
    frames: list[Frame] = []
    with judged(outcome):
        await client.submit(wish)
        outcome.runs += 1
        await client.watch(wish, seen=frames)
        outcome.wrong += kind.check(wish, frames)
        outcome.wrong += replay_complaints(wish, frames, await client.watch(wish))
    return frames


@asynccontextmanager
async def neighbour(bed: Bed, outcome: Outcome, server: Server) -> AsyncIterator[None]:
    """Another account that has short runs accepted all the time; its waits are noted."""
    client = await bed.client(server)

    async def ask() -> None:
        while True:
            began = perf_counter()
            with judged(outcome):
                await client.submit(Wish("[[tokens=1]]"))
            outcome.waits.append(perf_counter() - began)
            await asyncio.sleep(NEIGHBOUR_PAUSE_S)

    asking = asyncio.create_task(ask())
    before = resident_mb([server.child.pid])
    try:
        yield
    finally:
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        outcome.growth_mb = resident_mb([server.child.pid]) - before


async def _hit_workers(
    bed: Bed, outcome: Outcome, kind: Kind, trials: int, *, freeze: bool
) -> Outcome:
    """Kill or freeze one of two workers, at any time of its runs, early and late."""
    processes = await bed.use(Layout.WORKERS)
    (server,), workers = processes.servers, processes.workers
    async with neighbour(bed, outcome, server):
        for _ in range(trials):
            await bed.wait_for_workers(2)
            client = await bed.client(server)
            if kind is CHART:
                await upload_table(client)
            victim = workers.pop(0)
            after = bed.dice.uniform(0.0, kind.seconds)
            strike = _freeze(victim) if freeze else victim.kill
            await hit_runs(outcome, client, kind, strike, after)
            if kind is CHART and (count := await count_tables(client)) != 1 + RUNS_PER_FAULT:
                outcome.wrong.append(f"{outcome.fault}: {count} tables, not {1 + RUNS_PER_FAULT}")
            if not freeze:
                outcome.wrong += [f"{outcome.fault}: {o}" for o in await bed.orphans(victim)]
            workers.append(victim if freeze else await bed.deployment.worker())
    return outcome


def _freeze(victim: Child) -> Callable[[], Awaitable[None]]:
    async def strike() -> None:
        send(victim.pid, signal.SIGSTOP)
        try:
            await asyncio.sleep(FROZEN_S)
        finally:
            send(victim.pid, signal.SIGCONT)

    return strike


async def worker_killed(bed: Bed, trials: int) -> Outcome:
    """kill -9 of a worker at any time of its runs, while another one lives."""
    outcome = Outcome("a worker is killed, another lives")
    return await _hit_workers(bed, outcome, ANSWER, trials, freeze=False)


async def chart_worker_killed(bed: Bed, trials: int) -> Outcome:
    """The same while it makes charts."""
    outcome = Outcome("a worker is killed during charts")
    return await _hit_workers(bed, outcome, CHART, trials, freeze=False)


async def worker_frozen(bed: Bed, trials: int) -> Outcome:
    """SIGSTOP of a worker for longer than its lease, then SIGCONT."""
    outcome = Outcome("a worker is frozen for 7 s")
    return await _hit_workers(bed, outcome, ANSWER, trials, freeze=True)


async def chart_worker_frozen(bed: Bed, trials: int) -> Outcome:
    """The same while it makes charts."""
    outcome = Outcome("a worker is frozen during charts")
    return await _hit_workers(bed, outcome, CHART, trials, freeze=True)


async def points_locked(bed: Bed, trials: int) -> Outcome:
    """A transaction holds the row of an account's points while it posts runs."""
    outcome = Outcome("an account's points row is locked")
    (server,) = (await bed.use(Layout.ALONE)).servers
    async with neighbour(bed, outcome, server), open_database(bed.dsn, size=2) as database:
        for _ in range(trials):
            client = await bed.client(server)

            async def lock(account_id: str = client.account.id) -> None:
                async with database.transaction() as tx:
                    await tx.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
                    await tx.execute(
                        "SELECT 1 FROM user_points WHERE user_id = $1::text::uuid FOR UPDATE",
                        account_id,
                    )
                    await asyncio.sleep(LOCKED_S)

            await hit_runs(outcome, client, ANSWER, lock, bed.dice.uniform(0.0, 1.2))
    return outcome


async def model_fails(bed: Bed, trials: int) -> Outcome:
    """The model refuses, breaks off, stalls or sends garbage: each run fails and costs nothing."""
    outcome = Outcome("the model fails")
    (server,) = (await bed.use(Layout.ALONE)).servers
    client = await bed.client(server)

    async def one(fault: str) -> None:
        wish = Wish(fault)
        with judged(outcome):
            await client.submit(wish)
            outcome.runs += 1
            frames = await client.watch(wish)
            last = frames[-1].data
            outcome.note(str(last.get("code", last["type"])))
            if not str(last.get("code", "")).startswith(MODEL_CODES):
                outcome.wrong.append(f"{wish.key} {fault}: ended with {last}")
        outcome.trials += 1

    async with neighbour(bed, outcome, server):
        faults: Sequence[str] = [MODEL_FAULTS[n % len(MODEL_FAULTS)] for n in range(trials)]
        for start in range(0, len(faults), 10):
            await asyncio.gather(*map(one, faults[start : start + 10]))
    return outcome
