"""Jobs on the memories of a scope: what they leave alone, and how many are executed at once."""

import asyncio
import json
from uuid import uuid4

from tests.protocols.switchable_model import SwitchableModel
from tests.protocols.tavern.generation.turn_calls import respond
from tests.protocols.tavern.memories.memory_calls import list_memories
from tests.protocols.tavern.story_calls import create_session
from tests.serving import Caller, Served

from yarrow.ids import AccountId
from yarrow.llm.scripted import Hold, Say, Turn
from yarrow.protocols.tavern.memories.job_routes import JobAdmission
from yarrow.settings import MemoryMode


def say_summary(text: str) -> Turn:
    return [Say(f"Text. <summary>{text}</summary>")]


async def test_an_account_executes_one_job_at_a_time(served: Served) -> None:
    admission, order = JobAdmission(served.product.engine, MemoryMode.SYNC), list[str]()
    own, other, ended = AccountId(uuid4()), AccountId(uuid4()), asyncio.Event()

    async def execute(account_id: AccountId, name: str) -> None:
        async with admission.executing(account_id):
            order.append(name)
            if name == "first":
                await ended.wait()

    # Tasks begin in the order of their creation, and one that is admitted runs without a pause.
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(execute(own, "first"))
        tasks.create_task(execute(own, "second"))
        await tasks.create_task(execute(other, "other"))
        before = list(order)
        ended.set()

    assert before == ["first", "other"]
    assert order == ["first", "other", "second"]


async def test_a_rebuild_during_a_compaction_is_executed_after_it(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session, hold = (await create_session(caller))["id"], Hold()
    turns = [say_summary(f"Turn {number}.") for number in range(8)]
    switchable.script(*turns, [hold, Say("Long ago.")])
    for number in range(8):
        await respond(caller, session, f"{number}")
    scope = f"/memory/scopes/branch/{json.dumps([session, 'main'])}"

    compacting = asyncio.create_task(caller.post(f"{scope}/compact", {"force": True}))
    await hold.reached.wait()
    rebuilding = asyncio.create_task(caller.post(f"{scope}/rebuild"))
    # The test above proves the rule; a route that ignored it would very likely store its job in
    # the time of these requests.
    counts = [len((await caller.get("/memory/jobs"))[1]["data"]) for _ in range(40)]
    hold.release.set()
    answers = await asyncio.gather(compacting, rebuilding)

    assert counts == [1] * 40
    assert [answer["data"]["status"] for _, answer in answers] == ["succeeded"] * 2
    assert answers[1][1]["data"]["outcome"]["removed"] == 1


async def test_a_rebuild_of_a_floor_leaves_those_of_others(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    switchable.script(*[say_summary(f"Turn {number}.") for number in range(2)])
    floors = [(await respond(caller, session, f"{number}"))["floor_id"] for number in range(2)]
    async with served.product.database.transaction() as tx:
        await tx.execute(
            "INSERT INTO memory_items (id, account_id, scope, session_id, branch_id, turn_id, "
            "kind, tier, content, importance, confidence, replies) "
            "SELECT gen_random_uuid(), $2::text::uuid, 'turn', t.session_id, t.branch_id, t.id, "
            "'summary', 'macro', 'Compacted ' || t.seq, 1, 1, ARRAY[m.id] "
            "FROM turns t JOIN messages m ON m.turn_id = t.id AND m.role = 'assistant' "
            "WHERE t.session_id = $1::text::uuid",
            session,
            caller.id,
        )

    _, rebuilt = await caller.post(f"/memory/scopes/floor/{floors[0]}/rebuild")

    assert rebuilt["data"]["outcome"] == {"restored": 1, "removed": 1}
    (left,) = await list_memories(caller, summary_tier="macro")
    assert left["scope_id"] == floors[1]
