"""What a person set or deleted belongs to no turn: only pages made later write it again."""

import json

from tests.loose_json import JsonObject
from tests.protocols.switchable_model import SwitchableModel
from tests.protocols.tavern.generation.turn_calls import (
    create_counting_session,
    read_variables,
    regenerate,
    respond,
    retry,
)
from tests.protocols.tavern.story_calls import create_preset, import_lines, read_floors
from tests.serving import Caller, Served

from yarrow.llm.scripted import Say


async def delete_counter(caller: Caller, session: str) -> None:
    named = {"scope": "branch", "session_id": session, "branch_id": "main", "key": "n"}
    status, answer = await caller.send("DELETE", "/variables", json=named)
    assert status == 200, answer


async def put_counter(caller: Caller, session: str, value: int) -> None:
    named = {"scope": "branch", "session_id": session, "branch_id": "main", "key": "n"}
    status, answer = await caller.send("PUT", "/variables", json=named | {"value": value})
    assert status in {200, 201}, answer


async def choose_page(caller: Caller, session: str, number: int) -> None:
    (floor,) = await read_floors(caller, session)
    page: JsonObject = floor["pages"][number]
    status, answer = await caller.send("PATCH", f"/pages/{page['id']}/activate")
    assert status == 200, answer


async def tell_two_pages(served: Served, caller: Caller) -> str:
    """A story of one floor whose first reply counted `n` up, and whose second one did not."""
    session = await create_counting_session(served, caller)
    floor = (await respond(caller, session, "a"))["floor_id"]
    plain = await create_preset(served, caller)
    await caller.send("PATCH", f"/sessions/{session}", json={"preset_id": str(plain.ref.id)})
    await retry(caller, floor)
    await choose_page(caller, session, 1)
    assert await read_variables(caller, session) == {"n": "1"}
    return session


async def test_a_deleted_variable_stays_away_whichever_page_is_chosen(
    served: Served, caller: Caller
) -> None:
    session = await tell_two_pages(served, caller)
    await delete_counter(caller, session)

    for number in (2, 1, 2, 1):
        await choose_page(caller, session, number)
        assert await read_variables(caller, session) == {}


async def test_a_deleted_variable_stays_away_when_the_turn_is_replaced(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session = await create_counting_session(served, caller)
    switchable.script(*([Say(text)] for text in "abc"))
    floor = (await respond(caller, session, "a"))["floor_id"]
    await delete_counter(caller, session)
    plain = await create_preset(served, caller)
    await caller.send("PATCH", f"/sessions/{session}", json={"preset_id": str(plain.ref.id)})

    await retry(caller, floor)
    await choose_page(caller, session, 1)
    chosen = await read_variables(caller, session)
    await regenerate(caller, session)

    assert (chosen, await read_variables(caller, session)) == ({}, {})


async def test_a_variable_that_a_turn_deleted_and_a_person_too_stays_away(
    served: Served, caller: Caller
) -> None:
    session = await tell_two_pages(served, caller)
    await choose_page(caller, session, 2)
    await put_counter(caller, session, 5)
    await delete_counter(caller, session)

    await choose_page(caller, session, 1)

    assert await read_variables(caller, session) == {}


async def test_what_is_set_after_the_deletion_counts(served: Served, caller: Caller) -> None:
    session = await tell_two_pages(served, caller)
    await delete_counter(caller, session)
    await put_counter(caller, session, 5)

    await choose_page(caller, session, 2)
    await choose_page(caller, session, 1)

    assert await read_variables(caller, session) == {"n": 5}


async def test_a_turn_after_the_deletion_writes_and_is_undone_to_it(
    served: Served, caller: Caller
) -> None:
    session = await create_counting_session(served, caller)
    await respond(caller, session, "a")
    await delete_counter(caller, session)

    counted = (await respond(caller, session, "b"))["floor_id"]
    after = await read_variables(caller, session)
    await caller.send("DELETE", f"/floors/{counted}")

    assert (after, await read_variables(caller, session)) == ({"n": "1"}, {})


async def test_a_page_made_after_the_deletion_has_what_it_wrote(
    served: Served, caller: Caller
) -> None:
    session = await create_counting_session(served, caller)
    floor = (await respond(caller, session, "a"))["floor_id"]
    await delete_counter(caller, session)
    await retry(caller, floor)

    for number, variables in ((1, {}), (2, {"n": "1"}), (1, {})):
        await choose_page(caller, session, number)
        assert await read_variables(caller, session) == variables


async def test_a_page_made_after_a_person_set_the_variable_has_what_it_wrote(
    served: Served, caller: Caller
) -> None:
    session = await create_counting_session(served, caller)
    floor = (await respond(caller, session, "a"))["floor_id"]
    await put_counter(caller, session, 5)
    await retry(caller, floor)

    for number, variables in ((1, {"n": 5}), (2, {"n": "6"}), (1, {"n": 5})):
        await choose_page(caller, session, number)
        assert await read_variables(caller, session) == variables


async def test_what_a_person_set_again_stays_whichever_page_is_chosen(
    served: Served, caller: Caller
) -> None:
    session = await create_counting_session(served, caller)
    await put_counter(caller, session, 5)
    floor = (await respond(caller, session, "a"))["floor_id"]
    await put_counter(caller, session, 5)
    await retry(caller, floor)

    for number, variables in ((1, {"n": 5}), (2, {"n": "6"}), (1, {"n": 5})):
        await choose_page(caller, session, number)
        assert await read_variables(caller, session) == variables


async def test_a_chat_file_keeps_the_deletion(served: Served, caller: Caller) -> None:
    session = await tell_two_pages(served, caller)
    await delete_counter(caller, session)
    url = f"{caller.url}/export/chat/{session}"
    async with caller.http.get(url, headers=caller.headers) as answer:
        lines = [json.loads(line) for line in (await answer.text()).splitlines()]

    copy = await import_lines(caller, lines)
    for number in (2, 1):
        await choose_page(caller, copy, number)

        assert await read_variables(caller, copy) == {}
