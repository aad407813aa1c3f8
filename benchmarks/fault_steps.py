"""Stop a server, or take its database away, between any two steps of a turn.

After each fault all that the account can see of the story is what it was before the turn, or what
it is after a turn of this kind without a fault, and nothing between. A client that repeats its
request gets the second.
"""

import asyncio
import signal
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from enum import StrEnum
from pathlib import Path
from time import perf_counter
from urllib.parse import urlsplit

import asyncpg
from benchmarks.client import LOST, PATIENCE_S, Stuck
from benchmarks.deployment import Server
from benchmarks.fault_bed import Bed, Outcome, end, judged
from benchmarks.fault_stories import (
    CREATE,
    FREE_S,
    TOOLS,
    Story,
    make_story,
    repeat_until_answer,
    write_slot,
)
from benchmarks.processes import send
from benchmarks.step_wire import Point, StepWire, step_wire
from benchmarks.story_views import View, describe_difference, name_ids, read_view
from msgspec import Struct, field
from tests.loose_json import JsonObject

from yarrow.db import open_database
from yarrow.db.errors import DatabaseUnavailable
from yarrow.memory.job_store import LEASE_S

OK = 200
AWAY_S = 1.0
PRICE = "20"
POLL_S = 0.05
LOST_JOB_S = 3
SLOW = "[[delay=10]] [[delay=100]]"
"""The first delay is the key of the lore; the second one holds, so that events are flushed."""
REPLY = f"{SLOW} [[say=It goes on. <memo>More.</memo>]]"
MEMORABLE = f"{REPLY} [[memory 100]]"
MODULES = TOOLS | {"enableDirector": True, "enableVerifier": True}
ANSWERED = Point("the answer", is_behind=True)
TRIES = 3
"""Of a point that is not reached: an event may be written with another, or not."""

_ACTIVE_RUNS = """
SELECT count(*) FROM runs WHERE session_id = $1::text::uuid AND status IN ('queued', 'running')
"""
_OPEN_JOBS = f"""
WITH late AS (
    UPDATE memory_jobs SET claimed_at = claimed_at - interval '{LEASE_S} seconds'
    WHERE session_id = $1::text::uuid AND status = 'running'
      AND claimed_at < now() - interval '{LOST_JOB_S} seconds'
)
SELECT count(*) FROM memory_jobs
WHERE session_id = $1::text::uuid AND status IN ('queued', 'running')
"""
"""A job that takes so long was lost with its worker: its lease is over, as if time had passed."""


class Fault(StrEnum):
    """What happens at a point."""

    KILLED = "killed"
    """SIGKILL of the server, and a new start."""
    CUT = "cut"
    """All connections to the database are cut; for a second there are no new ones."""
    CRASHED = "crashed"
    """SIGKILL of all processes of PostgreSQL, and a new start."""


class TurnKind(Struct, frozen=True):
    """A request that makes a turn."""

    name: str
    choose_call: Callable[[Story], tuple[str, JsonObject]]
    memory: str = "sync"


def _respond(story: Story, text: str, config: JsonObject) -> tuple[str, JsonObject]:
    body: JsonObject = {"message": text, "config": config}
    return f"/sessions/{story.session}/respond", body | write_slot(3)


def _edit(story: Story) -> tuple[str, JsonObject]:
    body: JsonObject = {"content": REPLY}
    return f"/messages/{story.message}/edit-and-regenerate", body | write_slot(2)


KINDS = (
    TurnKind("respond", lambda story: _respond(story, REPLY, {})),
    TurnKind("regenerate", lambda s: (f"/sessions/{s.session}/regenerate", write_slot(2))),
    TurnKind("retry", lambda story: (f"/floors/{story.floor}/retry", write_slot(2))),
    TurnKind("edit", _edit),
    TurnKind("tools", lambda story: _respond(story, f"{CREATE} {REPLY}", MODULES)),
    TurnKind(
        "memory job",
        lambda story: _respond(story, MEMORABLE, {"enableMemoryConsolidation": True}),
        "async",
    ),
)


class Trial(Struct):
    """One point of one kind of turn."""

    kind: TurnKind
    fault: Fault = Fault.KILLED
    gives_up: bool = False
    """The client sends its request once, and does not come back."""
    target: Point | None = None
    story: Story | None = None
    before: View = field(default_factory=dict)
    struck_at: float = 0.0
    is_reached: bool = False
    status: int = 0
    """Of the last answer; 0 if there was none."""


class StepBed:
    """A server behind proxies that stop it at a point."""

    def __init__(self, bed: Bed, wire: StepWire) -> None:
        self.bed, self.wire = bed, wire
        self.after: dict[str, object] = {}
        """What a turn of each kind makes without a fault."""
        self.points: dict[tuple[str, bool], list[Point]] = {}
        """By the kind, and whether the client gives up."""
        self._server: Server | None = None
        self._memory = ""

    async def serve(self, memory: str) -> Server:
        """The server, started if it does not run with this setting."""
        server = self._server
        if server is not None and memory == self._memory and not server.child.ended:
            return server
        await self.stop()
        self._memory = memory
        self._server = await self.bed.deployment.serve(
            port=0 if server is None else server.port,
            settings={
                "YARROW_DATABASE_URL": self.wire.dsn,
                "YARROW_LLM_BASE_URL": self.wire.model_url,
                "YARROW_STORYTELLER_PRICE": PRICE,
                "YARROW_MEMORY": memory,
            },
        )
        return self._server

    async def stop(self) -> None:
        if self._server is not None:
            await end([self._server.child])

    async def learn(self, kind: TurnKind, *, gives_up: bool = False) -> list[Point]:
        """The points of a turn of this kind, made without a fault if there was none yet."""
        points = self.points.get((kind.name, gives_up))
        if points is None:
            trial = Trial(kind, gives_up=gives_up)
            await self._make_turn(trial)
            if trial.status != OK:
                raise Stuck(f"{kind.name} without a fault: {trial.status}")
            points = self.points[kind.name, gives_up] = [*self.wire.watch.points, ANSWERED]
            self.after[kind.name] = name_ids(await read_view(_story(trial)))
        return points

    async def try_point(self, outcome: Outcome, trial: Trial) -> None:
        """Make a turn with a fault at the point, and compare what is there with before and after.

        If the turn does not reach the point, the fault comes behind its answer.
        """
        await self.learn(trial.kind, gives_up=trial.gives_up)
        with judged(outcome):
            await self._make_turn(trial)
            await self.end_watch(trial)
            outcome.recoveries.append(await self._wait_until_free(trial))
            await self._wait_for_memory(trial)
            self._judge(outcome, trial, await read_view(_story(trial)))
        outcome.runs += 1
        outcome.trials += 1

    async def _make_turn(self, trial: Trial) -> None:
        """Make a story, and answer its turn until the client has its answer or gives up."""
        client = await self.bed.client(await self.serve(trial.kind.memory))
        story = trial.story = await make_story(client, REPLY)
        await self._wait_for_memory(trial)
        trial.before = await read_view(story)
        await self.watch(trial, self._call(trial))

    async def watch(self, trial: Trial, work: Coroutine[None, None, None]) -> None:
        """Do the work; at the point of the trial let the fault happen, and recover from it."""
        struck = asyncio.Event()

        def strike() -> None:
            self.strike(trial)
            struck.set()

        self.wire.watch.begin(trial.target, strike)
        working = asyncio.create_task(work)
        striking = asyncio.create_task(struck.wait())
        try:
            await asyncio.wait({working, striking}, return_when=asyncio.FIRST_COMPLETED)
            self.wire.watch.end()
            trial.is_reached = self.wire.watch.has_struck
            if trial.is_reached:
                await self.recover(trial)
            await working
        finally:
            working.cancel()
            striking.cancel()

    async def end_watch(self, trial: Trial) -> None:
        """Let a fault whose point was not reached happen behind the answer."""
        if not trial.is_reached:
            trial.is_reached = trial.target == ANSWERED
            self.strike(trial)
            await self.recover(trial)

    async def _call(self, trial: Trial) -> None:
        """Ask for the turn; its memory job belongs to it."""
        story = _story(trial)
        path, body = trial.kind.choose_call(story)
        if trial.gives_up:
            with suppress(*LOST):
                trial.status, _ = await story.client.call("POST", path, body=body)
        else:
            await repeat_until_answer(story.client, path, body)
            trial.status = OK
        await self._wait_for_memory(trial)

    def strike(self, trial: Trial) -> None:
        trial.struck_at, server = perf_counter(), self._server
        assert server is not None
        match trial.fault:
            case Fault.KILLED:
                send(server.child.pid, signal.SIGKILL)
            case Fault.CUT:
                self.wire.is_away = True
            case Fault.CRASHED:
                self.bed.kill_database()
        self.wire.cut()

    async def recover(self, trial: Trial) -> None:
        """Bring back what the fault has taken."""
        match trial.fault:
            case Fault.KILLED:
                if self._server is not None:
                    await self._server.child.process.wait()
                await self.serve(trial.kind.memory)
            case Fault.CUT:
                await asyncio.sleep(AWAY_S)
                self.wire.is_away = False
            case Fault.CRASHED:
                await self.bed.start_database()

    async def _wait_until_free(self, trial: Trial) -> float:
        """Wait until no run of the story is active; seconds since the fault."""
        await self._wait_for(_ACTIVE_RUNS, trial)
        return perf_counter() - trial.struck_at

    async def _wait_for_memory(self, trial: Trial) -> None:
        """Wait until the memory jobs of the story have ended; the lease of a lost one is ended."""
        await self._wait_for(_OPEN_JOBS, trial)

    async def _wait_for(self, query: str, trial: Trial) -> None:
        """Wait until a query for the story returns zero; a database that is away is waited for."""
        session, deadline = _story(trial).session, perf_counter() + PATIENCE_S
        while perf_counter() < deadline:
            with suppress(DatabaseUnavailable, asyncpg.PostgresError, OSError):
                async with (
                    open_database(self.bed.dsn, size=1) as database,
                    database.connection() as tx,
                ):
                    if not await tx.fetchval(query, session):
                        return
            await asyncio.sleep(POLL_S)
        raise Stuck(f"{session}: still not zero: {query}")

    def _judge(self, outcome: Outcome, trial: Trial, view: View) -> None:
        place = f"{trial.kind.name}, {trial.fault}, {trial.target}"
        difference = describe_difference(self.after[trial.kind.name], name_ids(view))
        is_before, is_after = view == trial.before, not difference
        outcome.note("after" if is_after else "before" if is_before else "between")
        if is_after and trial.status > OK:
            outcome.note("refused, and stored")
        if outcome.recoveries[-1] > FREE_S:
            outcome.wrong.append(f"{place}: free after {outcome.recoveries[-1]:.1f} s")
        if trial.status == OK and not is_after:
            outcome.wrong.append(f"{place}: answered, and not stored: {difference}")
        elif not is_after and not is_before:
            changed = describe_difference(trial.before, view)
            outcome.wrong.append(f"{place}: before: {changed}; after: {difference}")


def _story(trial: Trial) -> Story:
    assert trial.story is not None
    return trial.story


@asynccontextmanager
async def step_bed(bed: Bed) -> AsyncIterator[StepBed]:
    """A database that outlives its servers, and the proxies before it."""
    if bed.processes is not None:
        await end(bed.processes.children)
        bed.processes = None
    await bed.start_database()
    assert bed.database is not None
    bed.dsn = bed.database.dsn
    port = urlsplit(bed.deployment.model_url).port
    assert port is not None
    with tempfile.TemporaryDirectory(prefix="yarrow-steps-") as folder:
        async with step_wire(bed.dsn, port, Path(folder)) as wire:
            steps = StepBed(bed, wire)
            try:
                yield steps
            finally:
                await asyncio.shield(steps.stop())


StepCase = Callable[[Bed, int], Awaitable[Outcome]]


async def stopped_between_steps(bed: Bed, trials: int) -> Outcome:
    """The server is killed, or its database lost, at random points of random turns."""
    outcome, faults = Outcome("stopped between two steps of a turn"), list(Fault)
    bed.dice.shuffle(faults)
    async with step_bed(bed) as steps:
        for trial in range(trials):
            kind, fault = bed.dice.choice(KINDS), faults[trial % len(faults)]
            target = bed.dice.choice(await steps.learn(kind))
            await steps.try_point(outcome, Trial(kind, fault, target=target))
    return outcome


def make_case(kind: TurnKind, fault: Fault, *, gives_up: bool) -> StepCase:
    """A case that tries every point of a kind of turn."""
    name = f"{kind.name}, {fault}" + (", the client gives up" if gives_up else "")

    async def try_points(bed: Bed, trials: int) -> Outcome:
        outcome = Outcome(name)
        async with step_bed(bed) as steps:
            for target in await steps.learn(kind, gives_up=gives_up) * trials:
                await _try_to_reach(steps, outcome, Trial(kind, fault, gives_up, target))
        return outcome

    try_points.__name__ = name
    return try_points


async def _try_to_reach(steps: StepBed, outcome: Outcome, trial: Trial) -> None:
    """Try a point again that was not reached."""
    for _ in range(TRIES):
        await steps.try_point(outcome, trial)
        if trial.is_reached:
            return
    outcome.note("not reached")
    print(f"    not reached: {trial.target}", file=sys.stderr, flush=True)


TURN_STEPS: Sequence[tuple[StepCase, int]] = [
    (make_case(kind, fault, gives_up=gives_up), 1)
    for gives_up in (False, True)
    for fault in Fault
    for kind in KINDS
]
"""Every fault at every point of every kind of turn; three hours."""
