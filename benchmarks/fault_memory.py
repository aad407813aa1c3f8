"""Memory jobs: their worker is killed, or two workers execute the same job at once."""

import asyncio
from time import perf_counter

from benchmarks.client import PATIENCE_S, PAUSE_S, Client, Stuck
from benchmarks.fault_bed import Bed, Layout, Outcome, judged
from benchmarks.fault_stories import ask
from tests.loose_json import JsonObject

from yarrow.db import open_database
from yarrow.memory.job_store import LEASE_S

REMEMBERED = ["It rains.", "rain"]
"""What the scripted model has to say: a summary in its reply, and a fact when it is asked."""


async def memory_job_repeated(bed: Bed, trials: int) -> Outcome:
    """Kill the worker of a memory job, or let a second one claim it; each memory is stored once."""
    outcome = Outcome("a memory job is delivered twice, or its worker killed")
    processes = await bed.use(Layout.WORKERS)
    client = await bed.client(*processes.servers)
    for trial in range(trials):
        with judged(outcome):
            made = await ask(client, "POST", "/sessions", {"title": "Rain"})
            session = made["data"]["id"]
            body = {"message": "[[memory 250]]", "config": {"enableMemoryConsolidation": True}}
            turn = await ask(client, "POST", f"/sessions/{session}/respond", body)
            job = turn["data"]["memory"]["job_id"]
            await _wait_for_status(client, job, "running", "succeeded")
            await asyncio.sleep(bed.dice.uniform(0.0, 0.2))
            if trial % 2:
                await processes.workers.pop(0).kill()
                processes.workers.append(await bed.deployment.worker())
            await _end_lease(bed, job)
            ended = await _wait_for_status(client, job, "succeeded", "failed")
            outcome.runs += 1
            outcome.note("repeated" if ended["attempt"] > 1 else "not hit")
            await _judge_memories(outcome, client, session, ended)
        outcome.trials += 1
    return outcome


async def _wait_for_status(client: Client, job: str, *statuses: str) -> JsonObject:
    deadline = perf_counter() + PATIENCE_S
    while perf_counter() < deadline:
        answer = await ask(client, "GET", f"/memory/jobs/{job}")
        if answer["data"]["status"] in statuses:
            return dict(answer["data"])
        await asyncio.sleep(PAUSE_S)
    raise Stuck(f"memory job {job}: {answer['data']}")


async def _end_lease(bed: Bed, job: str) -> None:
    """Make the claim of a running job as old as its lease, as if the time had passed."""
    async with open_database(bed.dsn, size=2) as database, database.connection() as tx:
        await tx.execute(
            "UPDATE memory_jobs SET claimed_at = claimed_at - $2 * interval '1 second' "
            "WHERE id = $1::text::uuid AND status = 'running'",
            job,
            LEASE_S + 1,
        )


async def _judge_memories(outcome: Outcome, client: Client, session: str, job: JsonObject) -> None:
    listed = await ask(client, "GET", f"/memories?session_id={session}&limit=100")
    contents = sorted(each["content"] for each in listed["data"])
    if job["status"] != "succeeded" or contents != REMEMBERED:
        outcome.wrong.append(f"{session}: {job}, memories {contents}")
