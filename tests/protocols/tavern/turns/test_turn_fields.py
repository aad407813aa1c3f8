"""Every field of floors, pages, messages, branches and streams, as whole answers.

Fields: seed 004; reference §1, §2, §3.2, §3.4, §15; issue 14 §3, §4, §12.
"""

from functools import partial

import pytest
from tests.loose_json import JsonObject
from tests.protocols.switchable_model import SwitchableModel
from tests.protocols.tavern.answer_parts import COUNT, ID, TEXT, TIME, make_meta, read_data
from tests.protocols.tavern.generation.turn_calls import (
    StreamFrame,
    edit,
    find_input,
    regenerate,
    respond,
    retry,
    stream_turn,
)
from tests.protocols.tavern.story_calls import create_session, read_floors
from tests.serving import Caller

from yarrow.llm.errors import ModelUnreachable
from yarrow.llm.scripted import Call, Fail, Say, Spend, Turn

BOUND: JsonObject = {
    "user_snapshot": {"name": "Ada"},
    "character_snapshot": {"name": "Mira", "primaryGreeting": "Hm."},
}
ROLL: JsonObject = {"config": {"enableTools": True}}
USAGE = {"prompt_tokens": 5, "completion_tokens": 4, "total_tokens": 9}
REPLY: JsonObject = {
    "generated_text": "Yes.",
    "summaries": ["Agreed."],
    "total_usage": USAGE,
    "memory": {"mode": "sync", "status": "applied", "job_id": None},
    "final_state": "committed",
}
SAYS: Turn = [Say("Yes. <memo>Agreed.</memo>"), Spend(5, 4)]


@pytest.fixture
async def session(caller: Caller, switchable: SwitchableModel) -> str:
    """A story whose model says the same again and again; floor 0 is its greeting."""
    switchable.script(*[SAYS] * 4)
    return str((await create_session(caller, **BOUND))["id"])


def make_message(floor: str, **known: object) -> JsonObject:
    message: JsonObject = {"id": ID, "page_id": ID, "floor_id": floor, "seq": COUNT}
    message |= {"content_format": "text", "is_hidden": False, "created_at": TIME}
    return {**message, "token_count": 0, **known}


def make_page(message: JsonObject, **known: object) -> JsonObject:
    page: JsonObject = {"id": message["id"], "floor_id": message["floor_id"], "message": message}
    return {**page, "slot_id": ID, "page_no": 0, "is_active": True, **known}


def make_floor(session: str, floor: str, number: int, **known: object) -> JsonObject:
    """A floor with a question and a reply, as the script has them."""
    question = make_message(floor, role="user", name="Ada", content="Well?")
    reply = make_message(floor, role="assistant", name="Mira", content="Yes.", token_count=4)
    pages = [make_page(question, page_kind="input"), make_page(reply, page_kind="output")]
    return {
        "id": floor,
        "session_id": session,
        "floor_no": number,
        "branch_id": "main",
        "parent_floor_id": ID,
        "state": "committed",
        "token_in": 5,
        "token_out": 4,
        "superseded_at": None,
        "superseded_by_floor_id": None,
        "created_at": TIME,
        "updated_at": TIME,
        "pages": pages,
        "messages": [question, reply],
        **known,
    }


def make_greeting(session: str, floor: str) -> JsonObject:
    message = make_message(floor, role="assistant", name="Mira", content="Hm.")
    parts = {"pages": [make_page(message, page_kind="output")], "messages": [message]}
    return make_floor(session, floor, 0, parent_floor_id=None, token_in=0, token_out=0, **parts)


async def test_fields_of_the_results(caller: Caller, session: str) -> None:
    first = await respond(caller, session, "Well?")
    again = await retry(caller, first["floor_id"])
    newer = await regenerate(caller, session)
    floor = (await read_floors(caller, session))[-1]
    edited = await edit(caller, find_input(floor), "Well?", branch_id="side")

    floor_id = first["floor_id"]
    assert first == {"floor_id": ID, "floor_no": 1, "branch_id": "main", **REPLY}
    assert again == {"floor_id": floor_id, "floor_no": 1, "branch_id": "main", **REPLY}
    assert newer == {"floor_id": ID, "floor_no": 1, "previous_floor_id": floor_id, **REPLY}
    assert edited == {
        "floor_id": ID,
        "floor_no": 1,
        "branch_id": "side",
        "source_floor_id": floor["id"],
        "source_message_id": find_input(floor),
        **REPLY,
    }


async def test_fields_of_floors(caller: Caller, session: str) -> None:
    old = (await respond(caller, session, "Well?"))["floor_id"]
    new = (await regenerate(caller, session))["floor_id"]
    read = partial(read_data, caller)
    greeting = (await read(f"/sessions/{session}/timeline"))["floors"][0]["id"]

    expected = [
        make_greeting(session, greeting),
        make_floor(session, new, 1, parent_floor_id=greeting),
    ]
    timeline = {"session_id": session, "branch_id": "main", "floors": expected, "total": 2}
    assert await read(f"/sessions/{session}/timeline") == timeline
    assert (await caller.get("/floors", session_id=session))[1] == {
        "data": expected,
        "meta": make_meta(2, ("floor_no", "asc")),
    }
    page = {"branch_id": "main", "limit": "1", "offset": "1"}
    _, listed = await caller.get("/floors", session_id=session, **page)
    meta = make_meta(2, ("floor_no", "asc"), limit=1) | {"offset": 1}
    assert listed == {"data": expected[1:], "meta": meta}
    assert await read(f"/floors/{new}") == expected[1]
    replaced = {"superseded_at": TIME, "superseded_by_floor_id": new}
    assert await read(f"/floors/{old}") == make_floor(
        session, old, 1, parent_floor_id=greeting, **replaced
    )


async def test_fields_of_pages_and_messages(caller: Caller, session: str) -> None:
    floor = (await respond(caller, session, "Well?"))["floor_id"]
    await retry(caller, floor)
    (shown,) = [each for each in await read_floors(caller, session) if each["id"] == floor]
    first, second = shown["pages"][1:]

    status, page = await caller.send("PATCH", f"/pages/{first['id']}/activate")
    hidden = {"ids": [first["id"], "nobody"], "is_hidden": True}
    _, batch = await caller.send("PATCH", "/messages/batch/visibility", json=hidden)

    reply = make_message(floor, role="assistant", name="Mira", content="Yes.", token_count=4)
    alternates = {"slot_id": first["id"], "page_kind": "output", "is_active": False}
    assert first == make_page(reply, **alternates)
    assert second == make_page(reply, **alternates | {"page_no": 1, "is_active": True})
    assert (status, page["data"]) == (200, make_page(reply, **alternates | {"is_active": True}))
    read = partial(read_data, caller)
    assert await read(f"/messages/{first['id']}") == reply | {"is_hidden": True}
    assert batch["data"] == {
        "results": [
            {"index": 0, "id": first["id"], "action": "updated"},
            {"index": 1, "id": "nobody", "action": "not_found"},
        ],
        "meta": {"total": 2, "updated": 1, "not_found": 1},
    }


async def test_fields_of_branches(caller: Caller, session: str) -> None:
    one = (await respond(caller, session, "Well?"))["floor_id"]
    path = f"/floors/{one}/branch"
    _, forked = await caller.post(path, {"branch_id": "side"})
    side = (await respond(caller, session, "Well?", branch_id="side"))["floor_id"]
    two = (await respond(caller, session, "Well?"))["floor_id"]
    read = partial(read_data, caller)
    diff = await read(f"/sessions/{session}/branches/diff", target_branch_id="side")
    names = {"base_branch_id": "side", "target_branch_id": "main"}
    turned = await read(f"/sessions/{session}/branches/diff", **names)
    branches = await read(f"/sessions/{session}/branches")
    reset = {"target_floor_id": one, "expected_head_floor_id": two}
    _, undone = await caller.post(f"/sessions/{session}/branches/main/reset", reset)
    _, taken = await caller.send("DELETE", f"/floors/{one}")
    _, deleted = await caller.send("DELETE", f"/sessions/{session}/branches/side")

    main: JsonObject = {
        "id": "main",
        "branch_id": "main",
        "session_id": session,
        "is_main": True,
        "parent_branch_id": None,
        "source_floor_id": None,
        "source_floor_no": None,
        "floor_count": 3,
        "materialized": True,
        "created_at": TIME,
    }
    fork = main | {"id": "side", "branch_id": "side", "is_main": False}
    fork |= {"parent_branch_id": "main", "source_floor_id": one, "source_floor_no": 1}
    assert forked["data"] == fork | {"floor_count": 0, "materialized": False}
    assert branches == [main, fork | {"floor_count": 1}]
    assert diff == {
        "session_id": session,
        "base_branch_id": "main",
        "target_branch_id": "side",
        "fork_floor_id": one,
        "fork_floor_no": 1,
        "shared_floor_nos": [0, 1],
        "base_only_floors": [make_floor(session, two, 2, parent_floor_id=one)],
        "target_only_floors": [make_floor(session, side, 2, parent_floor_id=one, branch_id="side")],
        "variable_changes": [],
    }
    assert turned == diff | names | {
        "base_only_floors": diff["target_only_floors"],
        "target_only_floors": diff["base_only_floors"],
    }
    assert undone["data"] == {
        "session_id": session,
        "branch_id": "main",
        **reset,
        "superseded_floor_ids": [two],
        "superseded_count": 1,
    }
    assert taken["data"] == {"id": one, "branch_id": "main", "deleted": True}
    assert deleted["data"] == {"branch_id": "side", "deleted": True}


def select_frames(frames: list[StreamFrame], event: str) -> list[JsonObject]:
    return [frame.data for frame in frames if frame.event == event]


async def test_fields_of_a_stream(
    caller: Caller, session: str, switchable: SwitchableModel
) -> None:
    switchable.script([Call("roll_dice", {"sides": 1, "count": 3})], SAYS)
    path = f"/sessions/{session}/respond/stream"
    frames = await stream_turn(caller, path, {"message": "Well?", **ROLL})

    (start,) = select_frames(frames, "start")
    floor: JsonObject = {"floor_id": start["floor_id"], "floor_no": 1, "branch_id": "main"}
    assert start == floor
    assert "".join(chunk["chunk"] for chunk in select_frames(frames, "chunk")) == "Yes."
    assert select_frames(frames, "summary") == [{"summaries": ["Agreed."]}]
    begun, ended = select_frames(frames, "tool")
    call: JsonObject = {
        "execution_id": ID,
        "tool_name": "roll_dice",
        "provider_id": "builtin",
        "provider_type": "builtin",
        "side_effect_level": "none",
        "phase": "start",
        "message": "Calling roll_dice",
        "duration_ms": None,
        "replay_safety": "uncertain",
    }
    assert begun == call
    ended_call = {"phase": "success", "message": TEXT, "duration_ms": COUNT}
    assert ended == call | ended_call | {"replay_safety": "safe"}
    assert begun["execution_id"] == ended["execution_id"]
    (done,) = select_frames(frames, "done")
    assert done == floor | REPLY | {"total_usage": dict.fromkeys(USAGE, COUNT)}


RUN: JsonObject = {
    "floor_id": ID,
    "run_id": ID,
    "run_type": "respond",
    "started_at": TIME,
    "updated_at": TIME,
    "verifier": None,
    "error": None,
    "attempt_no": 1,
}
OUTPUT: JsonObject = {
    "temp_id": ID,
    "attempt_no": 1,
    "state": "generated",
    "text": "Yes.",
    "started_at": TIME,
    "updated_at": TIME,
    "error": None,
}


async def test_fields_of_a_run(caller: Caller, session: str) -> None:
    path = f"/sessions/{session}/respond/stream"
    body = {"message": "Well?", "config": {"enableVerifier": True}}
    frames = await stream_turn(caller, path, body)
    runs = select_frames(frames, "run")

    running: JsonObject = {"status": "running", "completed_at": None}
    pending = {"status": "pending", "suggestion": "", "issues": []}
    first, last = RUN | running, RUN | {"status": "completed", "completed_at": TIME}
    assert runs[0] == first | {
        "phase": "input_recorded",
        "public_phase": "preparing",
        "phase_seq": COUNT,
        "pending_output": None,
        "verifier": pending,
    }
    assert runs[-1] == last | {
        "phase": "post_commit_scheduled",
        "public_phase": "post_processing",
        "phase_seq": COUNT,
        "pending_output": OUTPUT,
        "verifier": pending | {"status": "passed"},
    }
    (drafted,) = [each for each in runs if each["phase"] == "page_generating"][:1]
    assert drafted["pending_output"] == OUTPUT | {"state": "draft", "text": ""}


async def test_fields_of_a_failed_run(
    caller: Caller, session: str, switchable: SwitchableModel
) -> None:
    switchable.script([Say("Ye"), Fail(ModelUnreachable())])
    frames = await stream_turn(caller, f"/sessions/{session}/respond/stream", {"message": "Well?"})

    error = {"code": "orchestration_failed", "message": TEXT}
    assert frames[-1].event == "error"
    assert frames[-1].data == error
    assert select_frames(frames, "run")[-1] == RUN | {
        "status": "failed",
        "completed_at": TIME,
        "phase": "page_generating",
        "public_phase": "generating",
        "phase_seq": COUNT,
        "pending_output": OUTPUT | {"state": "failed", "text": "Ye", "error": error},
        "error": error,
    }
