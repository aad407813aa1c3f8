"""Calls that generate turns, for tests."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
from msgspec import Struct
from tests.loose_json import JsonObject, decode_json
from tests.protocols.tavern.story_calls import create_stored_asset, read_floors
from tests.serving import Caller, Served

from yarrow.assets.model import AssetKind
from yarrow.llm.model import ChatRequest
from yarrow.llm.scripted import Hold

COUNTING_PRESET: JsonObject = {
    "prompts": [
        {"identifier": "main", "role": "system", "content": "n={{incvar::n}}"},
        {"identifier": "chatHistory", "marker": True},
    ],
    "prompt_order": [
        {
            "character_id": 100000,
            "order": [
                {"identifier": "main", "enabled": True},
                {"identifier": "chatHistory", "enabled": True},
            ],
        }
    ],
}


class StreamFrame(Struct):
    """One server-sent event of a turn."""

    id: int
    event: str
    data: JsonObject

    @classmethod
    def parse(cls, block: str) -> "StreamFrame":
        number, event, data = block.split("\n")
        return cls(int(number[4:]), event[7:], decode_json(data[6:]))


async def respond(caller: Caller, session: str, message: str, **more: object) -> JsonObject:
    status, answer = await caller.post(f"/sessions/{session}/respond", {"message": message, **more})
    assert status == 200, answer
    return dict(answer["data"])


async def stream_turn(caller: Caller, path: str, body: object) -> list[StreamFrame]:
    async with caller.http.post(caller.url + path, json=body, headers=caller.headers) as answer:
        assert answer.status == 200, await answer.text()
        return await read_frames(answer)


async def read_frames(answer: aiohttp.ClientResponse) -> list[StreamFrame]:
    blocks = (await answer.read()).decode().split("\n\n")
    return [StreamFrame.parse(block) for block in blocks if block and not block.startswith(":")]


async def create_counting_session(served: Served, caller: Caller) -> str:
    """A session whose prompt counts `n` up."""
    preset = await create_stored_asset(served, caller, AssetKind.PRESET, COUNTING_PRESET, "Count")
    status, answer = await caller.post("/sessions", {"preset_id": str(preset.ref.id)})
    assert status == 201, answer
    return str(answer["data"]["id"])


async def read_variables(caller: Caller, session: str, branch: str = "main") -> JsonObject:
    status, answer = await caller.get("/variables/resolve", session_id=session, branch_id=branch)
    assert status == 200, answer
    return {each["key"]: each["value"] for each in answer["data"]["resolved"]}


@asynccontextmanager
async def held_turn(caller: Caller, session: str, hold: Hold) -> AsyncIterator[JsonObject]:
    """A turn whose model waits at the hold; gives its run."""
    turn = asyncio.create_task(caller.post(f"/sessions/{session}/respond", {"message": "Go on."}))
    await hold.reached.wait()
    status, answer = await caller.get(f"/sessions/{session}/active-run")
    assert status == 200
    yield answer["data"]
    hold.release.set()
    await turn


async def regenerate(caller: Caller, session: str, **body: object) -> JsonObject:
    status, answer = await caller.post(f"/sessions/{session}/regenerate", body)
    assert status == 200, answer
    return dict(answer["data"])


async def retry(caller: Caller, floor: str, **body: object) -> JsonObject:
    status, answer = await caller.post(f"/floors/{floor}/retry", body)
    assert status == 200, answer
    return dict(answer["data"])


async def edit(caller: Caller, message: str, content: str, **more: object) -> JsonObject:
    path = f"/messages/{message}/edit-and-regenerate"
    status, answer = await caller.post(path, {"content": content, **more})
    assert status == 200, answer
    return dict(answer["data"])


async def read_story(caller: Caller, session: str) -> JsonObject:
    """All that a failed attempt must leave as it was."""
    _, branches = await caller.get(f"/sessions/{session}/branches")
    names = [branch["id"] for branch in branches["data"]]
    return {
        name: {
            "floors": await read_floors(caller, session, name),
            "variables": await read_variables(caller, session, name),
        }
        for name in names
    }


def list_texts(floors: list[JsonObject]) -> list[list[str]]:
    return [[message["content"] for message in floor["messages"]] for floor in floors]


def find_input(floor: JsonObject) -> str:
    """The id of a floor's user message."""
    return next(str(each["id"]) for each in floor["messages"] if each["role"] == "user")


def list_sent(request: ChatRequest) -> list[str]:
    return [message.text for message in request.messages]
