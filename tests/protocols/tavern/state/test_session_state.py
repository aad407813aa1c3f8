"""Session state: staged with a turn, landed with its commit, following the live turn."""

import io
import json
from pathlib import Path

import pytest
from tests.loose_json import JsonObject, JsonValue
from tests.protocols.switchable_model import SwitchableModel, fail_at_once
from tests.protocols.tavern.generation.turn_calls import respond
from tests.protocols.tavern.story_calls import create_session, parse_account_id, read_floors
from tests.serving import Caller, Served, serving

from yarrow.llm.errors import ModelFailed
from yarrow.llm.scripted import Say, ScriptedModel
from yarrow.stories.session_state_store import read_usage

MIB = 1024 * 1024


def write(slot: str, value: JsonValue, namespace: str = "game") -> JsonObject:
    return {"namespace": namespace, "slot": slot, "value": value}


async def create_story(caller: Caller, **namespace: object) -> str:
    session = str((await create_session(caller))["id"])
    body = {"namespace": "game", **namespace}
    status, answer = await caller.post(f"/sessions/{session}/state/namespaces", body)
    assert status == 201, answer
    return session


async def read_slots(caller: Caller, session: str, **params: str) -> dict[str, JsonValue]:
    """Values by slot; one that is not present is `(deleted)`."""
    status, answer = await caller.get(f"/sessions/{session}/state/resolve", **params)
    assert status == 200, answer
    return {
        each["slot"]: each["value"] if each["present"] else "(deleted)" for each in answer["data"]
    }


async def set_directly(caller: Caller, session: str, slot: str, value: JsonValue) -> None:
    body = {"branch_id": "main", "namespace": "game", "slot": slot, "value": value}
    status, answer = await caller.post(f"/sessions/{session}/state/values/write", body)
    assert status == 200, answer


async def test_a_turn_writes_state_with_its_commit(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = await create_story(caller)
    writes = [
        write("gold", 3),
        write("hat", None),
        {"namespace": "game", "slot": "x", "delete": True},
    ]

    floor = (await respond(caller, session, "a", session_state_writes=writes))["floor_id"]

    expected = {"gold": 3, "hat": None, "x": "(deleted)"}
    assert await read_slots(caller, session) == expected
    assert await read_slots(caller, session, source_floor_id=floor) == expected
    assert await read_slots(caller, session, slot="gold", namespace="game") == {"gold": 3}


async def test_a_failed_turn_writes_no_state(caller: Caller, switchable: SwitchableModel) -> None:
    session = await create_story(caller)
    switchable.script([Say("half"), fail_at_once(ModelFailed(500))])

    body = {"message": "a", "session_state_writes": [write("gold", 3)]}
    status, _ = await caller.post(f"/sessions/{session}/respond", body)

    assert status == 500
    assert await read_slots(caller, session) == {}


async def test_a_replaced_turn_takes_its_state_away_and_leaves_what_a_person_set(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = await create_story(caller)
    first = [write("gold", 1), write("mood", "calm")]
    await respond(caller, session, "a", session_state_writes=first)
    second = [write("gold", 2), write("sword", True), write("mood", "wild")]
    await respond(caller, session, "b", session_state_writes=second)
    await set_directly(caller, session, "mood", "mine")

    status, answer = await caller.post(f"/sessions/{session}/regenerate", {})

    assert status == 200, answer
    assert await read_slots(caller, session) == {"gold": 1, "mood": "mine"}


async def choose_other_page(caller: Caller, session: str) -> None:
    (shown,) = await read_floors(caller, session)
    page = next(
        p["id"] for p in shown["pages"] if p["page_kind"] == "output" and not p["is_active"]
    )
    assert (await caller.send("PATCH", f"/pages/{page}/activate"))[0] == 200


async def test_a_retry_brings_its_own_state_and_a_page_brings_it_back(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = await create_story(caller)
    floor = (await respond(caller, session, "a", session_state_writes=[write("gold", 1)]))[
        "floor_id"
    ]
    body = {"session_state_writes": [write("gold", 2), write("hat", "red")]}
    assert (await caller.post(f"/floors/{floor}/retry", body))[0] == 200
    assert await read_slots(caller, session) == {"gold": 2, "hat": "red"}

    await choose_other_page(caller, session)

    assert await read_slots(caller, session) == {"gold": 1}


async def test_a_page_made_after_a_direct_write_has_what_it_wrote(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = await create_story(caller)
    floor = (await respond(caller, session, "a", session_state_writes=[write("gold", 1)]))[
        "floor_id"
    ]
    await set_directly(caller, session, "gold", 9)
    body = {"session_state_writes": [write("gold", 2)]}
    assert (await caller.post(f"/floors/{floor}/retry", body))[0] == 200

    for gold in (9, 2, 9):
        await choose_other_page(caller, session)
        assert await read_slots(caller, session) == {"gold": gold}


async def test_a_failed_retry_changes_no_state(caller: Caller, switchable: SwitchableModel) -> None:
    session = await create_story(caller)
    switchable.script([Say("one")], [Say("half"), fail_at_once(ModelFailed(500))])
    floor = (await respond(caller, session, "a", session_state_writes=[write("gold", 1)]))[
        "floor_id"
    ]

    body = {"session_state_writes": [write("gold", 2)]}
    assert (await caller.post(f"/floors/{floor}/retry", body))[0] == 500

    assert await read_slots(caller, session) == {"gold": 1}


async def test_a_branch_begins_with_the_state_of_its_source(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = await create_story(caller)
    first = await respond(caller, session, "a", session_state_writes=[write("gold", 1)])
    await respond(caller, session, "b", session_state_writes=[write("gold", 2)])

    more = {"source_floor_id": first["floor_id"], "branch_id": "side"}
    await respond(caller, session, "c", session_state_writes=[write("hat", 1)], **more)

    assert await read_slots(caller, session, branch_id="side") == {"gold": 1, "hat": 1}
    assert await read_slots(caller, session) == {"gold": 2}


async def test_an_edit_begins_with_the_state_before_the_edited_turn(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = await create_story(caller)
    await respond(caller, session, "a", session_state_writes=[write("gold", 1)])
    await set_directly(caller, session, "mood", "mine")
    await respond(caller, session, "b", session_state_writes=[write("gold", 2), write("hat", 1)])
    message = (await read_floors(caller, session))[1]["messages"][0]["id"]

    status, answer = await caller.post(
        f"/messages/{message}/edit-and-regenerate", {"content": "c", "branch_id": "edited"}
    )

    assert status == 200, answer
    assert await read_slots(caller, session, branch_id="edited") == {"gold": 1, "mood": "mine"}


@pytest.mark.parametrize(
    ("writes", "status", "code"),
    [
        ([write("a", 1, "other")], 404, "session_state_namespace_not_registered"),
        ([write("a", 1, "game_state")], 409, "session_state_public_write_forbidden"),
        ([write("a", 1, "game_state.world")], 409, "session_state_public_write_forbidden"),
        ([write("a", "x" * MIB)], 409, "session_state_payload_too_large"),
        (
            [write(f"s{number}", "x" * (MIB - 100)) for number in range(11)],
            409,
            "session_state_namespace_byte_limit_exceeded",
        ),
        ([{**write("a", 1), "delete": True}], 400, "validation_error"),
        ([{"namespace": "game", "slot": "a"}], 400, "validation_error"),
        ([{**write("a", 1), "replay_safety": "safe"}], 400, "validation_error"),
        ([write("a", 1, "x" * MIB)], 400, "validation_error"),
    ],
)
async def test_bad_writes_are_refused_before_the_model(
    caller: Caller,
    switchable: SwitchableModel,
    writes: list[JsonObject],
    status: int,
    code: str,
) -> None:
    session = await create_story(caller)
    model = switchable.script()

    body = {"message": "x", "session_state_writes": writes}
    data = io.BytesIO(json.dumps(body).encode())
    headers = caller.headers | {"Content-Type": "application/json"}
    answer = await caller.send("POST", f"/sessions/{session}/respond", data=data, headers=headers)

    assert (answer[0], answer[1]["error"]["code"]) == (status, code)
    assert model.requests == []
    assert await read_slots(caller, session) == {}


async def test_a_namespace_holds_ten_mebibytes(caller: Caller, switchable: SwitchableModel) -> None:
    session = await create_story(caller)
    model = switchable.script()
    large = "x" * (MIB - 100)
    for number in range(10):
        await set_directly(caller, session, f"s{number}", large)

    body = {"message": "x", "session_state_writes": [write("more", large)]}
    status, answer = await caller.post(f"/sessions/{session}/respond", body)

    code = "session_state_namespace_byte_limit_exceeded"
    assert (status, answer["error"]["code"]) == (409, code)
    assert model.requests == []


async def test_deleted_branches_and_failed_turns_take_no_room(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session = await create_story(caller)
    first = await respond(caller, session, "a", session_state_writes=[write("gold", 1)])
    switchable.script([Say("b")], [Say("half"), fail_at_once(ModelFailed(500))])
    source = {"source_floor_id": first["floor_id"], "message": "b"}
    path = f"/sessions/{session}/respond"
    assert (await caller.post(path, source | {"branch_id": "side"}))[0] == 200
    assert (await caller.post(path, source | {"branch_id": "lost"}))[0] == 500

    await caller.send("DELETE", f"/sessions/{session}/branches/side")

    async with served.product.database.connection() as tx:
        usage = await read_usage(tx, parse_account_id(caller), None)
    assert usage.account_items == 1


async def test_an_account_has_sixty_four_namespaces(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = await create_story(caller)
    path = f"/sessions/{session}/state/namespaces"
    for number in range(63):
        assert (await caller.post(path, {"namespace": f"n{number}"}))[0] == 201

    status, answer = await caller.post(path, {"namespace": "more"})

    assert (status, answer["error"]["code"]) == (409, "session_state_namespace_limit_exceeded")
    assert (await caller.post(path, {"namespace": "n0"}))[0] == 200


async def test_stories_with_the_same_namespace_count_once(
    caller: Caller, switchable: SwitchableModel
) -> None:
    for _ in range(66):
        session = str((await create_session(caller))["id"])

        path = f"/sessions/{session}/state/namespaces"
        assert (await caller.post(path, {"namespace": "inventory"}))[0] == 201


async def test_namespaces_are_listed_with_the_built_in_one(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = await create_story(caller, logical_owner_type="app", logical_owner_id="7")

    for path in ("state/namespaces", "session-state/bindings"):
        _, answer = await caller.get(f"/sessions/{session}/{path}")
        assert [each["namespace"] for each in answer["data"]] == ["game_state", "game"]
    assert answer["data"][1]["logical_owner_id"] == "7"
    refused = await caller.post(
        f"/sessions/{session}/state/namespaces", {"namespace": "game_state"}
    )
    assert refused[1]["error"]["code"] == "session_state_public_write_forbidden"


async def test_a_value_is_deleted_directly_and_stays_listed(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = await create_story(caller)
    await set_directly(caller, session, "gold", 1)
    path, slot = f"/sessions/{session}/state/values", {"namespace": "game", "slot": "gold"}

    assert (await caller.send("DELETE", path, json=slot))[0] == 200

    assert await read_slots(caller, session) == {"gold": "(deleted)"}
    _, live = await caller.get(f"/sessions/{session}/session-state/live")
    assert (live["data"][0]["source"], live["data"][0]["present"]) == ("direct", False)


async def test_snapshots_and_differences_are_shown(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = await create_story(caller)
    one = (await respond(caller, session, "a", session_state_writes=[write("gold", 1)]))["floor_id"]
    two = (await respond(caller, session, "b", session_state_writes=[write("gold", 2)]))["floor_id"]
    await set_directly(caller, session, "hat", "red")
    path = f"/sessions/{session}/state"

    _, snapshot = await caller.get(f"{path}/floors/{one}/snapshot")
    _, against_floor = await caller.get(f"{path}/diff", floor_id=one, against=f"floor:{two}")
    _, against_live = await caller.get(f"{path}/diff", floor_id=two)
    _, own = await caller.get(f"/floors/{two}/session-state/diff")
    _, kept = await caller.get(f"/floors/{two}/session-state/snapshots")

    assert snapshot["data"]["values"] == [{**write("gold", 1), "present": True}]
    (change,) = against_floor["data"]["changes"]
    assert (change["change_type"], change["right"]["value"]) == ("changed", 2)
    (added,) = against_live["data"]["changes"]
    assert (added["change_type"], added["slot"]) == ("added", "hat")
    assert (own["data"][0]["left"]["value"], own["data"][0]["right"]["value"]) == (1, 2)
    assert kept["data"][0]["value"] == 2
    bad = await caller.get(f"{path}/diff", floor_id=one, against="yesterday")
    assert bad[1]["error"]["code"] == "validation_error"


async def test_mutations_have_the_replay_safety_of_their_namespace(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = await create_story(caller, replay_safety="confirm_on_replay")
    floor = (await respond(caller, session, "a", session_state_writes=[write("gold", 1)]))[
        "floor_id"
    ]

    _, safety = await caller.get(f"/floors/{floor}/session-state/replay-safety")
    _, mutations = await caller.get(f"/sessions/{session}/session-state/mutations")

    assert safety["data"]["safe"] is False
    assert safety["data"]["mutations"] == mutations["data"]
    assert mutations["data"][0]["replay_safety"] == "confirm_on_replay"


async def test_the_state_of_somebody_else_is_not_found(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session = await create_story(caller)
    floor = (await respond(caller, session, "a", session_state_writes=[write("gold", 1)]))[
        "floor_id"
    ]
    stranger = await served.account()

    for path in (
        f"/sessions/{session}/state/resolve",
        f"/sessions/{session}/state/namespaces",
        f"/sessions/{session}/state/floors/{floor}/snapshot",
        f"/sessions/{session}/session-state/mutations",
        f"/floors/{floor}/session-state/snapshots",
        f"/floors/{floor}/session-state/replay-safety",
    ):
        assert (await stranger.get(path))[0] == 404, path


async def test_an_archived_story_keeps_its_state(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = await create_story(caller)
    await caller.send("PATCH", f"/sessions/{session}", json={"status": "archived"})

    body = {"namespace": "game", "slot": "a", "value": 1}
    status, answer = await caller.post(f"/sessions/{session}/state/values/write", body)

    assert (status, answer["error"]["code"]) == (409, "session_archived")


async def test_session_state_can_be_turned_off(dsn: str, tmp_path: Path) -> None:
    model = ScriptedModel([Say("yes")])
    async with serving(dsn, model=model, data_dir=tmp_path, session_state=False) as served:
        caller = await served.account()
        session = (await create_session(caller))["id"]
        body = {"message": "x", "session_state_writes": [write("gold", 1)]}

        shown = await caller.get(f"/sessions/{session}/state/resolve")
        refused = await caller.post(f"/sessions/{session}/respond", body)

        assert (shown[0], shown[1]["error"]["code"]) == (503, "feature_unavailable")
        assert (refused[0], refused[1]["error"]["code"]) == (503, "feature_unavailable")
        assert model.requests == []
        await respond(caller, session, "plain")
