"""A worker that takes a turn over does not run its tools again, and takes lost text back."""

import asyncio
from pathlib import Path

from msgspec import Struct
from tests.loose_json import JsonObject
from tests.own_database import create_database
from tests.protocols.tavern.generation.turn_calls import (
    StreamFrame,
    list_texts,
    read_frames,
    read_variables,
)
from tests.protocols.tavern.story_calls import create_session, create_stored_asset, read_floors
from tests.serving import broken_rules_of, serving

from yarrow.assets.model import AssetKind
from yarrow.db import open_database
from yarrow.llm.model import ChatRequest, ChatRole
from yarrow.llm.scripted import Call, Hold, Say, ScriptedModel, Turn

TOOLS = {"enableTools": True}
DRAWING: JsonObject = {
    "prompts": [
        {"identifier": "main", "role": "system", "content": "{{roll::1d1000000000}}"},
        {"identifier": "chatHistory", "marker": True},
    ]
}
"""A prompt that is another one each time it is built."""


class TakenTurn(Struct):
    """A turn after its takeover."""

    texts: list[list[str]]
    first: list[ChatRequest]
    second: list[ChatRequest]
    characters: list[str]
    variables: JsonObject
    calls: list[JsonObject]
    explained: list[str]
    frames: list[StreamFrame]


async def take_over(postgres: str, folder: Path, before: list[Turn]) -> TakenTurn:
    dsn = await create_database(postgres)
    hold, model = Hold(), ScriptedModel([Say("The end.")])
    stopped = ScriptedModel(*before, [Say("Half a "), hold])
    async with serving(dsn, model=stopped, data_dir=folder) as stopping:
        caller = await stopping.account()
        preset = await create_stored_asset(stopping, caller, AssetKind.PRESET, DRAWING, "Draw")
        session = str((await create_session(caller, preset_id=str(preset.ref.id)))["id"])
        path = f"/sessions/{session}/respond?on_disconnect=continue"
        body = {"message": "a", "config": TOOLS}
        turn = asyncio.create_task(caller.post(path, body))
        await hold.reached.wait()
    await asyncio.gather(turn, return_exceptions=True)
    async with serving(dsn, model=model, data_dir=folder) as taking:
        caller.url, caller.http = taking.url, taking.http
        while (floors := await read_floors(caller, session))[0]["state"] != "committed":
            await asyncio.sleep(0.02)
        floor = floors[0]["id"]
        _, characters = await caller.get("/characters")
        _, calls = await caller.get(f"/floors/{floor}/tool-executions")
        _, explained = await caller.get(f"/floors/{floor}/prompt-runtime/explain")
        variables = await read_variables(caller, session)
        events = f"{caller.url}/floors/{floor}/run/events"
        async with caller.http.get(events, headers=caller.headers) as answer:
            frames = await read_frames(answer)
    async with open_database(dsn, size=2) as database:
        assert await broken_rules_of(database) == []
    return TakenTurn(
        texts=list_texts(floors),
        first=stopped.requests,
        second=model.requests,
        characters=[each["name"] for each in characters["data"]],
        variables=variables,
        calls=list(calls["data"]),
        explained=[each["content"] for each in explained["data"]["messages"]],
        frames=frames,
    )


async def test_a_takeover_stages_recorded_effects_and_runs_no_tool_again(
    postgres: str, tmp_path: Path
) -> None:
    create = Call("create_character", {"name": "Ada"})
    roll = Call("roll_dice", {"sides": 1_000_000})
    write = Call("set_variable", {"name": "gold", "value": 3})

    taken = await take_over(postgres, tmp_path, [[create, roll], [write]])

    assert taken.texts == [["a", "The end."]]
    (request,) = taken.second
    results = [each.text for each in taken.first[-1].messages if each.role is ChatRole.TOOL]
    repeated = [each.text for each in request.messages if each.role is ChatRole.TOOL]
    assert repeated == results
    assert taken.characters == ["Ada"]
    assert taken.variables == {"gold": 3}
    assert [each["tool_name"] for each in taken.calls] == [
        "create_character",
        "roll_dice",
        "set_variable",
    ]
    assert {each["commit_outcome"] for each in taken.calls} == {"committed"}


async def test_a_takeover_sends_the_prompt_that_was_sent_before(
    postgres: str, tmp_path: Path
) -> None:
    taken = await take_over(postgres, tmp_path, [[Call("get_time")]])

    first, second = taken.first[0].messages, taken.second[0].messages
    assert [each.text for each in second[: len(first)]] == [each.text for each in first]
    assert taken.explained == [each.text for each in first]


async def test_a_takeover_takes_the_text_of_the_lost_attempt_back(
    postgres: str, tmp_path: Path
) -> None:
    taken = await take_over(postgres, tmp_path, [])

    runs = [frame.data for frame in taken.frames if frame.event == "run"]
    restart = next(at for at, run in enumerate(runs) if run["attempt_no"] > 1)
    drafts = [run["pending_output"] for run in runs[restart:] if run["pending_output"]]
    began = taken.frames.index(next(each for each in taken.frames if each.data is runs[restart]))
    chunks = [each.data["chunk"] for each in taken.frames[began:] if each.event == "chunk"]
    assert {run["attempt_no"] for run in runs[restart:]} == {2}
    assert runs[restart]["pending_output"] is None
    assert all("The end.".startswith(draft["text"]) for draft in drafts)
    assert "".join(chunks) == drafts[-1]["text"] == "The end."
