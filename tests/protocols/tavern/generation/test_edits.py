"""An edited message begins a branch that has only the edited turn. Issue 14 §1.5."""

import asyncio
from uuid import UUID

import pytest
from tests.loose_json import JsonObject
from tests.protocols.switchable_model import SwitchableModel, fail_at_once
from tests.protocols.tavern.generation.turn_calls import (
    create_counting_session,
    edit,
    find_input,
    list_sent,
    list_texts,
    read_variables,
    regenerate,
    respond,
)
from tests.protocols.tavern.story_calls import (
    create_character,
    create_session,
    create_stored_asset,
    import_lines,
    read_floors,
    reply_line,
    user_line,
)
from tests.serving import Caller, Served

from yarrow.assets.model import AssetKind
from yarrow.llm.errors import ModelFailed
from yarrow.llm.scripted import Hold, Say


async def read_branch_names(caller: Caller, session: str) -> list[str]:
    _, listed = await caller.get(f"/sessions/{session}/branches")
    return [branch["id"] for branch in listed["data"]]


@pytest.mark.parametrize("place", [0, 1, 2])
async def test_an_edited_line_has_only_the_edited_turn(
    served: Served, caller: Caller, switchable: SwitchableModel, place: int
) -> None:
    session = await create_counting_session(served, caller)
    model = switchable.script(*([Say(text)] for text in ("one", "two", "three", "new", "later")))
    for text in ("a", "b", "c"):
        await respond(caller, session, text)
    source = (await read_floors(caller, session))[place]

    made = await edit(caller, find_input(source), "edited")
    await respond(caller, session, "next", branch_id=made["branch_id"])

    kept = ["a", "one", "b", "two"][: 2 * place]
    count = place + 1
    assert list_sent(model.requests[3]) == [f"n={count}", *kept, "edited"]
    assert list_sent(model.requests[4]) == [f"n={count + 1}", *kept, "edited", "new", "next"]
    assert made["floor_no"] == place
    floors = await read_floors(caller, session, made["branch_id"])
    assert [floor["floor_no"] for floor in floors] == list(range(place + 2))
    assert floors[place]["parent_floor_id"] == source["parent_floor_id"]
    assert list_texts(await read_floors(caller, session)) == [
        ["a", "one"],
        ["b", "two"],
        ["c", "three"],
    ]
    assert await read_variables(caller, session) == {"n": "3"}


async def test_an_edit_tells_its_source(caller: Caller, switchable: SwitchableModel) -> None:
    session = (await create_session(caller))["id"]
    switchable.script([Say("one")], [Say("two")])
    await respond(caller, session, "a")
    (source,) = await read_floors(caller, session)

    made = await edit(caller, find_input(source), "b", branch_id="alt")

    (floor,) = await read_floors(caller, session, "alt")
    assert made | {"total_usage": None} == {
        "floor_id": floor["id"],
        "floor_no": 0,
        "branch_id": "alt",
        "source_floor_id": source["id"],
        "source_message_id": find_input(source),
        "generated_text": "two",
        "summaries": [],
        "total_usage": None,
        "memory": {"mode": "sync", "status": "applied", "job_id": None},
        "final_state": "committed",
    }


async def test_a_turn_of_a_branch_is_edited_on_its_own_line(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session = await create_counting_session(served, caller)
    model = switchable.script(*([Say(text)] for text in ("one", "two", "side", "new", "again")))
    first = await respond(caller, session, "a")
    await respond(caller, session, "b")
    await respond(caller, session, "c", branch_id="alt", source_floor_id=first["floor_id"])
    source = (await read_floors(caller, session, "alt"))[1]

    made = await edit(caller, find_input(source), "d")
    await regenerate(caller, session, branch_id=made["branch_id"])

    assert list_sent(model.requests[3]) == ["n=2", "a", "one", "d"]
    assert list_sent(model.requests[4]) == ["n=2", "a", "one", "d"]
    assert made["floor_no"] == 1
    assert await read_variables(caller, session, made["branch_id"]) == {"n": "2"}


async def test_the_first_turn_after_a_greeting_is_edited(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    character = await create_character(served, caller)
    session = (await create_session(caller, character_id=str(character.ref.id)))["id"]
    model = switchable.script([Say("one")], [Say("two")])
    await respond(caller, session, "a")
    greeting, source = await read_floors(caller, session)

    made = await edit(caller, find_input(source), "b")

    assert list_sent(model.requests[1])[-2:] == [list_texts([greeting])[0][0], "b"]
    assert made["floor_no"] == 1


async def test_a_failed_edit_leaves_no_branch(caller: Caller, switchable: SwitchableModel) -> None:
    session = (await create_session(caller))["id"]
    switchable.script([Say("one")], [Say("half"), fail_at_once(ModelFailed(500))], [Say("two")])
    await respond(caller, session, "a")
    (source,) = await read_floors(caller, session)
    path = f"/messages/{find_input(source)}/edit-and-regenerate"

    status, _ = await caller.post(path, {"content": "b", "branch_id": "alt"})
    left = await read_branch_names(caller, session)
    made = await edit(caller, find_input(source), "b", branch_id="alt")

    assert (status, left, made["branch_id"]) == (500, ["main"], "alt")


async def test_a_name_in_use_is_refused(caller: Caller, switchable: SwitchableModel) -> None:
    session = (await create_session(caller))["id"]
    hold = Hold()
    model = switchable.script([Say("one")], [hold, Say("two")])
    floor = await respond(caller, session, "a")
    (source,) = await read_floors(caller, session)
    await caller.post(f"/floors/{floor['floor_id']}/branch", {"branch_id": "empty"})
    path = f"/messages/{find_input(source)}/edit-and-regenerate"
    running = asyncio.create_task(caller.post(path, {"content": "b", "branch_id": "alt"}))
    await hold.reached.wait()

    answers = [
        await caller.post(path, {"content": "b", "branch_id": name})
        for name in ("main", "empty", "alt")
    ]
    forked = await caller.post(f"/floors/{floor['floor_id']}/branch", {"branch_id": "alt"})
    hold.release.set()

    assert [(status, answer["error"]["code"]) for status, answer in answers] == [
        (409, "branch_exists"),
        (409, "branch_exists"),
        (409, "generation_conflict"),
    ]
    assert (forked[0], forked[1]["error"]["code"]) == (409, "branch_exists")
    assert (await running)[0] == 200
    assert len(model.requests) == 2


async def test_only_inputs_of_committed_floors_are_edited(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    lines = [user_line("a"), reply_line("one"), user_line("b"), reply_line("two")]
    session = await import_lines(caller, lines)
    first, second = await read_floors(caller, session)
    reply = next(page for page in first["pages"] if page["page_kind"] == "output")
    async with served.product.database.connection() as tx:
        await tx.execute(
            "UPDATE messages SET page_active = FALSE, page_slot = id WHERE id = $1",
            UUID(find_input(second)),
        )
    hold = Hold()
    model = switchable.script([hold, Say("late")])
    running = asyncio.create_task(respond(caller, session, "next"))
    await hold.reached.wait()
    generating = (await read_floors(caller, session))[2]

    answers = [
        await caller.post(f"/messages/{message}/edit-and-regenerate", {"content": "x"})
        for message in (reply["id"], find_input(second), find_input(generating), session)
    ]
    hold.release.set()
    await running

    assert [(status, answer["error"]["code"]) for status, answer in answers] == [
        (400, "invalid_message_role"),
        (400, "invalid_message_scope"),
        (409, "invalid_state"),
        (404, "message_not_found"),
    ]
    assert len(model.requests) == 1


async def test_a_state_that_is_not_known_is_not_guessed(
    caller: Caller, switchable: SwitchableModel
) -> None:
    lines: list[JsonObject] = []
    for text in ("a", "b", "c"):
        lines += [user_line(text), reply_line(f"re {text}")]
    session = await import_lines(caller, lines)
    floors = await read_floors(caller, session)
    model = switchable.script([Say("first")], [Say("last")])
    path = f"/messages/{find_input(floors[1])}/edit-and-regenerate"

    status, answer = await caller.post(path, {"content": "x"})
    first = await edit(caller, find_input(floors[0]), "x")
    last = await edit(caller, find_input(floors[2]), "y")

    assert (status, answer["error"]["code"]) == (409, "branch_local_snapshot_missing")
    assert (first["floor_no"], last["floor_no"]) == (0, 2)
    assert len(model.requests) == 2


async def test_scripts_for_edits_apply(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    scripts = [
        {"scriptName": name, "findRegex": "/tea/g", "replaceString": name, "placement": [1]}
        | {"runOnEdit": on_edit}
        for name, on_edit in (("typed", False), ("coffee", True))
    ]
    rules = await create_stored_asset(
        served, caller, AssetKind.REGEX_PROFILE, {"scripts": scripts}, "Drinks"
    )
    session = (await create_session(caller, regex_profile_id=str(rules.ref.id)))["id"]
    model = switchable.script([Say("one")], [Say("two")])
    await respond(caller, session, "hello")
    (source,) = await read_floors(caller, session)

    made = await edit(caller, find_input(source), "some tea")

    assert list_sent(model.requests[1])[-1] == "some coffee"
    (floor,) = await read_floors(caller, session, made["branch_id"])
    assert list_texts([floor]) == [["some coffee", "two"]]
