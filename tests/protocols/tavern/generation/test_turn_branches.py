"""A turn in mid-story begins a branch with the state of its source floor."""

import asyncio

from tests.protocols.switchable_model import SwitchableModel, fail_at_once
from tests.protocols.tavern.generation.turn_calls import (
    create_counting_session,
    list_sent,
    read_variables,
    respond,
)
from tests.protocols.tavern.story_calls import (
    create_session,
    import_lines,
    read_floors,
    reply_line,
    user_line,
)
from tests.serving import Caller, Served

from yarrow.llm.errors import ModelFailed
from yarrow.llm.scripted import Hold, Say


async def test_a_source_floor_begins_a_branch_with_its_variables(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session = await create_counting_session(served, caller)
    model = switchable.script([Say("one")], [Say("two")], [Say("other")])
    first = await respond(caller, session, "a")
    await respond(caller, session, "b")

    answer = await respond(caller, session, "c", source_floor_id=first["floor_id"])

    assert (answer["floor_no"], answer["branch_id"][:7]) == (1, "branch-")
    assert [message.text for message in model.requests[2].messages] == ["n=2", "a", "one", "c"]
    assert await read_variables(caller, session, answer["branch_id"]) == {"n": "2"}
    floors = await read_floors(caller, session, answer["branch_id"])
    assert [floor["id"] for floor in floors] == [first["floor_id"], answer["floor_id"]]
    assert floors[1]["parent_floor_id"] == first["floor_id"]


async def test_a_failed_turn_leaves_no_branch(caller: Caller, switchable: SwitchableModel) -> None:
    session = (await create_session(caller))["id"]
    switchable.script([Say("half"), fail_at_once(ModelFailed(500))], [Say("whole")])
    body = {"message": "a", "branch_id": "alt"}

    failed = await caller.post(f"/sessions/{session}/respond", body)
    _, listed = await caller.get(f"/sessions/{session}/branches")
    answer = await respond(caller, session, "a", branch_id="alt")

    assert failed[0] == 500
    assert [branch["id"] for branch in listed["data"]] == ["main"]
    assert (answer["branch_id"], answer["floor_no"]) == ("alt", 0)


async def test_two_turns_cannot_begin_one_branch(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    hold = Hold()
    switchable.script([hold, Say("first")])
    body = {"message": "a", "branch_id": "alt"}
    running = asyncio.create_task(caller.post(f"/sessions/{session}/respond", body))
    await hold.reached.wait()

    status, answer = await caller.post(f"/sessions/{session}/respond", body)
    hold.release.set()

    assert (status, answer["error"]["code"]) == (409, "generation_conflict")
    assert (await running)[0] == 200


async def test_branches_do_not_wait_for_each_other(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    hold = Hold()
    switchable.script([hold, Say("slow")], [Say("quick")])
    running = asyncio.create_task(respond(caller, session, "a"))
    await hold.reached.wait()

    quick = await respond(caller, session, "b", branch_id="alt")
    hold.release.set()

    assert (quick["branch_id"], (await running)["branch_id"]) == ("alt", "main")


async def test_a_floor_without_a_snapshot_begins_no_branch(
    caller: Caller, switchable: SwitchableModel
) -> None:
    lines = [user_line("one?"), reply_line("one."), user_line("two?"), reply_line("two.")]
    session = await import_lines(caller, lines)
    first, last = await read_floors(caller, session)
    switchable.script([Say("other")])
    path = f"/sessions/{session}/respond"

    refused = await caller.post(path, {"message": "x", "source_floor_id": first["id"]})
    unknown = await caller.post(path, {"message": "x", "source_floor_id": session})
    answer = await respond(caller, session, "x", source_floor_id=last["id"])

    assert (refused[0], refused[1]["error"]["code"]) == (409, "branch_local_snapshot_missing")
    assert (unknown[0], unknown[1]["error"]["code"]) == (404, "source_floor_not_found")
    assert (answer["branch_id"], answer["floor_no"]) == ("main", 2)


async def test_a_fork_begins_with_the_variables_of_its_floor(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session = await create_counting_session(served, caller)
    model = switchable.script(*([Say(text)] for text in ("one", "two", "three", "side")))
    first = await respond(caller, session, "a")
    await respond(caller, session, "b")
    await respond(caller, session, "c")

    await caller.post(f"/floors/{first['floor_id']}/branch", {"branch_id": "alt"})
    at_fork = await read_variables(caller, session, "alt")
    await respond(caller, session, "d", branch_id="alt")

    assert at_fork == {"n": "1"}
    assert list_sent(model.requests[3]) == ["n=2", "a", "one", "d"]
    assert await read_variables(caller, session) == {"n": "3"}


async def test_dry_runs_and_previews_see_the_state_of_their_source_floor(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session = await create_counting_session(served, caller)
    switchable.script([Say("one")], [Say("two")])
    first = await respond(caller, session, "a")
    await respond(caller, session, "b")
    source = {"source_floor_id": first["floor_id"]}

    _, dry = await caller.post(f"/sessions/{session}/respond/dry-run", {"message": "c"} | source)
    _, shown = await caller.post(
        f"/sessions/{session}/prompt-runtime/preview", {"text": "{{getvar::n}}"} | source
    )

    sent = [message["content"] for message in dry["data"]["messages"]]
    assert sent == ["n=2", "a", "one", "c"]
    assert (shown["data"]["text"], shown["data"]["limitations"]) == ("1", [])
    assert await read_variables(caller, session) == {"n": "2"}
