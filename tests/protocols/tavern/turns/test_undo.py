"""Taking floors away, and comparing branches. Issue 14 §12."""

import asyncio

import pytest
from tests.loose_json import JsonObject
from tests.protocols.switchable_model import SwitchableModel
from tests.protocols.tavern.chats.chat_samples import SOLO_1_12
from tests.protocols.tavern.generation.turn_calls import (
    create_counting_session,
    read_variables,
    regenerate,
    respond,
    retry,
)
from tests.protocols.tavern.story_calls import create_session, import_lines, read_floors
from tests.serving import Caller, Served

from yarrow.llm.scripted import Call, Hold, Say

TOOLS = {"config": {"enableTools": True}}


async def delete_floor(caller: Caller, floor: str) -> None:
    status, answer = await caller.send("DELETE", f"/floors/{floor}")
    assert status == 200, answer


async def reset(
    caller: Caller, session: str, target: str, head: str, branch: str = "main"
) -> tuple[int, JsonObject]:
    body = {"target_floor_id": target, "expected_head_floor_id": head}
    return await caller.post(f"/sessions/{session}/branches/{branch}/reset", body)


async def tell(caller: Caller, session: str, *messages: str, **more: object) -> list[str]:
    """Send messages; returns the ids of their floors."""
    return [(await respond(caller, session, each, **more))["floor_id"] for each in messages]


async def test_a_reset_takes_floors_and_their_state_away(served: Served, caller: Caller) -> None:
    session = await create_counting_session(served, caller)
    first, second, third = await tell(caller, session, "one", "two", "three")
    await retry(caller, second)

    status, answer = await reset(caller, session, first, third)

    assert status == 200
    assert answer["data"]["superseded_floor_ids"] == [second, third]
    assert [floor["id"] for floor in await read_floors(caller, session)] == [first]
    assert await read_variables(caller, session) == {"n": "1"}
    (again,) = await tell(caller, session, "two again")
    assert (await read_floors(caller, session))[-1]["floor_no"] == 1
    assert await read_variables(caller, session) == {"n": "2"}
    _, kept = await caller.get(f"/floors/{third}")
    assert (kept["data"]["superseded_by_floor_id"], kept["data"]["state"]) == (first, "committed")
    assert kept["data"]["messages"][0]["content"] == "three"
    status, explained = await caller.get(f"/floors/{third}/prompt-runtime/explain")
    assert (status, explained["data"]["snapshot_available"]) == (200, True)
    assert again != second


async def test_what_a_person_set_survives_a_reset(served: Served, caller: Caller) -> None:
    session = await create_counting_session(served, caller)
    first, second = await tell(caller, session, "one", "two")
    own = {"scope": "branch", "session_id": session, "branch_id": "main", "value": "mine"}
    for key in ("n", "other"):
        assert (await caller.send("PUT", "/variables", json=own | {"key": key}))[0] in (200, 201)

    await reset(caller, session, first, second)

    assert await read_variables(caller, session) == {"n": "mine", "other": "mine"}


def writing(key: str, value: str, scope: str = "branch") -> tuple[list[Call], list[Say]]:
    """A reply that sets a variable."""
    return [Call("set_variable", {"name": key, "value": value, "scope": scope})], [Say(value)]


async def test_a_page_of_an_older_floor_brings_its_state_when_the_floor_is_the_last(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session = await create_counting_session(served, caller)
    switchable.script(
        *writing("mood", "calm"), *writing("hat", "red"), [Say("later")], *writing("hat", "blue")
    )
    await respond(caller, session, "one", **TOOLS)
    second = (await respond(caller, session, "two", **TOOLS))["floor_id"]
    third = (await respond(caller, session, "three"))["floor_id"]
    await retry(caller, second, **TOOLS)
    kept = await read_variables(caller, session)
    switchable.script(*writing("mood", "sad"))

    await delete_floor(caller, third)
    after_delete = await read_variables(caller, session)
    await regenerate(caller, session, **TOOLS)
    after_regenerate = await read_variables(caller, session)
    await delete_floor(caller, (await read_floors(caller, session))[-1]["id"])

    assert kept == {"n": "3", "mood": "calm", "hat": "red"}
    assert after_delete == {"n": "2", "mood": "calm", "hat": "blue"}
    assert after_regenerate == {"n": "2", "mood": "sad"}
    assert await read_variables(caller, session) == {"n": "1", "mood": "calm"}


async def test_a_page_chosen_on_an_older_floor_counts_when_the_floor_is_the_last(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session = await create_counting_session(served, caller)
    switchable.script(*writing("hat", "red"), *writing("hat", "blue", "global"))
    first = (await respond(caller, session, "one", **TOOLS))["floor_id"]
    await retry(caller, first, **TOOLS)
    second = (await respond(caller, session, "two"))["floor_id"]
    _, floor = await caller.get(f"/floors/{first}")
    red = next(page for page in floor["data"]["pages"] if page["message"]["content"] == "red")
    await caller.send("PATCH", f"/pages/{red['id']}/activate")

    await reset(caller, session, first, second)

    assert await read_variables(caller, session) == {"n": "1", "hat": "red"}


async def test_what_a_person_deleted_stays_deleted_when_floors_are_taken_away(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session = await create_counting_session(served, caller)
    switchable.script([Say("bare")], *writing("hat", "red"))
    first = (await respond(caller, session, "one", **TOOLS))["floor_id"]
    await retry(caller, first, **TOOLS)
    (second,) = await tell(caller, session, "two")
    own = {"scope": "branch", "session_id": session, "branch_id": "main", "key": "hat"}
    assert (await caller.send("DELETE", "/variables", json=own))[0] == 200

    await delete_floor(caller, second)

    assert await read_variables(caller, session) == {"n": "1"}


async def test_the_last_floor_can_be_deleted_until_none_is_left(
    served: Served, caller: Caller
) -> None:
    session = await create_counting_session(served, caller)
    first, second = await tell(caller, session, "one", "two")

    status, answer = await caller.send("DELETE", f"/floors/{first}")
    assert (status, answer["error"]["code"]) == (409, "invalid_state")
    for floor, left in ((second, {"n": "1"}), (first, {})):
        status, answer = await caller.send("DELETE", f"/floors/{floor}")
        assert (status, answer["data"]["deleted"]) == (200, True)
        assert await read_variables(caller, session) == left

    assert await read_floors(caller, session) == []
    _, kept = await caller.get(f"/floors/{first}")
    assert kept["data"]["superseded_at"] is not None
    assert (await caller.send("DELETE", f"/floors/{first}"))[0] == 409
    await tell(caller, session, "anew")
    assert await read_variables(caller, session) == {"n": "1"}


async def test_a_branch_is_reset_to_the_floor_that_it_starts_after(
    served: Served, caller: Caller
) -> None:
    session = await create_counting_session(served, caller)
    first, second = await tell(caller, session, "one", "two")
    (other,) = await tell(caller, session, "aside", branch_id="b", source_floor_id=first)

    status, answer = await reset(caller, session, first, other, "b")

    assert (status, answer["data"]["superseded_count"]) == (200, 1)
    assert [floor["id"] for floor in await read_floors(caller, session, "b")] == [first]
    assert [floor["id"] for floor in await read_floors(caller, session)] == [first, second]
    assert await read_variables(caller, session, "b") == {"n": "1"}


async def test_resets_that_cannot_be_are_refused(served: Served, caller: Caller) -> None:
    session = await create_counting_session(served, caller)
    first, second = await tell(caller, session, "one", "two")
    (other,) = await tell(caller, session, "aside", branch_id="b", source_floor_id=first)
    elsewhere = (await create_session(caller))["id"]

    async def code(target: str, head: str, branch: str = "main", where: str = session) -> str:
        return str((await reset(caller, where, target, head, branch))[1]["error"]["code"])

    assert await code(first, first) == "branch_head_conflict"
    assert await code(second, other, "b") == "invalid_reset_target"
    assert await code(first, second, "nowhere") == "branch_not_found"
    assert await code(first, second, where=elsewhere) == "floor_not_found"
    assert await code("no-id", second) == "floor_not_found"
    assert len(await read_floors(caller, session)) == 2


async def test_a_branch_that_is_being_written_is_not_reset(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session = await create_counting_session(served, caller)
    first, second = await tell(caller, session, "one", "two")
    hold = Hold()
    switchable.script([Say("so"), hold])
    turn = asyncio.create_task(respond(caller, session, "three"))
    await hold.reached.wait()

    refused = [
        await reset(caller, session, first, second),
        await caller.send("DELETE", f"/floors/{second}"),
    ]
    hold.release.set()
    await turn

    assert [answer["error"]["code"] for _, answer in refused] == ["generation_conflict"] * 2
    assert len(await read_floors(caller, session)) == 3


async def test_floors_of_an_imported_chat_can_be_deleted(caller: Caller) -> None:
    session = await import_lines(caller, SOLO_1_12)
    greeting, last = await read_floors(caller, session)

    status, _ = await caller.send("DELETE", f"/floors/{last['id']}")
    forked, _ = await caller.post(f"/floors/{greeting['id']}/branch", {"branch_id": "b"})

    assert (status, forked) == (200, 201)
    assert (await read_variables(caller, session, "b"))["gold"] == "12"


async def test_a_diff_tells_what_two_branches_do_not_share(served: Served, caller: Caller) -> None:
    session = await create_counting_session(served, caller)
    first, second = await tell(caller, session, "one", "two")
    more = {"branch_id": "b"}
    (other,) = await tell(caller, session, "aside", source_floor_id=first, **more)
    await tell(caller, session, "further", **more)

    status, answer = await caller.get(f"/sessions/{session}/branches/diff", target_branch_id="b")

    diff = answer["data"]
    assert status == 200
    assert (diff["base_branch_id"], diff["fork_floor_no"], diff["fork_floor_id"]) == (
        "main",
        0,
        first,
    )
    assert diff["shared_floor_nos"] == [0]
    assert [floor["id"] for floor in diff["base_only_floors"]] == [second]
    assert [floor["floor_no"] for floor in diff["target_only_floors"]] == [1, 2]
    assert diff["target_only_floors"][0]["id"] == other
    assert diff["variable_changes"] == [
        {"path": "n", "change_type": "changed", "left": "2", "right": "3"}
    ]


@pytest.mark.parametrize(
    ("query", "code"),
    [({}, "validation_error"), ({"target_branch_id": "nowhere"}, "branch_not_found")],
    ids=["no target", "unknown branch"],
)
async def test_a_diff_needs_two_branches(caller: Caller, query: dict[str, str], code: str) -> None:
    session = (await create_session(caller))["id"]

    status, answer = await caller.get(f"/sessions/{session}/branches/diff", **query)

    assert status in (400, 404)
    assert answer["error"]["code"] == code
