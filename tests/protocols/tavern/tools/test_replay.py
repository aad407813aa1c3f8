"""The replay guard: recorded effects are repeated only when they are safe. Issue 14 §7."""

import asyncio

import pytest
from tests.loose_json import JsonObject
from tests.protocols.switchable_model import SwitchableModel
from tests.protocols.tavern.generation.turn_calls import (
    find_input,
    list_texts,
    read_story,
    respond,
)
from tests.protocols.tavern.story_calls import create_session, read_floors
from tests.protocols.tavern.tools.test_tools import TOOLS, list_calls, list_names
from tests.serving import Caller, Served

from yarrow.llm.scripted import Call, Hold, Say, Turn
from yarrow.product_events.story_tools import SideEffect
from yarrow.stories.tools.builtin import CharacterInfoArguments, get_character_info
from yarrow.stories.tools.model import FixedProvider, make_tool

CREATE: Turn = [Call("create_character", {"name": "Ada"})]
REJECTED: Turn = [Say('{"passed": false, "issues": []}')]


async def make_turn(
    caller: Caller, switchable: SwitchableModel, *script: Turn, **body: object
) -> tuple[str, JsonObject]:
    """A story with one turn that used tools."""
    session = str((await create_session(caller))["id"])
    allow = {"allow_irreversible": True}
    await caller.send("PATCH", f"/sessions/{session}/tool-permissions", json=allow)
    switchable.script(*script, [Say("Done.")])
    return session, await respond(caller, session, "a", config=TOOLS, **body)


async def list_replays(caller: Caller, session: str, floor: str) -> dict[str, str]:
    """The routes that answer a floor again."""
    (shown,) = await read_floors(caller, session)
    return {
        "regenerate": f"/sessions/{session}/regenerate",
        "retry": f"/floors/{floor}/retry",
        "edit": f"/messages/{find_input(shown)}/edit-and-regenerate",
    }


async def replay(caller: Caller, path: str, **body: object) -> tuple[int, JsonObject]:
    content = {"content": "b"} if path.endswith("edit-and-regenerate") else {}
    return await caller.post(path, {**content, **body})


async def test_a_created_asset_needs_confirmation_before_the_model_is_asked(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session, turn = await make_turn(caller, switchable, CREATE)
    before = await read_story(caller, session)
    (call,) = await list_calls(caller, turn["floor_id"])

    for path in (await list_replays(caller, session, turn["floor_id"])).values():
        model = switchable.script([Say("never")])
        for confirmed in ([], ["other"]):
            status, answer = await replay(caller, path, confirmed_execution_ids=confirmed)

            assert (status, answer["error"]["code"]) == (409, "tool_replay_confirmation_required")
            details = answer["error"]["details"]
            assert details["blocking_session_state_mutations"] == []
            assert details["blocking_executions"] == [
                {
                    "execution_id": call["execution_id"],
                    "tool_name": "create_character",
                    "provider_id": "library",
                    "provider_type": "builtin",
                    "side_effect_level": "sandbox",
                    "status": "success",
                    "lifecycle_state": "finished",
                    "replay_safety": "confirm_on_replay",
                    "reason": "non_compensable_sandbox",
                }
            ]
        assert model.requests == []
    assert await read_story(caller, session) == before


@pytest.mark.parametrize("route", ["regenerate", "retry", "edit"])
async def test_a_confirmed_call_lets_the_replay_pass(
    caller: Caller, switchable: SwitchableModel, route: str
) -> None:
    session, turn = await make_turn(caller, switchable, CREATE)
    (call,) = await list_calls(caller, turn["floor_id"])
    path = (await list_replays(caller, session, turn["floor_id"]))[route]
    switchable.script([Say("Again.")])

    status, answer = await replay(caller, path, confirmed_execution_ids=[call["execution_id"]])

    assert (status, answer["data"]["generated_text"]) == (200, "Again.")


async def test_an_irreversible_call_cannot_be_confirmed_away(
    caller: Caller, switchable: SwitchableModel
) -> None:
    _, made = await caller.post("/import/character", {"payload": {"name": "Ada"}})
    delete: Turn = [Call("delete_character", {"id": made["data"]["character_id"]})]
    session, turn = await make_turn(caller, switchable, delete)
    assert await list_names(caller, "/characters") == []
    (call,) = await list_calls(caller, turn["floor_id"])
    assert (call["replay_safety"], call["reason"]) == (
        "never_auto_replay",
        "irreversible_side_effect",
    )

    for path in (await list_replays(caller, session, turn["floor_id"])).values():
        status, answer = await replay(caller, path, confirmed_execution_ids=[call["execution_id"]])
        assert (status, answer["error"]["code"]) == (409, "tool_replay_blocked")


async def register(caller: Caller, session: str, name: str, safety: str) -> None:
    status, _ = await caller.post(
        f"/sessions/{session}/state/namespaces", {"namespace": name, "replay_safety": safety}
    )
    assert status == 201


async def test_state_writes_are_guarded_by_their_namespace(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = str((await create_session(caller))["id"])
    for name, safety in (("free", "safe"), ("asked", "confirm_on_replay")):
        await register(caller, session, name, safety)
    writes = [{"namespace": name, "slot": "s", "value": 1} for name in ("free", "asked")]
    switchable.script([Say("x")])
    turn = await respond(caller, session, "a", session_state_writes=writes)
    path = f"/floors/{turn['floor_id']}/retry"

    status, answer = await caller.post(path, {})

    code = "session_state_replay_confirmation_required"
    assert (status, answer["error"]["code"]) == (409, code)
    (blocker,) = answer["error"]["details"]["blocking_session_state_mutations"]
    assert (blocker["state_namespace"], blocker["target_slot"]) == ("asked", "s")
    switchable.script([Say("y")])
    confirmed = {"confirmed_session_state_mutation_ids": [blocker["mutation_id"]]}
    assert (await caller.post(path, confirmed))[0] == 200


async def test_calls_and_state_writes_are_confirmed_together(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = str((await create_session(caller))["id"])
    await register(caller, session, "asked", "confirm_on_replay")
    writes = [{"namespace": "asked", "slot": "s", "value": 1}]
    switchable.script(CREATE, [Say("x")])
    turn = await respond(caller, session, "a", session_state_writes=writes, config=TOOLS)
    path = f"/floors/{turn['floor_id']}/retry"

    status, answer = await caller.post(path, {})

    assert (status, answer["error"]["code"]) == (409, "replay_confirmation_required")
    details = answer["error"]["details"]
    calls = [each["execution_id"] for each in details["blocking_executions"]]
    mutations = [each["mutation_id"] for each in details["blocking_session_state_mutations"]]
    _, half = await caller.post(path, {"confirmed_execution_ids": calls})
    assert half["error"]["code"] == "session_state_replay_confirmation_required"
    switchable.script([Say("y")])
    both = {
        "confirmed_execution_ids": calls,
        "confirmed_session_state_mutation_ids": mutations,
    }
    assert (await caller.post(path, both))[0] == 200


@pytest.mark.parametrize("safety", ["never_auto_replay", "uncertain"])
async def test_a_state_write_that_is_never_repeated_blocks(
    caller: Caller, switchable: SwitchableModel, safety: str
) -> None:
    session = str((await create_session(caller))["id"])
    await register(caller, session, "once", safety)
    writes = [{"namespace": "once", "slot": "s", "value": 1}]
    switchable.script([Say("x")])
    turn = await respond(caller, session, "a", session_state_writes=writes)
    _, shown = await caller.get(f"/floors/{turn['floor_id']}/session-state/replay-safety")
    ids = [each["mutation_id"] for each in shown["data"]["mutations"]]

    status, answer = await caller.post(
        f"/floors/{turn['floor_id']}/retry", {"confirmed_session_state_mutation_ids": ids}
    )

    assert (status, answer["error"]["code"]) == (409, "session_state_replay_blocked")


async def test_a_verifiers_retry_after_an_unsafe_call_is_blocked(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = str((await create_session(caller))["id"])
    model = switchable.script(CREATE, [Say("x")], REJECTED, [Say("never")])
    config = {**TOOLS, "enableVerifier": True, "verifierFailStrategy": "retry"}

    status, answer = await caller.post(
        f"/sessions/{session}/respond", {"message": "a", "config": config}
    )

    assert (status, answer["error"]["code"]) == (409, "tool_replay_blocked")
    assert len(model.requests) == 3
    assert await list_names(caller, "/characters") == []


async def test_a_verifiers_retry_drops_the_effects_of_the_rejected_reply(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = str((await create_session(caller))["id"])
    passed = [Say('{"passed": true}')]
    switchable.script(
        [Call("set_variable", {"name": "a", "value": 1})],
        [Say("x")],
        REJECTED,
        [Call("set_variable", {"name": "b", "value": 2})],
        [Say("y")],
        passed,
    )
    config = {**TOOLS, "enableVerifier": True, "verifierFailStrategy": "retry"}

    turn = await respond(caller, session, "a", config=config)

    _, shown = await caller.get("/variables/resolve", session_id=session)
    assert {each["key"]: each["value"] for each in shown["data"]["resolved"]} == {"b": 2}
    calls = await list_calls(caller, turn["floor_id"])
    outcomes = [(call["attempt_no"], call["commit_outcome"]) for call in calls]
    assert outcomes == [(1, "discarded"), (2, "committed")]


async def test_a_person_who_edits_what_the_turn_deletes_causes_a_commit_conflict(
    caller: Caller, switchable: SwitchableModel
) -> None:
    _, made = await caller.post("/import/worldbook", {"name": "Lore", "data": {"entries": {}}})
    book = made["data"]["id"]
    session = str((await create_session(caller))["id"])
    hold = Hold()
    update = Call("update_worldbook", {"id": book, "name": "Myths"})
    switchable.script([update], [Say("Ren"), hold, Say("amed.")])
    body = {"message": "a", "config": TOOLS}
    turn = asyncio.create_task(caller.post(f"/sessions/{session}/respond", body))
    await hold.reached.wait()

    await caller.send("DELETE", f"/worldbooks/{book}")
    hold.release.set()
    status, answer = await turn

    assert (status, answer["error"]["code"]) == (409, "commit_conflict")
    assert list_texts(await read_floors(caller, session)) == []


async def test_two_tools_of_one_name_are_a_conflict_before_the_model_is_asked(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session = str((await create_session(caller))["id"])
    double = make_tool("roll_dice", "?", CharacterInfoArguments, get_character_info)
    assert double.side_effect is SideEffect.NONE
    providers = served.product.story_tools.providers
    providers.append(FixedProvider("other", (double,)))
    model = switchable.script([Say("never")])
    try:
        status, answer = await caller.post(
            f"/sessions/{session}/respond", {"message": "a", "config": TOOLS}
        )
    finally:
        providers.pop()

    assert (status, answer["error"]["code"]) == (409, "tool_catalog_conflict")
    assert model.requests == []
