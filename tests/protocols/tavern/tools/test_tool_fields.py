"""Every field of tools, permissions and recorded calls, as whole answers.

Fields: reference §2, §12; issue 14 §7.
"""

from functools import partial

import pytest
from tests.loose_json import JsonObject
from tests.protocols.switchable_model import SwitchableModel
from tests.protocols.tavern.answer_parts import COUNT, ID, TEXT, TIME, make_meta, read_data
from tests.protocols.tavern.generation.turn_calls import respond
from tests.protocols.tavern.story_calls import create_session
from tests.serving import Caller

from yarrow.llm.scripted import Call, Say

NEWEST = ("created_at", "desc")
PERMISSIONS: JsonObject = {
    "enabled": True,
    "max_calls_per_turn": 10,
    "max_steps_per_generation": 5,
    "allow_irreversible": False,
    "slot_allow_list": {},
    "slot_deny_list": {},
}
NAME: JsonObject = {"type": "string", "description": TEXT, "maxLength": 256}
READ_TOOL: JsonObject = {
    "name": "get_variable",
    "description": TEXT,
    "parameters": {
        "type": "object",
        "properties": {"name": NAME, "key": NAME},
        "required": [],
        "additionalProperties": False,
    },
    "provider_id": "builtin",
    "provider_type": "builtin",
    "source": "builtin",
    "side_effect_level": "none",
    "replay_safety": "safe",
    "reason": "no_side_effect",
}


@pytest.fixture
async def session(caller: Caller, switchable: SwitchableModel) -> str:
    return str((await create_session(caller))["id"])


def find_tool(tools: list[JsonObject], name: str) -> JsonObject:
    return next(tool for tool in tools if tool["name"] == name)


async def test_fields_of_tools(caller: Caller, session: str) -> None:
    path = f"/sessions/{session}"
    runtime = await read_data(caller, f"{path}/tools/runtime")
    offered = READ_TOOL | {"slot": "narrator", "available": True, "unavailable_reason": None}

    assert find_tool(await read_data(caller, "/tools/builtin"), "get_variable") == READ_TOOL
    assert find_tool(runtime.pop("tools"), "get_variable") == offered
    assert runtime == {"permissions": PERMISSIONS}


async def test_fields_of_permissions(caller: Caller, session: str) -> None:
    path = f"/sessions/{session}/tool-permissions"
    changed: JsonObject = {
        "enabled": False,
        "max_calls_per_turn": 3,
        "max_steps_per_generation": 2,
        "allow_irreversible": True,
        "slot_allow_list": {"narrator": ["get_time"]},
        "slot_deny_list": {"*": ["roll_dice"]},
    }
    assert await read_data(caller, path) == PERMISSIONS
    for name, value in changed.items():
        await caller.send("PUT", path, json={})
        for method in ("PATCH", "PUT"):
            status, answer = await caller.send(method, path, json={name: value})
            assert (status, answer["data"]) == (200, PERMISSIONS | {name: value})
            assert await read_data(caller, path) == PERMISSIONS | {name: value}


async def test_fields_of_a_recorded_call(
    caller: Caller, session: str, switchable: SwitchableModel
) -> None:
    call = Call("create_character", {"name": "Ada"})
    switchable.script([call], [Say("Done.")])
    tools = {"config": {"enableTools": True}}
    floor = (await respond(caller, session, "Make one.", **tools))["floor_id"]
    read = partial(read_data, caller)

    blocking: JsonObject = {
        "execution_id": ID,
        "tool_name": "create_character",
        "provider_id": TEXT,
        "provider_type": TEXT,
        "side_effect_level": "sandbox",
        "status": "success",
        "lifecycle_state": "finished",
        "replay_safety": "confirm_on_replay",
        "reason": "non_compensable_sandbox",
    }
    expected = blocking | {
        "session_id": session,
        "floor_id": floor,
        "slot": "narrator",
        "commit_outcome": "committed",
        "arguments": '{"name":"Ada"}',
        "result": TEXT,
        "message": TEXT,
        "duration_ms": COUNT,
        "attempt_no": 1,
        "created_at": TIME,
    }
    assert await read(f"/floors/{floor}/tool-executions") == [expected]
    for query in (
        {"session_id": session},
        {"floor_id": floor},
        {"session_id": session, "tool_name": "create_character"},
        {"session_id": session, "status": "success"},
    ):
        _, listed = await caller.get("/tool-executions", **query)
        assert listed == {"data": [expected], "meta": make_meta(1, NEWEST)}
    for query in (
        {"tool_name": "get_time"},
        {"status": "error"},
        {"offset": "1"},
    ):
        _, listed = await caller.get("/tool-executions", session_id=session, limit="1", **query)
        assert listed["data"] == []
    _, refused = await caller.post(f"/floors/{floor}/retry", {})
    assert refused["error"] == {
        "code": "tool_replay_confirmation_required",
        "message": TEXT,
        "details": {"blocking_executions": [blocking], "blocking_session_state_mutations": []},
    }
