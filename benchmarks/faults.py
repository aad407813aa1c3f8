"""`make faults`: kill things, many times, and check that nothing is lost.

    python -m benchmarks.faults [--trials N] [--only word] [--every-step]

Real processes, real signals, real HTTP. After each fault every accepted run must have ended,
its log must end once, the points must add up and the queue must be empty. A rule that does not
hold is printed with its evidence, and the command fails.
"""

import argparse
import asyncio
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import median
from time import perf_counter

import uvloop
from benchmarks.deployment import deployed, scratch
from benchmarks.fault_agent_steps import AGENT_STEPS
from benchmarks.fault_bed import Bed, Outcome, Untried
from benchmarks.fault_cases import CASES, Case
from benchmarks.fault_steps import TURN_STEPS
from benchmarks.processes import LOOPBACK, PYTHON, free_port, running, tail
from rich.console import Console
from rich.table import Table

EVERY_STEP = [*TURN_STEPS, *AGENT_STEPS]
SHOWN = 10
ENDS = 500
WIDTH = 150
DRAIN_S = "1"
STALLED_MS = "6000"
"""After this a model that sends nothing has failed."""


@asynccontextmanager
async def bed_in(folder: Path) -> AsyncIterator[Bed]:
    """A scripted model and a place to start servers."""
    port = free_port()
    command = [PYTHON, "-m", "benchmarks.fault_model", "--port", str(port)]
    model = f"http://{LOOPBACK}:{port}/v1"
    settings = {
        "YARROW_DRAIN_S": DRAIN_S,
        "YARROW_LOG_LEVEL": "WARNING",
        "YARROW_LLM_TIMEOUT_MS": STALLED_MS,
        "YARROW_MEMORY": "async",
    }
    async with (
        running(command, log=folder / "model.log", port=port),
        deployed(folder, model, settings) as deployment,
    ):
        bed = Bed(deployment)
        try:
            yield bed
        finally:
            await asyncio.to_thread(bed.close)


async def try_case(bed: Bed, case: Case, trials: int) -> Outcome:
    """Make the trials, then check the books."""
    began = perf_counter()
    mishaps = len(bed.deployment.mishaps())
    outcome = await case(bed, trials)
    outcome.wrong += [str(violation) for violation in await bed.books()]
    outcome.wrong += bed.deployment.mishaps()[mishaps:]
    verdict = "ok" if not outcome.wrong else f"{len(outcome.wrong)} findings"
    took = perf_counter() - began
    print(f"  {outcome.fault}: {verdict}, {took:.0f} s", file=sys.stderr, flush=True)
    return outcome


def shortened(evidence: str) -> str:
    """Both ends of a long text: what happened, and the last line of its traceback."""
    if len(evidence) <= 2 * ENDS:
        return evidence
    return f"{evidence[:ENDS]} … {evidence[-ENDS:]}"


def print_table(outcomes: list[Outcome]) -> None:
    """One line for each fault, and the evidence of what went wrong."""
    table = Table(title="After each fault: nothing lost, charged twice or stuck")
    table.add_column("fault")
    for name in ("trials", "runs", "recovery s: median", "worst", "neighbour s", "MB"):
        table.add_column(name, justify="right")
    table.add_column("seen")
    table.add_column("ok")
    for outcome in outcomes:
        times = outcome.recoveries
        table.add_row(
            outcome.fault,
            str(outcome.trials),
            str(outcome.runs),
            f"{median(times):.1f}" if times else "–",
            f"{max(times):.1f}" if times else "–",
            f"{max(outcome.waits):.2f}" if outcome.waits else "–",
            f"{outcome.growth_mb:+.0f}" if outcome.growth_mb is not None else "–",
            ", ".join(f"{number} {what}" for what, number in sorted(outcome.notes.items())),
            "yes" if not outcome.wrong else f"NO: {len(outcome.wrong)}",
        )
    console = Console(width=WIDTH)
    console.print(table)
    for outcome in outcomes:
        for wrong in outcome.wrong[:SHOWN]:
            console.print(shortened(wrong), markup=False, highlight=False)


async def main() -> int:
    """Try all faults; not zero when a rule was broken."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.faults")
    parser.add_argument("--trials", type=int, help="of each fault; unset: a few minutes in all")
    parser.add_argument("--only", default="", help="only faults whose function has this word")
    parser.add_argument(
        "--every-step", action="store_true", help="stop at every step of turns and runs; hours"
    )
    given = parser.parse_args()
    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    outcomes = []
    with scratch() as folder:
        async with bed_in(folder) as bed:
            for case, trials in EVERY_STEP if given.every_step else CASES:
                if given.only not in case.__name__:
                    continue
                try:
                    outcomes.append(await try_case(bed, case, given.trials or trials))
                except Untried as reason:
                    print(f"  {case.__name__} is not tried: {reason}", file=sys.stderr)
            has_failed = any(outcome.wrong for outcome in outcomes)
            log_end = tail(bed.deployment.log, SHOWN) if has_failed else ""
    print_table(outcomes)
    if has_failed:
        print(f"the end of the servers' log:\n{log_end}")
    return int(has_failed)


if __name__ == "__main__":
    try:
        sys.exit(uvloop.run(main()))
    except (KeyboardInterrupt, asyncio.CancelledError):
        sys.exit(130)
