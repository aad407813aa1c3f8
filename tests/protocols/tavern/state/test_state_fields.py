"""Every field of session state and variables, as whole answers.

Fields: reference §13, §15; seed 004 (`session_state_writes`); issue 14 §6.
"""

from functools import partial

import pytest
from tests.loose_json import JsonObject
from tests.protocols.switchable_model import SwitchableModel
from tests.protocols.tavern.answer_parts import ID, TIME, make_meta, read_data
from tests.protocols.tavern.generation.turn_calls import find_input, respond
from tests.protocols.tavern.story_calls import create_session, read_floors
from tests.serving import Caller

QUEST: JsonObject = {
    "namespace": "quest",
    "kind": "custom",
    "logical_owner_type": "client",
    "logical_owner_id": "of-test",
    "visibility": "fork_on_branch",
    "replay_safety": "confirm_on_replay",
    "client_writable": True,
    "created_at": TIME,
}
GAME: JsonObject = QUEST | {
    "namespace": "game_state",
    "kind": "builtin",
    "logical_owner_type": None,
    "logical_owner_id": None,
    "replay_safety": "safe",
    "client_writable": False,
    "created_at": None,
}
DIRECT: JsonObject = {"source": "direct", "source_message_id": None, "updated_at": TIME}
OF_TURN = DIRECT | {"source": "turn", "source_message_id": ID}


def make_value(slot: str, value: object, *, present: bool = True) -> JsonObject:
    return {"namespace": "quest", "slot": slot, "present": present, "value": value}


GONE = make_value("a", None, present=False)


@pytest.fixture
async def session(caller: Caller, switchable: SwitchableModel) -> str:
    return str((await create_session(caller))["id"])


async def write_values(caller: Caller, session: str) -> str:
    """Register the namespace, write `a`, and let a turn delete it and write `b`; its floor."""
    names = ("namespace", "logical_owner_type", "logical_owner_id", "replay_safety")
    body = {name: QUEST[name] for name in names}
    path = f"/sessions/{session}/state"
    assert await caller.post(f"{path}/namespaces", body) == (201, {"data": QUEST})
    at = {"branch_id": "main", "namespace": "quest", "slot": "a"}
    status, written = await caller.post(f"{path}/values/write", {**at, "value": 1})
    assert (status, written["data"]) == (200, {**at, "present": True, "value": 1, **DIRECT})
    writes = [
        {"namespace": "quest", "slot": "a", "delete": True},
        {"namespace": "quest", "slot": "b", "value": {"x": 1}},
    ]
    return str((await respond(caller, session, "Hi.", session_state_writes=writes))["floor_id"])


async def test_fields_of_values(caller: Caller, session: str) -> None:
    floor = await write_values(caller, session)
    path, values = f"/sessions/{session}/state", [GONE, make_value("b", {"x": 1})]
    read = partial(read_data, caller)

    assert await read(f"{path}/namespaces") == [GAME, QUEST]
    assert await read(f"/sessions/{session}/session-state/bindings") == [GAME, QUEST]
    assert await read(f"{path}/resolve", namespace="quest", branch_id="main") == values
    assert await read(f"{path}/floors/{floor}/snapshot") == {
        "floor_id": floor,
        "branch_id": "main",
        "values": values,
    }
    assert await read(f"/floors/{floor}/session-state/snapshots") == values
    at = {"branch_id": "main", "namespace": "quest", "slot": "b"}
    _, deleted = await caller.send("DELETE", f"{path}/values", json=at)
    assert deleted["data"] == {**at, "present": False, "value": None, **DIRECT}
    live = [GONE | OF_TURN, make_value("b", None, present=False) | DIRECT]
    for branch in ({}, {"branch_id": "main"}):
        assert await read(f"/sessions/{session}/session-state/live", **branch) == live


async def test_fields_of_values_in_an_explanation(caller: Caller, session: str) -> None:
    floor = await write_values(caller, session)

    explained = await read_data(caller, f"/floors/{floor}/prompt-runtime/explain")

    write: JsonObject = {"kind": "set", "scope": "state"}
    assert sorted(explained["staged_writes"], key=lambda each: str(each["key"])) == [
        write | {"key": "quest/a", "value": {"present": False, "value": None}},
        write | {"key": "quest/b", "value": {"present": True, "value": {"x": 1}}},
    ]


async def test_fields_of_changes(caller: Caller, session: str) -> None:
    floor = await write_values(caller, session)
    path = f"/sessions/{session}/state"
    at = {"branch_id": "main", "namespace": "quest", "slot": "b"}
    await caller.post(f"{path}/values/write", {**at, "value": 2})
    read = partial(read_data, caller)

    old, new = make_value("b", {"x": 1}), make_value("b", 2)
    change: JsonObject = {"namespace": "quest", "slot": "b", "change_type": "changed"}
    assert await read(f"{path}/diff", floor_id=floor, against="live") == {
        "floor_id": floor,
        "against": "live",
        "changes": [change | {"left": old, "right": new}],
    }
    removed = {"slot": "a", "left": make_value("a", 1), "right": GONE}
    changes = await read(f"/floors/{floor}/session-state/diff")
    assert sorted(changes, key=lambda each: str(each["slot"])) == [
        change | removed,
        change | {"change_type": "added", "left": None, "right": old},
    ]


async def test_fields_of_mutations(caller: Caller, session: str) -> None:
    floor = await write_values(caller, session)
    read = partial(read_data, caller)

    blocking: JsonObject = {
        "mutation_id": ID,
        "state_namespace": "quest",
        "target_slot": "a",
        "status": "applied",
        "replay_safety": "confirm_on_replay",
        "reason": "confirmation_required",
    }
    first = {**blocking, "floor_id": floor, "old": make_value("a", 1), "new": GONE}
    second = first | {"target_slot": "b", "old": None, "new": make_value("b", {"x": 1})}
    by_slot = partial(sorted, key=lambda each: str(each["target_slot"]))
    for branch in ({}, {"branch_id": "main"}):
        stored = await read(f"/sessions/{session}/session-state/mutations", **branch)
        assert by_slot(stored) == [first, second]
    safety = await read(f"/floors/{floor}/session-state/replay-safety")
    assert by_slot(safety.pop("mutations")) == [first, second]
    assert safety == {"floor_id": floor, "safe": False}
    (shown,) = await read_floors(caller, session)
    for path, body in (
        (f"/floors/{floor}/retry", {}),
        (f"/sessions/{session}/regenerate", {}),
        (f"/messages/{find_input(shown)}/edit-and-regenerate", {"content": "b"}),
    ):
        status, refused = await caller.post(path, body)
        error = refused["error"]
        code = "session_state_replay_confirmation_required"
        assert (status, error["code"]) == (409, code)
        assert error["details"].keys() == {
            "blocking_executions",
            "blocking_session_state_mutations",
        }
        assert error["details"]["blocking_executions"] == []
        assert by_slot(error["details"]["blocking_session_state_mutations"]) == [
            blocking,
            blocking | {"target_slot": "b"},
        ]


async def test_fields_of_variables(caller: Caller, session: str) -> None:
    at: JsonObject = {"scope": "branch", "session_id": session, "branch_id": "main"}
    variable = {**at, "scope_id": f"branch:{session}:main", "key": "a", "value": 1}
    stored = variable | {"updated_at": TIME}
    everywhere = {"scope": "global", "scope_id": "global", "session_id": None, "branch_id": None}
    write = {"scope": "global", "scope_id": "global", "key": "g", "value": 2}

    created = await caller.send("PUT", "/variables", json={**at, "key": "a", "value": 1})
    items = {"items": [write, {**at, "key": "a", "value": 1}]}
    _, batch = await caller.send("PUT", "/variables/batch", json=items)
    listed = await caller.get("/variables", **at, key="a", limit="1", offset="0")
    _, of_all = await caller.get("/variables", scope="global", scope_id="global")
    resolved = await read_data(caller, "/variables/resolve", session_id=session)
    _, deleted = await caller.send("DELETE", "/variables", params={**at, "key": "a"})

    assert created == (201, {"data": stored})
    everything = everywhere | {"key": "g", "value": 2, "updated_at": TIME}
    assert of_all["data"] == [everything]
    assert batch["data"] == {
        "results": [
            {"index": 0, "action": "created", "data": everything},
            {"index": 1, "action": "updated", "data": stored},
        ],
        "meta": {"total": 2, "created": 1, "updated": 1},
    }
    assert listed[1] == {"data": [stored], "meta": make_meta(1, ("key", "asc"), limit=1)}
    assert resolved == {
        "resolved": [
            {"key": "a", "value": 1, "scope": "branch"},
            {"key": "g", "value": 2, "scope": "global"},
        ]
    }
    del variable["value"]
    assert deleted["data"] == variable | {"deleted": True}
