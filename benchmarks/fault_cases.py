"""The faults. Each makes its trials and says what it found; the caller checks the books."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from itertools import count, pairwise
from time import perf_counter

from benchmarks.client import CANCELLED, Client, Frame, Refused, Wish, complaints
from benchmarks.fault_bed import (
    MAX_TAKEOVER_S,
    SLOW,
    Bed,
    Layout,
    Outcome,
    follow_all,
    judged,
    recovery,
)
from benchmarks.fault_disk import disk_full
from benchmarks.fault_files import upload_server_killed
from benchmarks.fault_memory import memory_job_repeated
from benchmarks.fault_steps import stopped_between_steps
from benchmarks.fault_stories import (
    replacement_cancelled,
    replacement_worker_killed,
    rivals_replace,
    turn_client_leaves,
    turn_database_lost,
    turn_model_fails,
)
from benchmarks.fault_takeovers import (
    answer,
    chart_worker_frozen,
    chart_worker_killed,
    model_fails,
    points_locked,
    worker_frozen,
    worker_killed,
)

PRICE = 20
RIVALS = 50
RUNS_PER_KILL = 8


def prompt(tokens: int, delay_ms: float) -> str:
    """Make the scripted model speak so long and so slowly."""
    return f"[[tokens={tokens} delay={delay_ms}]]"


async def _strike(
    bed: Bed, outcome: Outcome, client: Client, strike: Callable[[], Awaitable[None]]
) -> None:
    """Start runs, let the fault happen in their middle, and see all of them to their ends."""
    wishes = [Wish(prompt(40, 25)) for _ in range(RUNS_PER_KILL)]
    async with asyncio.TaskGroup() as tasks:
        following = tasks.create_task(follow_all(outcome, client, wishes, answer(40)))
        await asyncio.sleep(bed.dice.uniform(0.2, 0.9))
        struck_at = perf_counter()
        await strike()
    for frames in following.result():
        if (seconds := recovery(frames, struck_at)) is not None:
            outcome.recoveries.append(seconds)
            outcome.note("restarted" if any(f.restarts for f in frames) else "started late")
            if seconds > MAX_TAKEOVER_S:
                outcome.note(SLOW)
    outcome.trials += 1


async def server_killed(bed: Bed, trials: int) -> Outcome:
    """kill -9 of the only server, with its database every other time, and a new start."""
    outcome = Outcome("the whole server is killed and restarted")
    servers = (await bed.use(Layout.ALONE)).servers
    client = await bed.client(*servers)
    for trial in range(trials):

        async def strike(trial: int = trial) -> None:
            await servers[0].child.kill()
            if trial % 2:
                bed.kill_database()
            servers[0] = await bed.serve(port=servers[0].port)

        await _strike(bed, outcome, client, strike)
    return outcome


async def database_restarted(bed: Bed, trials: int) -> Outcome:
    """PostgreSQL is restarted, crashes, or is killed and left to the server to start again."""
    outcome = Outcome("the database restarts under load")
    client = await bed.client(*(await bed.use(Layout.ALONE)).servers)
    for trial in range(trials):
        stop = asyncio.Event()
        async with asyncio.TaskGroup() as tasks:
            load = [tasks.create_task(_busy(outcome, client, stop)) for _ in range(16)]
            await asyncio.sleep(bed.dice.uniform(0.5, 1.0))
            match trial % 3:
                case 0:
                    await bed.stop_database()
                    await bed.start_database()
                case 1:
                    await bed.crash_backend()
                case _:
                    bed.kill_database()
            await asyncio.sleep(1.5)
            stop.set()
        accepted = sorted(at for task in load for at in task.result())
        outcome.recoveries.append(max(later - at for at, later in pairwise(accepted)))
        outcome.trials += 1
    return outcome


async def _busy(outcome: Outcome, client: Client, stop: asyncio.Event) -> list[float]:
    """Run after run until told to stop; gives back when each was accepted."""
    accepted: list[float] = []
    while not stop.is_set():
        wish = Wish(prompt(20, 10))
        with judged(outcome):
            await client.submit(wish)
            outcome.runs += 1
            accepted.append(perf_counter())
            frames = await client.watch(wish)
            outcome.wrong += complaints(wish, frames, answer(20))
            outcome.note("failed" if frames[-1].type == "RUN_ERROR" else "succeeded")
    return accepted


async def duplicate_posts(bed: Bed, trials: int) -> Outcome:
    """The same run is posted fifty times at once, to two servers."""
    outcome = Outcome("50 duplicate posts of one run")
    client = await bed.client(*(await bed.use(Layout.PAIR)).servers)
    for _ in range(trials):
        wish = Wish(prompt(10, 2))
        async with asyncio.TaskGroup() as tasks:
            posts = [tasks.create_task(_try_post(client, wish)) for _ in range(RIVALS)]
        answers = Counter(post.result() for post in posts)
        if len(answers) != 1:
            outcome.wrong.append(f"{wish.key}: several answers: {dict(answers)}")
        await follow_all(outcome, client, [wish], answer(10))
        outcome.trials += 1
    return outcome


async def _try_post(client: Client, wish: Wish) -> str:
    try:
        return str((await client.post(wish))["taskId"])
    except Refused as refused:
        return str(refused)


async def points_for_one(bed: Bed, trials: int) -> Outcome:
    """Fifty runs at once of an account that can pay for one."""
    outcome = Outcome("50 concurrent runs, points for one")
    servers = (await bed.use(Layout.PAIR)).servers
    for _ in range(trials):
        client = await bed.client(*servers, points=PRICE)
        wishes = [Wish(prompt(10, 5)) for _ in range(RIVALS)]
        async with asyncio.TaskGroup() as tasks:
            posts = {wish.key: tasks.create_task(_try_status(client, wish)) for wish in wishes}
        taken = [wish for wish in wishes if posts[wish.key].result() == 202]
        statuses = Counter(post.result() for post in posts.values())
        if statuses != {202: 1, 402: RIVALS - 1}:
            outcome.wrong.append(f"{outcome.fault}: {dict(statuses)}")
        await follow_all(outcome, client, taken, answer(10))
        outcome.trials += 1
    return outcome


async def _try_status(client: Client, wish: Wish) -> int:
    try:
        await client.post(wish)
    except Refused as refused:
        return refused.status
    return 202


async def cancel_races(bed: Bed, trials: int) -> Outcome:
    """A cancel arrives, at either server, about when the run succeeds."""
    outcome = Outcome("cancel races success")
    client = await bed.client(*(await bed.use(Layout.PAIR)).servers)

    async def cancel_soon(wish: Wish) -> bool:
        await asyncio.sleep(bed.dice.uniform(0.0, 0.12))
        return await client.cancel(wish)

    async def one() -> None:
        wish = Wish(prompt(10, 5))
        with judged(outcome):
            await client.submit(wish)
            outcome.runs += 1
            frames, accepted = await asyncio.gather(client.watch(wish), cancel_soon(wish))
            outcome.wrong += complaints(wish, frames, answer(10))
            _judge_cancel(outcome, wish, frames, accepted=accepted)
        outcome.trials += 1

    await _in_groups(one, trials, size=10)
    return outcome


def _judge_cancel(outcome: Outcome, wish: Wish, frames: list[Frame], *, accepted: bool) -> None:
    """A run is cancelled if and only if its cancel was accepted."""
    last = frames[-1].data
    cancelled = last.get("code") == CANCELLED
    outcome.note("cancelled" if cancelled else "succeeded")
    if cancelled and not accepted:
        outcome.wrong.append(f"{wish.key}: cancelled although the cancel came too late")
    if accepted and not cancelled:
        outcome.wrong.append(f"{wish.key}: succeeded although its cancel was accepted")


async def client_gone(bed: Bed, trials: int) -> Outcome:
    """A client hangs up in the middle of the stream and comes back later, perhaps elsewhere."""
    outcome = Outcome("the client goes mid-stream")
    client = await bed.client(*(await bed.use(Layout.PAIR)).servers)
    numbers = count()

    async def one() -> None:
        wish = Wish(prompt(20, 10))
        stays = bed.dice.randint(1, 18)
        seen: list[Frame] = []
        with judged(outcome):
            if next(numbers) % 2:
                await client.submit(wish)
                seen += await _read(client.stream(wish, after=0), stays)
            else:
                seen += await _read(client.stream_post(wish), stays)
            outcome.runs += 1
            await asyncio.sleep(bed.dice.uniform(0.0, 0.4))
            frames = await client.watch(wish, seen=seen)
            outcome.wrong += complaints(wish, frames, answer(20))
        outcome.trials += 1

    await _in_groups(one, trials, size=10)
    return outcome


async def _read(stream: AsyncGenerator[Frame, None], stays: int) -> list[Frame]:
    """Read some frames, then hang up."""
    seen = []
    async with aclosing(stream):
        async for frame in stream:
            seen.append(frame)
            if len(seen) >= stays:
                break
    return seen


async def _in_groups(one: Callable[[], Awaitable[None]], trials: int, *, size: int) -> None:
    """So many trials, a few at a time."""
    for start in range(0, trials, size):
        await asyncio.gather(*(one() for _ in range(min(size, trials - start))))


Case = Callable[[Bed, int], Awaitable[Outcome]]

CASES: Sequence[tuple[Case, int]] = (
    # Layout.WORKERS
    (worker_killed, 6),
    (chart_worker_killed, 6),
    (worker_frozen, 3),
    (chart_worker_frozen, 3),
    (replacement_worker_killed, 6),
    (memory_job_repeated, 10),
    # Layout.ALONE
    (server_killed, 6),
    (upload_server_killed, 3),
    (database_restarted, 9),
    (points_locked, 3),
    (disk_full, 4),
    (model_fails, 60),
    (turn_database_lost, 4),
    # Layout.PAIR
    (duplicate_posts, 30),
    (points_for_one, 30),
    (cancel_races, 300),
    (client_gone, 100),
    (rivals_replace, 10),
    (replacement_cancelled, 30),
    (turn_client_leaves, 20),
    (turn_model_fails, 14),
    # Processes of its own
    (stopped_between_steps, 3),
)
"""Each fault with its trials, those of one layout together: they share its processes. All of them
take about ten minutes."""
