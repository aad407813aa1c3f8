"""A branch keeps its line when the branch that it was forked from loses floors. Issue 14 §12."""

from tests.protocols.switchable_model import SwitchableModel
from tests.protocols.tavern.generation.turn_calls import (
    create_counting_session,
    edit,
    find_input,
    list_sent,
    list_texts,
    regenerate,
    respond,
)
from tests.protocols.tavern.memories.memory_calls import list_contents
from tests.protocols.tavern.story_calls import read_floors
from tests.protocols.tavern.turns.test_undo import delete_floor, reset, tell
from tests.serving import Caller, Served

from yarrow.llm.scripted import Say


async def test_a_branch_keeps_its_line_when_the_other_goes_another_way(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session = await create_counting_session(served, caller)
    switchable.script(
        *([Say(f"{word} <memo>{word} it was</memo>")] for word in ("so", "then", "next"))
    )
    first, _, third = await tell(caller, session, "one", "two", "three")
    await caller.post(f"/floors/{third}/branch", {"branch_id": "b"})
    line = await read_floors(caller, session, "b")
    await reset(caller, session, first, third)
    await tell(caller, session, "other two", "other three", "other four")
    await regenerate(caller, session)

    model = switchable.script([Say("on")])
    await respond(caller, session, "four", branch_id="b")

    told = ["one", "so", "two", "then", "three", "next", "four"]
    assert list_sent(model.requests[-1]) == ["n=4", *told]
    floors = await read_floors(caller, session, "b")
    assert [floor["id"] for floor in floors[:3]] == [floor["id"] for floor in line]
    assert list_texts(floors)[:3] == list_texts(line)
    assert [floor["parent_floor_id"] for floor in floors] == [
        None,
        *(floor["id"] for floor in floors[:-1]),
    ]
    shown = await list_contents(caller, session_id=session)
    assert sorted(shown) == ["next it was", "so it was", "then it was"]


async def test_a_branch_keeps_its_line_when_an_earlier_floor_is_regenerated(
    served: Served, caller: Caller
) -> None:
    session = await create_counting_session(served, caller)
    _, second, third = await tell(caller, session, "one", "two", "three")
    await caller.post(f"/floors/{third}/branch", {"branch_id": "b"})
    await delete_floor(caller, third)

    await regenerate(caller, session)

    assert [floor["id"] for floor in await read_floors(caller, session, "b")][1:] == [second, third]
    assert second not in [floor["id"] for floor in await read_floors(caller, session)]


async def test_an_edit_of_a_floor_that_was_taken_away_has_the_line_before_it(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session = await create_counting_session(served, caller)
    first, _, third = await tell(caller, session, "one", "two", "three")
    _, floor = await caller.get(f"/floors/{third}")
    await reset(caller, session, first, third)
    await tell(caller, session, "other two", "other three")
    model = switchable.script([Say("so")])

    await edit(caller, find_input(floor["data"]), "three again")

    sent = list_sent(model.requests[-1])
    assert [text for text in sent if "You said" not in text] == ["n=3", "one", "two", "three again"]


async def test_a_branch_continues_after_a_floor_that_was_taken_away_elsewhere(
    served: Served, caller: Caller
) -> None:
    session = await create_counting_session(served, caller)
    (first,) = await tell(caller, session, "one")
    await caller.post(f"/floors/{first}/branch", {"branch_id": "b"})
    await delete_floor(caller, first)

    answer = await respond(caller, session, "two", branch_id="b", source_floor_id=first)

    assert (answer["branch_id"], answer["floor_no"]) == ("b", 1)
