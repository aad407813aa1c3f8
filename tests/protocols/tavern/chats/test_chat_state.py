"""The state of a story in its chat file: session state and what each reply left. Issue 14 §12."""

import pytest
from tests.loose_json import JsonObject, decode_json
from tests.protocols.switchable_model import SwitchableModel
from tests.protocols.tavern.chats.test_chats import export, post_large
from tests.protocols.tavern.chats.test_whole_chats import export_lines
from tests.protocols.tavern.generation.turn_calls import (
    create_counting_session,
    edit,
    find_input,
    read_variables,
    regenerate,
    respond,
    retry,
)
from tests.protocols.tavern.memories.memory_calls import create_memory
from tests.protocols.tavern.state.test_session_state import read_slots, set_directly, write
from tests.protocols.tavern.story_calls import (
    create_session,
    import_lines,
    read_floors,
    reply_line,
    user_line,
)
from tests.serving import Caller, Served

from yarrow.llm.scripted import Say


async def create_story(served: Served, caller: Caller) -> str:
    """Two turns that count `n` and write `gold`, the second with a swipe; a person set `hat`."""
    session = await create_counting_session(served, caller)
    body = {"namespace": "game", "logical_owner_type": "plugin", "logical_owner_id": "7"}
    await caller.post(f"/sessions/{session}/state/namespaces", body)
    await respond(caller, session, "one", session_state_writes=[write("gold", 1)])
    await respond(caller, session, "two", session_state_writes=[write("gold", 2)])
    last = (await read_floors(caller, session))[-1]["id"]
    await retry(caller, last, session_state_writes=[write("gold", 3)])
    await set_directly(caller, session, "hat", None)
    return session


async def copy_story(caller: Caller, session: str, branch: str = "main") -> str:
    """Import the export of a story, bound to the same preset."""
    _, original = await caller.get(f"/sessions/{session}")
    body = {"data": await export(caller, session, branch)}
    status, answer = await caller.post("/import/chat", body)
    assert (status, answer["data"]["warnings"]) == (201, [])
    copy = str(answer["data"]["session_id"])
    bound = {"preset_id": original["data"]["preset_id"]}
    assert (await caller.send("PATCH", f"/sessions/{copy}", json=bound))[0] == 200
    return copy


async def test_a_copy_has_the_session_state_and_its_namespaces(
    served: Served, caller: Caller
) -> None:
    session = await create_story(served, caller)
    copy = await copy_story(caller, session)

    assert await read_slots(caller, copy) == {"gold": 3, "hat": None}
    assert await read_variables(caller, copy) == {"n": "2"}
    _, answer = await caller.get(f"/sessions/{copy}/state/namespaces")
    game = answer["data"][-1]
    assert (game["namespace"], game["logical_owner_id"]) == ("game", "7")
    assert await export_lines(caller, copy) == await export_lines(caller, session)


async def test_a_copy_of_a_branch_undoes_what_its_floors_on_another_branch_wrote(
    served: Served, caller: Caller
) -> None:
    session = await create_counting_session(served, caller)
    first = (await respond(caller, session, "one"))["floor_id"]
    await respond(caller, session, "aside", branch_id="b", source_floor_id=first)
    copy = await copy_story(caller, session, branch="b")

    _, last = await read_floors(caller, copy)
    await caller.send("DELETE", f"/floors/{last['id']}")
    status, answer = await caller.post(f"/sessions/{copy}/regenerate", {})

    assert status == 200, answer
    assert await read_variables(caller, copy) == {"n": "1"}


async def test_an_object_that_was_deleted_is_in_no_copy(caller: Caller) -> None:
    lines: list[JsonObject] = [
        {"chat_metadata": {"variables": {"bag": {"gold": 1}}}},
        user_line("one"),
        reply_line("so"),
    ]
    session = await import_lines(caller, lines)
    own = {"scope": "branch", "session_id": session, "branch_id": "main", "key": "bag"}
    assert (await caller.send("DELETE", "/variables", json=own))[0] == 200

    copy = await copy_story(caller, session)

    assert await read_variables(caller, copy) == {}


async def test_each_floor_of_a_copy_has_its_state(served: Served, caller: Caller) -> None:
    session = await create_story(served, caller)
    copy = await copy_story(caller, session)

    first = (await read_floors(caller, copy))[0]["id"]
    status, answer = await caller.post(f"/floors/{first}/branch", {"branch_id": "side"})

    assert status == 201, answer
    assert await read_slots(caller, copy, source_floor_id=first) == {"gold": 1}
    assert await read_variables(caller, copy, "side") == {"n": "1"}


async def test_replacing_the_last_turn_of_a_copy_undoes_its_writes(
    served: Served, caller: Caller
) -> None:
    copy = await copy_story(caller, await create_story(served, caller))

    status, answer = await caller.post(f"/sessions/{copy}/regenerate", {})

    assert status == 200, answer
    assert await read_variables(caller, copy) == {"n": "2"}
    assert await read_slots(caller, copy) == {"gold": 1, "hat": None}


async def test_another_swipe_of_a_copy_brings_its_state(served: Served, caller: Caller) -> None:
    copy = await copy_story(caller, await create_story(served, caller))
    page = (await read_floors(caller, copy))[-1]["pages"][1]

    status, _ = await caller.send("PATCH", f"/pages/{page['id']}/activate")

    assert status == 200
    assert await read_slots(caller, copy) == {"gold": 2, "hat": None}


def with_states(present: object, state: object) -> list[JsonObject]:
    header = {"user_name": "Ada", "chat_metadata": {"story_state": present}}
    return [header, user_line("a"), reply_line("b", extra={"story_state": state})]


ENTRY = {"present": True, "value": 1}
STATE_PLACE, PRESENT_PLACE = "message 1, swipe 0", "chat_metadata.story_state"
UNREADABLE: dict[str, tuple[object, object, str]] = {
    "a state that is no object": ({}, 1, STATE_PLACE),
    "a state without a number": ({}, {"variables": {}}, STATE_PLACE),
    "an entry that is none": ({}, {"number": 0, "values": {"a/b": 1}}, STATE_PLACE),
    "a slot without a name": ({}, {"number": 0, "values": {"a/": ENTRY}}, STATE_PLACE),
    "a variable without a name": ({}, {"number": 0, "variables": {"": 1}}, STATE_PLACE),
    "a timer that is none": ({}, {"number": 0, "lore_timers": {"sticky": {"a": 1}}}, STATE_PLACE),
    "a write of no entry": (
        {},
        {"number": 0, "writes": [{"scope": "state", "key": "a/b", "value": 1}]},
        STATE_PLACE,
    ),
    "a value of no namespace": ({"values": {"a/b": ENTRY}}, None, PRESENT_PLACE),
    "a reserved namespace": ({"namespaces": [{"name": "game_state.x"}]}, None, PRESENT_PLACE),
    "too many namespaces": (
        {"namespaces": [{"name": f"n{number}"} for number in range(65)]},
        None,
        PRESENT_PLACE,
    ),
}


@pytest.mark.parametrize("name", UNREADABLE)
async def test_a_state_that_cannot_be_read_is_named_and_left_out(caller: Caller, name: str) -> None:
    present, state, place = UNREADABLE[name]

    status, answer = await caller.post("/import/chat", {"data": with_states(present, state)})

    assert status == 201, answer
    assert answer["data"]["warnings"] == [f"{place} cannot be read and was left out"]
    copy = str(answer["data"]["session_id"])
    assert (await caller.post(f"/sessions/{copy}/respond", {"message": "c"}))[0] == 200


async def test_an_export_tells_how_many_states_it_has_no_room_for(caller: Caller) -> None:
    lines: list[JsonObject] = [{"user_name": "Ada", "character_name": "Mira"}]
    for number in range(3):
        values = {f"v{index}": "x" * 60_000 for index in range(30)}
        state = {"number": number, "variables": values}
        lines += [user_line("a"), reply_line(f"b{number}", extra={"story_state": state})]
    imported = await post_large(caller, {"data": [*lines, user_line("c"), reply_line("d")]})
    url = f"{caller.url}/export/chat/{imported[1]['data']['session_id']}"

    async with caller.http.get(url, headers=caller.headers) as answer:
        text, told = await answer.text(), answer.headers.get("X-States-Left-Out")
    _, again = await post_large(caller, {"data": text})

    assert told == "1"
    assert decode_json(text.splitlines()[0])["chat_metadata"]["story_state"] == {
        "states_left_out": 1
    }
    assert again["data"]["warnings"] == [
        "the export had no room for the states of the 1 oldest replies"
    ]


async def test_an_export_tells_replies_and_memories_that_are_not_in_it(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    switchable.script(*([Say(f"R{number}.")] for number in range(1, 6)))
    first = await respond(caller, session, "a")
    await retry(caller, first["floor_id"])
    whole = await read_left_out(caller, session)
    await regenerate(caller, session)
    [floor] = await read_floors(caller, session)
    await edit(caller, find_input(floor), "b", branch_id="alt")
    await create_memory(caller, "It rains.", scope="chat", scope_id=session)

    assert whole == {}
    told = {"x-replies-left-out": "3", "x-memories-left-out": "1"}
    assert await read_left_out(caller, session) == told
    assert await read_left_out(caller, session, "alt") == told


async def read_left_out(caller: Caller, session: str, branch: str = "main") -> dict[str, str]:
    url, query = f"{caller.url}/export/chat/{session}", {"branch_id": branch}
    async with caller.http.get(url, params=query, headers=caller.headers) as answer:
        return {name: text for name, text in answer.headers.items() if name.endswith("-left-out")}
