"""Tools of stories: permissions, calls, staged effects. Issue 14 §7."""

import pytest
from tests.loose_json import JsonObject
from tests.protocols.switchable_model import SwitchableModel
from tests.protocols.tavern.generation.turn_calls import (
    create_counting_session,
    list_texts,
    read_variables,
    regenerate,
    respond,
    stream_turn,
)
from tests.protocols.tavern.story_calls import create_session, read_floors
from tests.serving import Caller, Served

from yarrow.llm.errors import ModelRefused
from yarrow.llm.scripted import Call, Fail, Say, Spend

TOOLS = {"enableTools": True}


async def list_calls(caller: Caller, floor: str) -> list[JsonObject]:
    status, answer = await caller.get(f"/floors/{floor}/tool-executions")
    assert status == 200, answer
    return list(answer["data"])


async def list_names(caller: Caller, path: str) -> list[str]:
    _, answer = await caller.get(path)
    return [str(each["name"]) for each in answer["data"]]


async def test_the_result_of_a_tool_goes_back_to_the_model(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    model = switchable.script(
        [Call("roll_dice", {"sides": 1, "count": 3}), Spend(5, 1)], [Say("Three."), Spend(7, 2)]
    )

    answer = await respond(caller, session, "Roll.", config=TOOLS)

    assert answer["generated_text"] == "Three."
    assert answer["total_usage"]["total_tokens"] == 15
    offered = {tool.name for tool in model.requests[0].tools}
    assert {"roll_dice", "get_variable", "create_character"} <= offered
    assert "delete_character" not in offered
    assert model.requests[1].messages[-1].text == '{"rolls":[1,1,1],"modifier":0,"total":3}'
    assert list_texts(await read_floors(caller, session)) == [["Roll.", "Three."]]


async def test_tools_are_offered_only_when_asked_for_and_allowed(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    path = f"/sessions/{session}/tool-permissions"
    model = switchable.script([Say("a")], [Say("b")], [Say("c")], [Say("d")])

    await respond(caller, session, "a")
    await caller.send("PATCH", path, json={"enabled": False})
    await respond(caller, session, "b", config=TOOLS)
    allow = {"enabled": True, "slot_allow_list": {"narrator": ["get_time", "roll_dice"]}}
    await caller.send("PATCH", path, json=allow)
    await respond(caller, session, "c", config=TOOLS)
    await caller.send("PATCH", path, json={"slot_deny_list": {"*": ["roll_dice"]}})
    await respond(caller, session, "d", config=TOOLS)

    offered = [[tool.name for tool in request.tools] for request in model.requests]
    assert offered == [[], [], ["roll_dice", "get_time"], ["get_time"]]


async def test_a_turn_streams_the_start_and_the_end_of_a_call(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    switchable.script([Say("Let me see."), Call("roll_dice", {"dice": "1d1"})], [Say("One.")])
    body = {"message": "a", "config": TOOLS}

    frames = await stream_turn(caller, f"/sessions/{session}/respond/stream", body)

    start, end = (frame.data for frame in frames if frame.event == "tool")
    assert start["execution_id"] == end["execution_id"]
    assert (start["phase"], start["replay_safety"]) == ("start", "uncertain")
    assert {key: end[key] for key in end if key not in ("execution_id", "duration_ms")} == {
        "tool_name": "roll_dice",
        "provider_id": "builtin",
        "provider_type": "builtin",
        "side_effect_level": "none",
        "phase": "success",
        "message": "Rolled 1d1",
        "replay_safety": "safe",
    }
    chunks = "".join(str(frame.data["chunk"]) for frame in frames if frame.event == "chunk")
    assert chunks == frames[-1].data["generated_text"] == "Let me see.\n\nOne."
    (call,) = await list_calls(caller, frames[-1].data["floor_id"])
    assert call["execution_id"] == end["execution_id"]
    assert (call["status"], call["lifecycle_state"]) == ("success", "finished")
    assert (call["commit_outcome"], call["replay_safety"]) == ("committed", "safe")


async def test_variables_of_tools_land_with_the_turn_and_go_with_it(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session = await create_counting_session(served, caller)
    setting = [
        Call("get_variable", {"name": "n"}),
        Call("set_variable", {"key": "gold", "value": 7}),
        Call("set_variable", {"key": "gold", "value": 8, "scope": "global"}),
        Call("get_variable", {"name": "gold"}),
    ]
    model = switchable.script(setting, [Say("Rich.")], [Say("Poor.")])

    await respond(caller, session, "a", config=TOOLS)
    rich = await read_variables(caller, session)
    await regenerate(caller, session)

    results = [message.text for message in model.requests[1].messages[-4:]]
    assert results[0] == '{"name":"n","value":"1","scope":"branch"}'
    assert results[3] == '{"name":"gold","value":7,"scope":"branch"}'
    assert rich == {"n": "1", "gold": 7}
    assert await read_variables(caller, session) == {"n": "1"}


async def test_library_effects_land_with_the_commit(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    switchable.script(
        [Call("create_character", {"name": "Ada", "content": "A smith."})],
        [Call("create_worldbook", {"name": "Lore"}), Call("create_preset", {"name": "Calm"})],
        [Call("create_regex_profile", {"name": "Tidy", "content": "/a/g"})],
        [Say("Made.")],
    )

    await respond(caller, session, "a", config=TOOLS)

    assert await list_names(caller, "/characters") == ["Ada"]
    assert await list_names(caller, "/worldbooks") == ["Lore"]
    assert await list_names(caller, "/presets") == ["Calm"]
    assert await list_names(caller, "/regex-profiles") == ["Tidy"]


async def test_a_failed_turn_leaves_nothing_that_its_tools_made(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    switchable.script(
        [Call("create_character", {"name": "Ada"}), Call("set_variable", {"name": "x"})],
        [Fail(ModelRefused(400))],
    )

    status, _ = await caller.post(f"/sessions/{session}/respond", {"message": "a", "config": TOOLS})

    assert status == 500
    assert await list_names(caller, "/characters") == []
    assert await read_variables(caller, session) == {}
    _, listed = await caller.get("/tool-executions", session_id=session)
    assert [each["commit_outcome"] for each in listed["data"]] == ["discarded"] * 2
    assert listed["meta"]["total"] == 2


async def test_a_tool_that_fails_tells_the_model(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    model = switchable.script(
        [
            Call("roll_dice", {"sides": "many"}),
            Call("no_such_tool\0"),
            Call("get_character_info"),
            Call("roll_dice", "{"),
        ],
        [Say("Never mind.")],
    )

    answer = await respond(caller, session, "a", config=TOOLS)

    told = [message.text for message in model.requests[1].messages[-4:]]
    assert told[0].startswith("wrong arguments")
    assert told[1].startswith("there is no tool no_such_tool; known: get_variable")
    assert told[2] == "the story has no character"
    calls = await list_calls(caller, answer["floor_id"])
    assert [call["status"] for call in calls] == ["error", "denied", "error", "error"]
    assert {call["replay_safety"] for call in calls} == {"safe"}


async def test_calls_and_steps_are_bounded(caller: Caller, switchable: SwitchableModel) -> None:
    session = (await create_session(caller))["id"]
    bounds = {"max_calls_per_turn": 2, "max_steps_per_generation": 3}
    await caller.send("PUT", f"/sessions/{session}/tool-permissions", json=bounds)
    rolling = [[Call("get_time")] for _ in range(4)]
    model = switchable.script(*rolling, [Say("never")])

    status, answer = await caller.post(
        f"/sessions/{session}/respond", {"message": "a", "config": TOOLS}
    )

    assert (status, answer["error"]["code"]) == (500, "orchestration_failed")
    assert [bool(request.tools) for request in model.requests] == [True, True, True, False]
    assert "a turn allows 2 tool calls" in model.requests[3].messages[-1].text


async def test_a_reply_may_end_with_a_tool_call(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    switchable.script([Say("Noted."), Call("set_variable", {"name": "x", "value": 1})], [])

    answer = await respond(caller, session, "a", config=TOOLS)

    assert answer["generated_text"] == "Noted."
    assert await read_variables(caller, session) == {"x": 1}


async def test_permissions_are_replaced_and_merged(caller: Caller) -> None:
    session = (await create_session(caller))["id"]
    path = f"/sessions/{session}/tool-permissions"
    defaults = {
        "enabled": True,
        "max_calls_per_turn": 10,
        "max_steps_per_generation": 5,
        "allow_irreversible": False,
        "slot_allow_list": {},
        "slot_deny_list": {},
    }
    assert (await caller.get(path))[1]["data"] == defaults

    deny = {"max_calls_per_turn": 3, "slot_deny_list": {"narrator": ["a"]}}
    _, put = await caller.send("PUT", path, json=deny)
    more = {"slot_deny_list": {"director": ["b"]}, "allow_irreversible": True}
    _, patched = await caller.send("PATCH", path, json=more)
    _, reset = await caller.send("PUT", path, json={})

    assert put["data"] == defaults | deny
    merged = {"narrator": ["a"], "director": ["b"]}
    expected = defaults | {"max_calls_per_turn": 3, "allow_irreversible": True}
    assert patched["data"] == expected | {"slot_deny_list": merged}
    assert reset["data"] == defaults


@pytest.mark.parametrize(
    "body",
    [
        {"max_calls_per_turn": -1},
        {"max_steps_per_generation": 0},
        {"slot_allow_list": {"poet": []}},
        {"enabled": "yes"},
        {"other": 1},
    ],
)
async def test_bad_permissions_are_refused(caller: Caller, body: JsonObject) -> None:
    session = (await create_session(caller))["id"]
    for method in ("PUT", "PATCH"):
        status, answer = await caller.send(
            method, f"/sessions/{session}/tool-permissions", json=body
        )
        assert (status, answer["error"]["code"]) == (400, "validation_error")


async def test_the_catalogue_and_what_a_session_offers_of_it(caller: Caller) -> None:
    session = (await create_session(caller))["id"]

    _, catalogue = await caller.get("/tools/builtin")
    _, runtime = await caller.get(f"/sessions/{session}/tools/runtime")

    levels = {each["name"]: each["side_effect_level"] for each in catalogue["data"]}
    assert levels["roll_dice"] == "none"
    assert levels["set_variable"] == "sandbox"
    assert levels["delete_preset"] == "irreversible"
    refused = {
        each["name"]: each["unavailable_reason"]
        for each in runtime["data"]["tools"]
        if not each["available"]
    }
    assert refused["delete_character"] == "irreversible_not_allowed"
    assert all(name.startswith("delete_") for name in refused)
    assert runtime["data"]["permissions"]["enabled"] is True


async def test_tools_of_others_are_not_found(served: Served, caller: Caller) -> None:
    session = (await create_session(caller))["id"]
    stranger = await served.account()

    for path in ("tool-permissions", "tools/runtime"):
        status, _ = await stranger.get(f"/sessions/{session}/{path}")
        assert status == 404
    assert (await stranger.get("/tool-executions", session_id=session))[0] == 404
    assert (await stranger.get("/tool-executions"))[1]["data"] == []
