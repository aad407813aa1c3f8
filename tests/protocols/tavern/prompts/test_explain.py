"""What was sent is what is explained, whatever changes later. Issue 14 §10."""

import asyncio

import pytest
from tests.loose_json import JsonObject
from tests.protocols.switchable_model import SwitchableModel
from tests.protocols.tavern.generation.turn_calls import (
    COUNTING_PRESET,
    create_counting_session,
    list_sent,
    read_variables,
    regenerate,
    respond,
    retry,
)
from tests.protocols.tavern.story_calls import (
    create_character,
    create_preset,
    create_session,
    create_stored_asset,
    edit_content,
    import_lines,
    read_floors,
    reply_line,
    user_line,
)
from tests.serving import Caller, Served

from yarrow.assets.model import AssetKind
from yarrow.llm.scripted import Call, Hold, Say, Spend


async def explain(caller: Caller, floor: str) -> JsonObject:
    status, answer = await caller.get(f"/floors/{floor}/prompt-runtime/explain")
    assert status == 200, answer
    return dict(answer["data"])


async def compare(caller: Caller, session: str, left: str, right: str) -> JsonObject:
    body = {"left": {"floor_id": left}, "right": {"floor_id": right}}
    status, answer = await caller.post(f"/sessions/{session}/prompt-runtime/compare", body)
    assert status == 200, answer
    return dict(answer["data"])


async def test_an_explanation_has_what_was_sent(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session = await create_counting_session(served, caller)
    model = switchable.script([Say("one <summary>They met.</summary>"), Spend(7, 3)])
    debug = {"include_prompt_snapshot": True}
    live = await respond(caller, session, "a", debug_options=debug)

    shown = await explain(caller, live["floor_id"])

    assert [message["content"] for message in shown["messages"]] == list_sent(model.requests[0])
    assert shown["prompt_snapshot"] == live["prompt_snapshot"]
    assert shown["snapshot_available"] is True
    assert (shown["floor"]["id"], shown["floor"]["state"]) == (live["floor_id"], "committed")
    assert shown["scope"]["branch_id"] == "main"
    assert shown["staged_writes"] == [{"kind": "set", "scope": "branch", "key": "n", "value": "1"}]
    assert shown["result"] == {
        name: live[name] for name in ("generated_text", "summaries", "total_usage")
    }
    assert set(shown) == {
        *("floor", "scope", "snapshot_available", "assets", "prompt_snapshot", "resolved_policy"),
        *("source_map", "trim_reasons", "excluded_sources", "section_stats", "governance"),
        *("diagnostics", "limitations", "memory", "result"),
        *("messages", "sources", "worldbook", "variables", "staged_writes"),
    }
    assert shown["variables"] == {"n": "1"}


async def test_global_writes_of_macros_and_tools_stay_in_the_explanation(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    content = "{{setglobalvar::a::1}}{{setglobalvar::a::2}}{{setvar::n::3}}"
    main = COUNTING_PRESET["prompts"][0] | {"content": content}
    writing = COUNTING_PRESET | {"prompts": [main, *COUNTING_PRESET["prompts"][1:]]}
    preset = await create_stored_asset(served, caller, AssetKind.PRESET, writing, "Writing")
    session = (await create_session(caller, preset_id=str(preset.ref.id)))["id"]
    value: JsonObject = {"name": "b", "value": "4", "scope": "global"}
    switchable.script([Call("set_variable", value)], [Say("one")])
    floor = (await respond(caller, session, "a", config={"enableTools": True}))["floor_id"]
    before = await explain(caller, floor)

    body = {"scope": "global", "scope_id": "global", "key": "a", "value": "9"}
    await caller.send("PUT", "/variables", json=body)

    assert await explain(caller, floor) == before
    assert before["variables"] == {"n": "3"}
    assert before["staged_writes"] == [
        {"kind": "set", "scope": "branch", "key": "n", "value": "3"},
        {"kind": "set", "scope": "global", "key": "a", "value": "2"},
        {"kind": "set", "scope": "global", "key": "b", "value": "4"},
    ]


async def test_an_explanation_stays_whatever_changes(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    preset = await create_stored_asset(served, caller, AssetKind.PRESET, COUNTING_PRESET, "Count")
    session = (await create_session(caller, preset_id=str(preset.ref.id)))["id"]
    switchable.script([Say("one")], [Say("two")], [Say("three")])
    floor = (await respond(caller, session, "a"))["floor_id"]
    before = await explain(caller, floor)

    await edit_content(served, preset, prompts=[])
    await caller.send("DELETE", f"/presets/{preset.ref.id}")
    other = await create_preset(served, caller)
    await caller.send("PATCH", f"/sessions/{session}", json={"preset_id": str(other.ref.id)})
    await caller.send(
        "PUT",
        "/variables",
        json={"scope": "branch", "session_id": session, "branch_id": "main"}
        | {"key": "n", "value": 9},
    )
    after_edits = await explain(caller, floor)
    new = await regenerate(caller, session)
    superseded = await explain(caller, floor)

    assert after_edits == before
    assert superseded | {"floor": None} == before | {"floor": None}
    assert superseded["floor"]["superseded_by_floor_id"] == new["floor_id"]
    assert before["assets"]["preset"]["id"] == str(preset.ref.id)


async def test_a_retry_has_its_own_explanation(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session = await create_counting_session(served, caller)
    switchable.script([Say("one")], [Say("two")])
    floor = (await respond(caller, session, "a"))["floor_id"]
    plain = await create_preset(served, caller)
    await caller.send("PATCH", f"/sessions/{session}", json={"preset_id": str(plain.ref.id)})
    first = await explain(caller, floor)

    await retry(caller, floor)
    second = await explain(caller, floor)
    pages = (await read_floors(caller, session))[0]["pages"]
    await caller.send("PATCH", f"/pages/{pages[1]['id']}/activate")

    assert second["assets"]["preset"]["id"] == str(plain.ref.id)
    assert (second["result"]["generated_text"], second["staged_writes"]) == ("two", [])
    chosen = await explain(caller, floor)
    assert chosen["messages"] == first["messages"]
    assert chosen["result"]["generated_text"] == "one"


async def test_floors_without_a_prompt(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    character = await create_character(served, caller)
    session = (await create_session(caller, character_id=str(character.ref.id)))["id"]
    (greeting,) = await read_floors(caller, session)
    hold = Hold()
    switchable.script([hold, Say("one")])
    running = asyncio.create_task(respond(caller, session, "a"))
    await hold.reached.wait()
    generating = (await read_floors(caller, session))[1]

    shown = await explain(caller, greeting["id"])
    early = await caller.get(f"/floors/{generating['id']}/prompt-runtime/explain")
    missing = await caller.get(f"/floors/{session}/prompt-runtime/explain")
    hold.release.set()
    await running

    assert (shown["snapshot_available"], shown["prompt_snapshot"]) == (False, None)
    assert shown["result"]["generated_text"] == greeting["messages"][0]["content"]
    assert (early[0], early[1]["error"]["code"]) == (409, "invalid_state")
    assert (missing[0], missing[1]["error"]["code"]) == (404, "floor_not_found")


async def test_a_comparison_tells_presets_by_ids_and_edits_by_versions(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    preset = await create_stored_asset(served, caller, AssetKind.PRESET, COUNTING_PRESET, "Count")
    other = await create_preset(served, caller)
    session = (await create_session(caller, preset_id=str(preset.ref.id)))["id"]
    switchable.script(*([Say(text)] for text in ("one", "two", "three")))
    first = (await respond(caller, session, "a"))["floor_id"]
    await edit_content(served, preset, temperature=1)
    second = (await respond(caller, session, "b"))["floor_id"]
    await caller.send("PATCH", f"/sessions/{session}", json={"preset_id": str(other.ref.id)})
    third = (await respond(caller, session, "c"))["floor_id"]

    edited = await compare(caller, session, first, second)
    rebound = await compare(caller, session, second, third)
    same = await compare(caller, session, first, first)

    changed = {each["path"]: each for each in edited["asset_changes"]}
    assert "preset.id" not in changed
    assert (changed["preset.version"]["left"], changed["preset.version"]["right"]) == (1, 2)
    assert changed["preset.version"]["change_type"] == "changed"
    ids = {each["path"]: each["right"] for each in rebound["asset_changes"]}
    assert ids["preset.id"] == str(other.ref.id)
    assert any(each["change_type"] == "added" for each in edited["message_changes"])
    assert {name for name, value in same.items() if value} == {"left", "right"}
    assert (same["left"], same["limitations"]) == ({"floor_id": first}, [])


async def test_comparisons_that_cannot_be_made(caller: Caller, switchable: SwitchableModel) -> None:
    session = (await create_session(caller))["id"]
    foreign = await import_lines(caller, [user_line("x"), reply_line("y")])
    (far,) = await read_floors(caller, foreign)
    switchable.script([Say("one")])
    floor = (await respond(caller, session, "a"))["floor_id"]
    path = f"/sessions/{session}/prompt-runtime/compare"
    near = {"floor_id": floor}

    answers = [
        await caller.post(path, body)
        for body in (
            {"left": near},
            {"left": near, "right": {"floor_id": session}},
            {"left": near, "right": {"floor_id": far["id"]}},
        )
    ]

    assert [(status, answer["error"]["code"]) for status, answer in answers] == [
        (400, "validation_error"),
        (404, "floor_not_found"),
        (404, "floor_not_found"),
    ]


@pytest.mark.parametrize("more", [{}, {"branch_id": "new"}])
async def test_an_inspection_prepares_the_turn_without_effects(
    served: Served, caller: Caller, switchable: SwitchableModel, more: JsonObject
) -> None:
    session = await create_counting_session(served, caller)
    model = switchable.script([Say("one")], [Say("two")])
    await respond(caller, session, "a")
    params = {"temperature": 0.3, "stop_sequences": ["END"]}
    body = {"message": "b", "generation_params": params, **more}

    status, answer = await caller.post(f"/sessions/{session}/prompt-runtime/inspect", body)
    shown = answer["data"]
    await respond(caller, session, "b", generation_params=params)

    assert status == 200
    assert [message["content"] for message in shown["messages"]] == list_sent(model.requests[1])
    assert shown["generation_params"] == model.requests[1].sampler
    assert shown["runtime_trace"]["macro"]["staged_mutations"] == []
    assert {"section_stats", "governance", "assets", "prompt_snapshot"} <= set(shown)
    assert await read_variables(caller, session) == {"n": "2"}
    _, listed = await caller.get(f"/sessions/{session}/branches")
    assert [branch["id"] for branch in listed["data"]] == ["main"]


async def test_an_inspection_refuses_what_a_turn_refuses(caller: Caller) -> None:
    session = (await create_session(caller))["id"]
    path = f"/sessions/{session}/prompt-runtime/inspect"

    answers = [
        await caller.post(path, body)
        for body in (
            {"message": ""},
            {"message": "x", "config": {"toolMode": "both"}},
            {"message": "x", "source_floor_id": session},
        )
    ]

    assert [answer["error"]["code"] for _, answer in answers] == [
        "validation_error",
        "invalid_tool_mode",
        "source_floor_not_found",
    ]
