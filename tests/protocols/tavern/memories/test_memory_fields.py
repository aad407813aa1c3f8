"""Every field of memories, edges and jobs, as whole answers.

Fields: reference §10, §15; issue 14 §9.
"""

from functools import partial

import pytest
from tests.loose_json import JsonObject
from tests.protocols.switchable_model import SwitchableModel
from tests.protocols.tavern.answer_parts import ID, TIME, make_meta, read_data
from tests.protocols.tavern.generation.turn_calls import respond
from tests.protocols.tavern.memories.memory_calls import create_memory
from tests.protocols.tavern.story_calls import create_session, read_floors
from tests.serving import Caller

from yarrow.llm.scripted import Say

NEWEST = ("created_at", "desc")
ITEM: JsonObject = {
    "id": ID,
    "branch_id": None,
    "summary_tier": None,
    "fact_key": None,
    "importance": 0.5,
    "confidence": 1.0,
    "status": "active",
    "lifecycle": "active",
    "source_floor_id": None,
    "source_message_id": None,
    "coverage_floor_ids": [],
    "created_at": TIME,
    "updated_at": TIME,
}


@pytest.fixture
async def session(caller: Caller, switchable: SwitchableModel) -> str:
    """A story with one turn, whose reply has a summary."""
    switchable.script([Say("Yes. <memo>Agreed.</memo>")])
    session = str((await create_session(caller))["id"])
    await respond(caller, session, "Well?")
    return session


async def test_fields_of_the_memory_of_a_turn(caller: Caller, session: str) -> None:
    (floor,) = await read_floors(caller, session)
    expected = ITEM | {
        "scope": "branch",
        "scope_id": f'["{session}","main"]',
        "session_id": session,
        "branch_id": "main",
        "type": "summary",
        "summary_tier": "micro",
        "content": "Agreed.",
        "source_floor_id": floor["id"],
        "source_message_id": floor["messages"][1]["id"],
        "coverage_floor_ids": [floor["id"]],
    }

    _, listed = await caller.get("/memories", session_id=session)
    assert listed == {"data": [expected], "meta": make_meta(1, NEWEST)}


async def test_fields_that_a_client_writes(caller: Caller, session: str) -> None:
    (floor,) = await read_floors(caller, session)
    source = {"source_floor_id": floor["id"], "source_message_id": floor["messages"][1]["id"]}
    texts = {"type": "fact", "content": "It rains.", "fact_key": "weather"}
    numbers = {"importance": 0.9, "confidence": 0.4, "status": "deprecated"}
    written = {**texts, **numbers, **source}
    of_chat = {"scope": "chat", "session_id": session}
    of_branch = {**of_chat, "scope": "branch", "branch_id": "main"}
    of_floor = {"scope": "floor", "floor_id": floor["id"]}
    bodies = [{**each, **written} for each in (of_chat, of_branch, of_floor)]
    single = [await create_memory(caller, **body) for body in bodies]
    _, batch = await caller.post("/memories/batch", {"items": bodies})
    macro = {"type": "summary", "summary_tier": "macro", "content": "A long year."}
    of_scope = {"scope": "chat", "scope_id": session}
    _, summed = await caller.post("/memories/batch", {"items": [{**of_scope, **macro}]})

    assert summed["data"] == [{**ITEM, **of_scope, **macro, "session_id": session}]
    expected = ITEM | written | {"lifecycle": "deprecated"}
    expected |= {"session_id": session, "scope": "chat", "scope_id": session}
    pair = {"scope": "branch", "scope_id": f'["{session}","main"]', "branch_id": "main"}
    turn = {"scope": "floor", "scope_id": floor["id"], "branch_id": "main"}
    assert single == [expected, expected | pair, expected | turn]
    assert batch["data"] == [
        each | {"id": ID, "created_at": TIME, "updated_at": TIME} for each in single
    ]


async def test_fields_that_a_client_changes(caller: Caller, session: str) -> None:
    memory = await create_memory(caller, "It rains.", scope="chat", session_id=session)
    changes: JsonObject = {
        "content": "It snows.",
        "fact_key": "weather",
        "importance": 0.9,
        "confidence": 0.4,
        "status": "deprecated",
    }
    for name, value in changes.items():
        status, answer = await caller.send("PATCH", f"/memories/{memory['id']}", json={name: value})
        memory |= {name: value, "updated_at": TIME}
        memory |= {"lifecycle": "deprecated"} if name == "status" else {}
        assert (status, answer["data"]) == (200, memory)
    _, deleted = await caller.send("DELETE", f"/memories/{memory['id']}")
    assert deleted["data"] == {"id": memory["id"], "deleted": True}


async def test_fields_of_statistics_and_batches(caller: Caller, session: str) -> None:
    fact = await create_memory(caller, "It rains.", scope="chat", session_id=session)
    ids = [fact["id"], "nobody"]
    body = {"ids": ids, "status": "deprecated"}
    _, changed = await caller.send("PATCH", "/memories/batch/status", json=body)

    assert changed["data"] == {
        "results": [
            {"index": 0, "id": fact["id"], "action": "updated"},
            {"index": 1, "id": "nobody", "action": "not_found"},
        ],
        "meta": {"total": 2, "updated": 1, "not_found": 1},
    }
    assert await read_data(caller, "/memories/stats", session_id=session) == {
        "total": 2,
        "by_scope": {"chat": 1, "branch": 1},
        "by_type": {"fact": 1, "summary": 1},
        "by_summary_tier": {"micro": 1},
        "by_lifecycle": {"active": 1, "deprecated": 1},
        "by_status": {"active": 1, "deprecated": 1},
    }


async def test_every_filter_of_memories(caller: Caller, session: str) -> None:
    (floor,) = await read_floors(caller, session)
    fact = await create_memory(
        caller, "It rains.", scope="floor", floor_id=floor["id"], fact_key="weather"
    )
    await create_memory(caller, "It snows.", scope="chat", session_id=session)
    filters: list[tuple[str, str, int]] = [
        ("scope", "chat", 1),
        ("floor_id", floor["id"], 1),
        ("branch_id", "main", 1),
        ("type", "fact", 2),
        ("summary_tier", "micro", 1),
        ("status", "deprecated", 0),
        ("lifecycle", "active", 3),
        ("fact_key", "weather", 1),
        ("search", "RAINS", 1),
    ]
    for name, value, count in filters:
        query = {"session_id": session, name: value}
        _, listed = await caller.get("/memories", **query)
        stats = await read_data(caller, "/memories/stats", **query)
        assert (name, len(listed["data"]), stats["total"]) == (name, count, count)
    _, of_chat = await caller.get("/memories", scope="chat", scope_id=session)
    assert [each["content"] for each in of_chat["data"]] == ["It snows."]
    for path in ("/memories", "/memories/stats"):
        status, refused = await caller.get(path, scope_id=session)
        assert (status, refused["error"]["details"][0]["path"]) == (400, "scope_id")
    _, page = await caller.get("/memories", session_id=session, limit="1", offset="1")
    assert page["meta"] == make_meta(3, NEWEST) | {"limit": 1, "offset": 1, "has_more": True}
    assert page["data"][0]["id"] == fact["id"]


async def test_fields_of_edges(caller: Caller, session: str) -> None:
    one, two = [
        await create_memory(caller, each, scope="chat", session_id=session) for each in ("a", "b")
    ]
    ends = {"source_id": one["id"], "target_id": two["id"]}
    edge = {"id": ID, **ends, "relation": "supports", "created_at": TIME}

    status, created = await caller.post("/memory-edges", {**ends, "relation": "supports"})
    assert (status, created["data"]) == (201, edge)
    for query in ({}, {"relation": "supports"}, {"memory_id": one["id"], "limit": "50"}):
        _, listed = await caller.get("/memory-edges", **query)
        assert listed == {"data": [edge], "meta": make_meta(1, NEWEST)}
    for query in ({"relation": "updates"}, {"offset": "1"}):
        assert (await caller.get("/memory-edges", **query))[1]["data"] == []
    _, deleted = await caller.send("DELETE", f"/memory-edges/{created['data']['id']}")
    assert deleted["data"] == {"id": created["data"]["id"], "deleted": True}


async def test_fields_of_jobs(caller: Caller, session: str) -> None:
    path = f"/memory/scopes/chat/{session}"
    job: JsonObject = {
        "id": ID,
        "job_id": ID,
        "kind": "rebuild",
        "status": "succeeded",
        "session_id": session,
        "branch_id": "main",
        "floor_id": None,
        "attempt": 1,
        "error": None,
        "outcome": {"restored": 1, "removed": 0},
        "created_at": TIME,
        "updated_at": TIME,
    }
    _, rebuilt = await caller.post(f"{path}/rebuild", {})
    _, compacted = await caller.post(f"{path}/compact", {})

    read = partial(read_data, caller)
    too_few = {"compacted": 0, "reason": "there are too few summaries"}
    assert rebuilt["data"] == job
    assert compacted["data"] == job | {"kind": "compact", "outcome": too_few}
    assert await read(f"/memory/jobs/{rebuilt['data']['id']}") == job
    _, listed = await caller.get("/memory/jobs", offset="1", limit="1")
    meta = make_meta(2, NEWEST, limit=1) | {"offset": 1}
    assert listed == {"data": [job], "meta": meta}
