"""Memory after the turn: `YARROW_MEMORY=async`, and memory that is off. Issue 14 §9."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.loose_json import JsonObject
from tests.protocols.switchable_model import SwitchableModel
from tests.protocols.tavern.generation.turn_calls import regenerate, respond
from tests.protocols.tavern.memories.memory_calls import list_contents
from tests.protocols.tavern.story_calls import create_session
from tests.serving import Caller, Served, serving
from tests.waiting import PATIENCE_S

from yarrow.ids import new_uuid
from yarrow.llm.errors import ModelRefused
from yarrow.llm.scripted import Fail, Hold, Say, Turn
from yarrow.memory import job_store
from yarrow.memory.job_store import MAX_ATTEMPTS
from yarrow.protocols.tavern.memories.job_routes import PER_MINUTE
from yarrow.settings import MemoryMode
from yarrow.stories.memory_jobs import OPEN_MAX

CONSOLIDATE: JsonObject = {"enableMemoryConsolidation": True}


@pytest.fixture(scope="module")
async def served(
    dsn: str, shared_model: SwitchableModel, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Served]:
    """The product with memory jobs."""
    folder = tmp_path_factory.mktemp("served")
    mode = MemoryMode.ASYNC
    async with serving(dsn, model=shared_model, data_dir=folder, memory=mode) as served:
        yield served


@pytest.fixture(autouse=True)
async def remove_open_jobs(served: Served) -> None:
    """Remove jobs that earlier tests left open: workers take the oldest one first."""
    async with served.product.database.transaction() as tx:
        await tx.execute("DELETE FROM memory_jobs WHERE status IN ('queued', 'running')")


async def wait_for_job(caller: Caller, job_id: str, *statuses: str) -> JsonObject:
    async with asyncio.timeout(PATIENCE_S):
        while True:
            status, answer = await caller.get(f"/memory/jobs/{job_id}")
            assert status == 200, answer
            if answer["data"]["status"] in (statuses or ("succeeded", "failed", "cancelled")):
                return dict(answer["data"])
            await asyncio.sleep(0.02)


def say_fact(content: str) -> Turn:
    return [Say(json.dumps({"factsAdd": [{"key": "weather", "content": content}]}))]


async def test_a_turn_queues_a_job_that_stores_its_memories(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    switchable.script([Say("Rain. <memo>It rains.</memo>")], say_fact("rain"))

    answer = await respond(caller, session, "a", config=CONSOLIDATE)
    job = await wait_for_job(caller, answer["memory"]["job_id"])

    assert answer["memory"] == {"mode": "async", "status": "queued", "job_id": job["id"]}
    assert (job["status"], job["floor_id"]) == ("succeeded", answer["floor_id"])
    usage = job["outcome"]["usage"]
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"] > 0
    assert sorted(await list_contents(caller)) == ["It rains.", "rain"]
    _, jobs = await caller.get("/memory/jobs", session_id=session, status="succeeded")
    assert [each["id"] for each in jobs["data"]] == [job["id"]]


async def test_a_job_that_is_delivered_twice_stores_once(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    hold = Hold()
    switchable.script(
        [Say("Rain. <memo>It rains.</memo>")],
        [hold, *say_fact("first")],
        say_fact("second"),
        [Say("Sun.")],
    )
    job_id = (await respond(caller, session, "a", config=CONSOLIDATE))["memory"]["job_id"]
    await hold.reached.wait()
    await served.product.database.ping()
    async with served.product.database.transaction() as tx:
        await tx.execute("UPDATE memory_jobs SET claimed_at = now() - interval '1 day'")

    assert await served.product.memory_worker.run_job()
    hold.release.set()
    # Jobs run one after the other: when the next one has ended, so has the held one.
    after = await respond(caller, session, "b")
    await wait_for_job(caller, after["memory"]["job_id"])

    assert (await wait_for_job(caller, job_id))["attempt"] == 2
    assert sorted(await list_contents(caller)) == ["It rains.", "second"]


async def test_a_failed_job_keeps_the_summaries_and_can_be_retried(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    switchable.script(
        [Say("Rain. <memo>It rains.</memo>")], [Fail(ModelRefused(400))], say_fact("rain")
    )
    job_id = (await respond(caller, session, "a", config=CONSOLIDATE))["memory"]["job_id"]
    failed = await wait_for_job(caller, job_id)
    kept = await list_contents(caller)

    status, _ = await caller.post(f"/memory/jobs/{job_id}/retry")
    done = await wait_for_job(caller, job_id)

    assert failed["status"] == "failed"
    assert "memory model" in failed["error"]
    assert kept == ["It rains."]
    assert (status, done["status"]) == (200, "succeeded")
    assert sorted(await list_contents(caller)) == ["It rains.", "rain"]
    status, answer = await caller.post(f"/memory/jobs/{job_id}/retry")
    assert (status, answer["error"]["code"]) == (409, "invalid_state")


async def test_a_job_that_breaks_fails_and_the_next_one_runs(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    switchable.script([Say("Rain. <memo>It rains.</memo>")])
    job_id = (await respond(caller, session, "a"))["memory"]["job_id"]
    await wait_for_job(caller, job_id)
    async with served.product.database.transaction() as tx:
        await tx.execute(
            "UPDATE memory_jobs SET payload = '{}', status = 'queued' WHERE id = $1", job_id
        )

    broken = await wait_for_job(caller, job_id)
    switchable.script([Say("Sun.")])
    after = await respond(caller, session, "b")

    assert (broken["status"], "error of the server" in broken["error"]) == ("failed", True)
    assert (await wait_for_job(caller, after["memory"]["job_id"]))["status"] == "succeeded"


async def test_an_answer_with_nul_and_a_huge_number_is_stored(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    number = "9" * 400
    fact = rf'{{"factsAdd": [{{"content": "ra\u0000in", "importance": {number}}}]}}'
    switchable.script([Say("Rain.")], [Say(fact)])

    job_id = (await respond(caller, session, "a", config=CONSOLIDATE))["memory"]["job_id"]

    assert (await wait_for_job(caller, job_id))["status"] == "succeeded"
    assert await list_contents(caller) == ["ra\ufffdin"]


async def test_a_job_that_was_given_up_can_be_retried(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    switchable.script([Say("Rain.")], [Fail(ModelRefused(400))], say_fact("rain"))
    job_id = (await respond(caller, session, "a", config=CONSOLIDATE))["memory"]["job_id"]
    await wait_for_job(caller, job_id, "failed")
    async with served.product.database.transaction() as tx:
        await tx.execute("UPDATE memory_jobs SET attempt = $2 WHERE id = $1", job_id, MAX_ATTEMPTS)

    await caller.post(f"/memory/jobs/{job_id}/retry")
    done = await wait_for_job(caller, job_id)

    assert (done["status"], done["attempt"], done["error"]) == ("succeeded", 1, None)


async def test_a_worker_cannot_finish_a_job_that_was_cancelled_and_retried(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    hold = Hold()
    switchable.script([Say("Rain.")], [hold, *say_fact("first")], say_fact("second"), [Say("Sun.")])
    job_id = (await respond(caller, session, "a", config=CONSOLIDATE))["memory"]["job_id"]
    await hold.reached.wait()

    await caller.post(f"/memory/jobs/{job_id}/cancel")
    await caller.post(f"/memory/jobs/{job_id}/retry")
    async with served.product.database.transaction() as tx:
        second = await job_store.claim_job(tx)
    hold.release.set()
    await asyncio.sleep(0.2)

    assert second is not None
    assert (str(second.id), second.attempt) == (job_id, 1)
    assert await list_contents(caller) == []
    await caller.post(f"/memory/jobs/{job_id}/cancel")


async def test_a_cancelled_job_stores_nothing(caller: Caller, switchable: SwitchableModel) -> None:
    session = (await create_session(caller))["id"]
    hold = Hold()
    switchable.script(
        [Say("Rain. <memo>It rains.</memo>")], [hold, *say_fact("rain")], [Say("Sun.")]
    )
    job_id = (await respond(caller, session, "a", config=CONSOLIDATE))["memory"]["job_id"]
    await hold.reached.wait()

    status, answer = await caller.post(f"/memory/jobs/{job_id}/cancel")
    hold.release.set()
    after = await respond(caller, session, "b")
    await wait_for_job(caller, after["memory"]["job_id"])

    assert (status, answer["data"]["status"]) == (200, "cancelled")
    assert await list_contents(caller) == []


async def test_a_job_of_a_replaced_turn_adds_nothing_that_is_shown(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    hold = Hold()
    switchable.script([Say("Rain.")], [hold, *say_fact("rain")], [Say("Sun.")])
    job_id = (await respond(caller, session, "a", config=CONSOLIDATE))["memory"]["job_id"]
    await hold.reached.wait()

    await regenerate(caller, session)
    hold.release.set()

    assert (await wait_for_job(caller, job_id))["status"] == "succeeded"
    assert await list_contents(caller) == []


async def test_a_compaction_is_queued(caller: Caller) -> None:
    session = (await create_session(caller))["id"]
    scope = json.dumps([session, "main"])

    status, answer = await caller.post(f"/memory/scopes/branch/{scope}/compact")

    assert (status, answer["data"]["kind"]) == (202, "compact")
    assert (await wait_for_job(caller, answer["data"]["job_id"]))["status"] == "succeeded"


@asynccontextmanager
async def holding_worker(caller: Caller, switchable: SwitchableModel) -> AsyncIterator[str]:
    """Let the worker wait for its model in the block; what is queued waits behind that job."""
    session = (await create_session(caller))["id"]
    hold = Hold()
    switchable.script([Say("Rain.")], [hold, *say_fact("rain")])
    await respond(caller, session, "a", config=CONSOLIDATE)
    await hold.reached.wait()
    try:
        yield session
    finally:
        hold.release.set()


async def test_an_account_has_a_bounded_number_of_open_jobs(
    caller: Caller, switchable: SwitchableModel
) -> None:
    async with holding_worker(caller, switchable) as session:
        path = f"/memory/scopes/chat/{session}/compact"
        calls = [await caller.post(path, {"force": True}) for _ in range(OPEN_MAX)]
        _, jobs = await caller.get("/memory/jobs", session_id=session, limit="100")

    assert [status for status, _ in calls] == [202] * (OPEN_MAX - 1) + [429]
    assert calls[-1][1]["error"]["code"] == "too_many_requests"
    assert len(jobs["data"]) == OPEN_MAX


async def test_an_account_asks_for_a_bounded_number_of_jobs_a_minute(caller: Caller) -> None:
    path = f"/memory/scopes/chat/{new_uuid()}/compact"

    statuses = [(await caller.post(path, {"force": True}))[0] for _ in range(PER_MINUTE + 10)]

    assert statuses[:PER_MINUTE] == [404] * PER_MINUTE
    assert 429 in statuses


async def test_jobs_are_claimed_in_turn_over_accounts(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    other = await served.account()
    claimed = []
    async with holding_worker(caller, switchable) as session:
        path = f"/memory/scopes/chat/{session}/compact"
        theirs = f"/memory/scopes/chat/{(await create_session(other))['id']}/compact"
        first, second = [(await caller.post(path))[1]["data"]["job_id"] for _ in range(2)]
        third, fourth = [(await other.post(theirs))[1]["data"]["job_id"] for _ in range(2)]
        async with served.product.database.connection() as tx:
            while job := await job_store.claim_job(tx):
                claimed.append(str(job.id))

    asked = {first, second, third, fourth}
    assert [each for each in claimed if each in asked] == [third, first, fourth, second]


async def test_jobs_of_others_and_wrong_scopes_are_refused(caller: Caller) -> None:
    calls = [
        await caller.get(f"/memory/jobs/{new_uuid()}"),
        await caller.post(f"/memory/jobs/{new_uuid()}/cancel"),
        await caller.post(f"/memory/scopes/chat/{new_uuid()}/rebuild"),
        await caller.post("/memory/scopes/global/global/compact"),
        await caller.post("/memory/scopes/moon/x/compact"),
    ]

    assert [status for status, _ in calls] == [404, 404, 404, 400, 400]


async def test_memory_can_be_off(dsn: str, tmp_path: Path) -> None:
    model = SwitchableModel()
    async with serving(dsn, model=model, data_dir=tmp_path, memory=MemoryMode.OFF) as served:
        caller = await served.account()
        session = (await create_session(caller))["id"]
        model.script([Say("Rain. <memo>It rains.</memo>")])
        answer = await respond(caller, session, "a", config=CONSOLIDATE)
        calls = [
            await caller.get("/memories"),
            await caller.get("/memory/jobs"),
            await caller.post("/memories", {"scope": "global", "type": "fact", "content": "x"}),
        ]

    assert "memory" not in answer
    assert answer["summaries"] == ["It rains."]
    assert [(status, body["error"]["code"]) for status, body in calls] == [
        (503, "feature_unavailable")
    ] * 3
