"""Calls on memories, for tests."""

from tests.loose_json import JsonObject
from tests.serving import Caller

WINDOW: JsonObject = {"source_selection": {"history": {"mode": "windowed", "max_messages": 1}}}
"""A policy that leaves the whole history out."""


async def dry_run(caller: Caller, session: str, **body: object) -> JsonObject:
    path = f"/sessions/{session}/respond/dry-run"
    status, answer = await caller.post(path, {"message": "And then?", **body})
    assert status == 200, answer
    return dict(answer["data"])


async def create_memory(caller: Caller, content: str, **body: object) -> JsonObject:
    body = {"scope": "global", "type": "fact", "content": content, **body}
    status, answer = await caller.post("/memories", body)
    assert status == 201, answer
    return dict(answer["data"])


async def list_memories(caller: Caller, **query: str) -> list[JsonObject]:
    status, answer = await caller.get("/memories", **query)
    assert status == 200, answer
    return list(answer["data"])


async def list_contents(caller: Caller, **query: str) -> list[str]:
    return [str(each["content"]) for each in await list_memories(caller, **query)]
