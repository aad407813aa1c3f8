"""The same for runs of the assistant and the analyst: a takeover goes on behind completed steps.

A client follows the run over the fault. It has the answer of a run without a fault, once, and so
has a client that comes later; a chart has one table; and the model is asked once more at most, for
the step that the fault has cut.
"""

import sys
from collections.abc import Awaitable, Callable, Sequence

from benchmarks.client import Client, Frame, Wish, complaints, replay_complaints, said
from benchmarks.fault_bed import Bed, Outcome, judged, recovery
from benchmarks.fault_steps import TRIES, Fault, StepBed, Trial, TurnKind, step_bed
from benchmarks.fault_takeovers import ANALYST_RUNS, check_chart, count_tables, upload_table
from benchmarks.load import RUNS
from msgspec import Struct

SUM = '[[delay=100]] What is this? [[tool=calculate {"expression": "2+3"}]]'
CHART = "How do the regions sell? [[chart 100]]"


class AgentKind(Struct, frozen=True):
    """A run of an agent."""

    name: str
    path: str
    text: str
    makes_table: bool = False


class FollowedRun(Struct):
    """What a client got of a run, and how often the model was asked."""

    frames: list[Frame]
    questions: int = 0


KINDS = (
    AgentKind("assistant", RUNS, SUM),
    AgentKind("analyst", ANALYST_RUNS, CHART, makes_table=True),
)


async def _follow(steps: StepBed, client: Client, wish: Wish, run: FollowedRun) -> None:
    """Ask for the run, and follow it to its end."""
    await client.submit(wish)
    await client.watch(wish, seen=run.frames)
    run.questions = steps.wire.questions


async def _make_run(
    steps: StepBed, kind: AgentKind, trial: Trial
) -> tuple[Client, Wish, FollowedRun]:
    client = await steps.bed.client(await steps.serve(trial.kind.memory))
    if kind.makes_table:
        await upload_table(client)
    wish, run = Wish(kind.text, path=kind.path), FollowedRun([])
    steps.wire.questions = 0
    await steps.watch(trial, _follow(steps, client, wish, run))
    return client, wish, run


async def _try_to_reach(
    steps: StepBed, outcome: Outcome, kind: AgentKind, trial: Trial, expected: FollowedRun
) -> None:
    """Try a point again that was not reached."""
    for _ in range(TRIES):
        with judged(outcome):
            await _try_point(steps, outcome, kind, trial, expected)
        outcome.trials += 1
        outcome.runs += 1
        if trial.is_reached:
            return
    outcome.note("not reached")
    print(f"    not reached: {trial.target}", file=sys.stderr, flush=True)


async def _try_point(
    steps: StepBed, outcome: Outcome, kind: AgentKind, trial: Trial, expected: FollowedRun
) -> None:
    client, wish, run = await _make_run(steps, kind, trial)
    await steps.end_watch(trial)
    place = f"{kind.name}, {trial.fault}, {trial.target}"
    found = complaints(wish, run.frames, said(expected.frames))
    found += replay_complaints(wish, run.frames, await client.watch(wish))
    if kind.makes_table:
        found += check_chart(wish, run.frames)
        if (count := await count_tables(client)) != 2:
            found.append(f"{count} tables")
    if run.questions > expected.questions + 1:
        found.append(f"the model is asked {run.questions} times, not {expected.questions}")
    outcome.wrong += [f"{place}: {text}" for text in found]
    outcome.note("asked again" if run.questions > expected.questions else "not asked again")
    if (seconds := recovery(run.frames, trial.struck_at)) is not None:
        outcome.recoveries.append(seconds)


def make_agent_case(kind: AgentKind, fault: Fault) -> Callable[[Bed, int], Awaitable[Outcome]]:
    """A case that tries every point of a kind of run."""
    turn = TurnKind(kind.name, lambda _: ("", {}))

    async def try_points(bed: Bed, trials: int) -> Outcome:
        outcome = Outcome(f"{kind.name}, {fault}")
        async with step_bed(bed) as steps:
            _, _, expected = await _make_run(steps, kind, Trial(turn))
            for target in steps.wire.watch.points * trials:
                trial = Trial(turn, fault, target=target)
                await _try_to_reach(steps, outcome, kind, trial, expected)
        return outcome

    try_points.__name__ = f"{kind.name}, {fault}"
    return try_points


AGENT_STEPS: Sequence[tuple[Callable[[Bed, int], Awaitable[Outcome]], int]] = [
    (make_agent_case(kind, fault), 1) for fault in Fault for kind in KINDS
]
