"""`/memories` and `/memory-edges`. Issue 14 §9."""

import json

import pytest
from tests.loose_json import JsonObject
from tests.protocols.switchable_model import SwitchableModel
from tests.protocols.tavern.generation.turn_calls import regenerate, respond
from tests.protocols.tavern.memories.memory_calls import (
    create_memory,
    dry_run,
    list_contents,
    list_memories,
)
from tests.protocols.tavern.story_calls import create_session
from tests.serving import Caller, Served

from yarrow.llm.scripted import Say


async def test_a_memory_comes_back_as_it_was_written(caller: Caller) -> None:
    session = (await create_session(caller))["id"]

    memory = await create_memory(
        caller, "Mira fears water.", scope="branch", session_id=session, fact_key="fear"
    )

    assert memory | {"id": "", "created_at": 0, "updated_at": 0} == {
        "id": "",
        "scope": "branch",
        "scope_id": json.dumps([session, "main"], separators=(",", ":")),
        "session_id": session,
        "branch_id": "main",
        "type": "fact",
        "summary_tier": None,
        "content": "Mira fears water.",
        "fact_key": "fear",
        "importance": 0.5,
        "confidence": 1.0,
        "status": "active",
        "lifecycle": "active",
        "source_floor_id": None,
        "source_message_id": None,
        "coverage_floor_ids": [],
        "created_at": 0,
        "updated_at": 0,
    }
    assert (await caller.get(f"/memories/{memory['id']}"))[1]["data"] == memory
    assert await list_memories(caller, scope="branch", scope_id=str(memory["scope_id"])) == [memory]


async def test_every_scope_is_injected(caller: Caller, switchable: SwitchableModel) -> None:
    session = (await create_session(caller))["id"]
    switchable.script([Say("Rain.")])
    floor = (await respond(caller, session, "a"))["floor_id"]
    for scope in (
        {"scope": "global"},
        {"scope": "chat", "scope_id": session},
        {"scope": "branch", "session_id": session},
        {"scope": "floor", "scope_id": floor},
    ):
        await create_memory(caller, f"in {scope['scope']}", **scope)
    other = (await create_session(caller))["id"]
    await create_memory(caller, "elsewhere", scope="chat", scope_id=other)

    summary = (await dry_run(caller, session))["memory_summary"]

    assert sorted(summary.split("\n")[1:]) == [
        f"- (fact) in {scope}" for scope in ("branch", "chat", "floor", "global")
    ]


async def test_filters_and_stats(caller: Caller) -> None:
    session = (await create_session(caller))["id"]
    await create_memory(caller, "Rain", type="summary", summary_tier="macro")
    await create_memory(caller, "A debt", type="open_loop", scope="chat", session_id=session)
    await create_memory(caller, "Old", fact_key="k", status="deprecated")

    assert await list_contents(caller, type="open_loop") == ["A debt"]
    assert await list_contents(caller, session_id=session) == ["A debt"]
    assert await list_contents(caller, scope="chat") == ["A debt"]
    assert await list_contents(caller, scope="branch") == []
    assert (await caller.get("/memories/stats", scope="global"))[1]["data"]["total"] == 2
    assert await list_contents(caller, summary_tier="macro") == ["Rain"]
    assert await list_contents(caller, status="deprecated") == ["Old"]
    assert await list_contents(caller, status="active", search="rain") == ["Rain"]
    assert await list_contents(caller, fact_key="k", lifecycle="active") == []
    _, stats = await caller.get("/memories/stats")
    assert stats["data"]["total"] == 3
    assert stats["data"]["by_type"] == {"summary": 1, "open_loop": 1, "fact": 1}
    assert stats["data"]["by_status"] == {"active": 2, "deprecated": 1}


async def test_a_changed_memory_survives_the_turn_that_made_it(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    switchable.script([Say("Rain. <memo>one</memo><memo>two</memo>")], [Say("Sun.")])
    await respond(caller, session, "a")
    two, one = sorted(await list_memories(caller), key=lambda each: each["content"], reverse=True)

    path = f"/memories/{one['id']}"
    status, answer = await caller.send("PATCH", path, json={"content": "mine"})
    await regenerate(caller, session)

    assert (status, answer["data"]["content"]) == (200, "mine")
    assert await list_contents(caller) == ["mine"]
    assert (await caller.get(f"/memories/{two['id']}"))[0] == 404


async def test_an_update_hides_the_old_fact_until_it_is_revived(caller: Caller) -> None:
    session = (await create_session(caller))["id"]
    old, new = await create_memory(caller, "Oslo"), await create_memory(caller, "Bergen")
    body = {"source_id": new["id"], "target_id": old["id"], "relation": "updates"}

    created = [await caller.post("/memory-edges", body) for _ in range(2)]
    hidden = await dry_run(caller, session)
    _, shown = await caller.get(f"/memories/{old['id']}")
    _, edges = await caller.get("/memory-edges", memory_id=str(old["id"]))
    await caller.send("PATCH", f"/memories/{old['id']}", json={"status": "active"})

    assert [status for status, _ in created] == [201, 201]
    assert hidden["memory_summary"] == "[Memory]\n- (fact) Bergen"
    assert shown["data"]["status"] == "deprecated"
    assert edges["data"] == [created[0][1]["data"]]
    assert (await caller.get("/memory-edges"))[1]["data"] == []
    assert "Oslo" in (await dry_run(caller, session))["memory_summary"]


async def test_batches(caller: Caller) -> None:
    items = [{"scope": "global", "type": "fact", "content": text} for text in ("a", "b")]
    status, answer = await caller.post("/memories/batch", {"items": items})
    ids = [each["id"] for each in answer["data"]]

    _, changed = await caller.post("/memories/batch/status", {"ids": ids, "status": "deprecated"})
    _, deleted = await caller.post("/memories/batch/delete", {"ids": [*ids, "none"]})

    assert status == 201
    assert changed["data"]["meta"] == {"total": 2, "updated": 2, "not_found": 0}
    assert deleted["data"]["meta"] == {"total": 3, "deleted": 2, "not_found": 1}
    assert await list_contents(caller) == []


async def test_a_batch_with_a_wrong_item_stores_nothing(caller: Caller) -> None:
    good = {"scope": "global", "type": "fact", "content": "a"}
    bad = good | {"scope": "chat", "session_id": "0190a1b2-0000-7000-8000-000000000000"}

    assert (await caller.post("/memories/batch", {"items": [good, bad]}))[0] == 404

    assert await list_contents(caller) == []


WRONG: list[JsonObject] = [
    {"scope": "global", "type": "fact"},
    {"scope": "global", "type": "fact", "content": ""},
    {"scope": "global", "type": "fact", "content": "a\x00b"},
    {"scope": "global", "type": "fact", "content": "a", "importance": 2},
    {"scope": "global", "type": "fact", "content": "a", "importance": "1"},
    {"scope": "global", "type": "fact", "content": "a", "summary_tier": "micro"},
    {"scope": "global", "type": "wish", "content": "a"},
    {"scope": "moon", "type": "fact", "content": "a"},
    {"scope": "branch", "scope_id": "main", "type": "fact", "content": "a"},
    {"scope": "chat", "type": "fact", "content": "a"},
    {"scope": "floor", "type": "fact", "content": "a"},
    {"scope": "global", "type": "fact", "content": "a", "colour": "red"},
]


@pytest.mark.parametrize("number", range(len(WRONG)))
async def test_a_wrong_memory_is_refused(caller: Caller, number: int) -> None:
    status, answer = await caller.post("/memories", WRONG[number])

    assert (status, answer["error"]["code"]) == (400, "validation_error"), answer
    assert await list_contents(caller) == []


async def test_memories_of_others_are_not_found(caller: Caller, served: Served) -> None:
    other = await served.account()
    session = (await create_session(caller))["id"]
    memory = await create_memory(caller, "mine")
    path = f"/memories/{memory['id']}"
    body = {"scope": "chat", "scope_id": session, "type": "fact", "content": "x"}

    found = [
        await other.get(path),
        await other.send("PATCH", path, json={"content": "x"}),
        await other.send("DELETE", path),
        await other.post("/memories", body),
        await other.get("/memories", session_id=session),
        await other.get("/memories/none"),
        await other.send("DELETE", "/memory-edges/none"),
        await other.get("/memory/jobs/none"),
    ]

    assert [status for status, _ in found] == [404] * len(found)
    assert await list_contents(other) == []
    assert await list_contents(caller) == ["mine"]


async def test_an_archived_story_keeps_its_memories(caller: Caller) -> None:
    session = (await create_session(caller))["id"]
    memory = await create_memory(caller, "a", scope="chat", scope_id=session)
    await caller.send("PATCH", f"/sessions/{session}", json={"status": "archived"})

    status, answer = await caller.send("DELETE", f"/memories/{memory['id']}")

    assert (status, answer["error"]["code"]) == (409, "session_archived")
    assert await list_contents(caller) == ["a"]


async def test_a_memory_on_a_floor_of_an_abandoned_branch_is_refused(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    switchable.script([Say("Rain.")])
    floor = (await respond(caller, session, "a"))["floor_id"]
    async with served.product.database.transaction() as tx:
        await tx.execute(
            "UPDATE branches SET deleted_at = now(), wanted_name = name, name = id::text "
            "WHERE session_id = $1",
            session,
        )

    body = {"scope": "floor", "floor_id": floor, "type": "fact", "content": "x"}
    status, answer = await caller.post("/memories", body)

    assert (status, answer["error"]["code"]) == (404, "floor_not_found")
    async with served.product.database.connection() as tx:
        assert not await tx.fetchval("SELECT count(*) FROM memory_items WHERE turn_id = $1", floor)


async def test_an_edge_of_a_replaced_turn_can_be_made_again(served: Served, caller: Caller) -> None:
    old, new = [(await create_memory(caller, content))["id"] for content in ("old", "new")]
    body = {"source_id": new, "target_id": old, "relation": "updates"}
    _, first = await caller.post("/memory-edges", body)
    async with served.product.database.transaction() as tx:
        await tx.execute(
            "UPDATE memory_edges SET replies = ARRAY[gen_random_uuid()] WHERE target_id = $1", old
        )

    status, again = await caller.post("/memory-edges", body)

    assert (status, again["data"]["id"]) == (201, first["data"]["id"])
    assert len((await caller.get("/memory-edges"))[1]["data"]) == 1


async def test_a_batch_that_is_refused_changes_nothing(caller: Caller) -> None:
    session = (await create_session(caller))["id"]
    free = (await create_memory(caller, "free"))["id"]
    archived = (await create_memory(caller, "x", scope="chat", session_id=session))["id"]
    await caller.send("PATCH", f"/sessions/{session}", json={"status": "archived"})

    body = {"ids": [free, archived], "status": "deprecated"}
    status, _ = await caller.send("PATCH", "/memories/batch/status", json=body)

    assert status == 409
    assert (await caller.get(f"/memories/{free}"))[1]["data"]["status"] == "active"
