"""A turn that only sets variables is committed with its run, in one statement; what it leaves is
what the other commits leave."""

import asyncio
from uuid import UUID

from msgspec.structs import replace
from tests.loose_json import JsonObject
from tests.protocols.switchable_model import SwitchableModel
from tests.protocols.tavern.generation.turn_calls import (
    COUNTING_PRESET,
    create_counting_session,
    held_turn,
    read_variables,
    regenerate,
    respond,
)
from tests.protocols.tavern.story_calls import create_stored_asset
from tests.serving import Caller, Served
from tests.waiting import hold_open, wait_for_lock_waiter

from yarrow.assets.model import AssetKind
from yarrow.ids import AccountId, SessionId, TurnId
from yarrow.llm.scripted import Hold, Say
from yarrow.sessions.branch_store import delete_branches, find_branch
from yarrow.stories import turn_state_store
from yarrow.stories.store import set_archived
from yarrow.stories.turn_state import TurnState

WRITING = "n={{incvar::n}}{{setvar::mood::“so so” \\ \n}}{{setvar::list::[null, 1.50]}}"
SUMMARY = "<summary>A summary is remembered.</summary>"


async def create_writing_session(served: Served, caller: Caller) -> str:
    main = {"identifier": "main", "role": "system", "content": WRITING}
    content: JsonObject = {**COUNTING_PRESET, "prompts": [main, COUNTING_PRESET["prompts"][1]]}
    preset = await create_stored_asset(served, caller, AssetKind.PRESET, content, "Writing")
    status, answer = await caller.post("/sessions", {"preset_id": str(preset.ref.id)})
    assert status == 201, answer
    session = str(answer["data"]["id"])
    await set_variable(caller, session, "kept", {"by": None})
    await caller.post(f"/sessions/{session}/state/namespaces", {"namespace": "bag"})
    value = {"namespace": "bag", "slot": "coins", "value": 3}
    status, answer = await caller.post(f"/sessions/{session}/state/values/write", value)
    assert status == 200, answer
    return session


async def set_variable(caller: Caller, session: str, key: str, value: object) -> None:
    body = {"scope": "branch", "session_id": session, "key": key, "value": value}
    status, answer = await caller.send("PUT", "/variables", json=body)
    assert status in {200, 201}, answer


async def read_states(served: Served, floors: list[str]) -> list[TurnState]:
    """The states after turns; writers are named by their turn."""
    async with served.product.database.connection() as tx:
        states = [await turn_state_store.find_state(tx, TurnId(UUID(floor))) for floor in floors]
    found = [state for state in states if state is not None]
    names: dict[str | None, str | None] = {None: None}
    names |= {state.reply_id: f"turn {number}" for number, state in enumerate(found)}
    return [
        replace(
            state,
            reply_id=str(names[state.reply_id]),
            writes=tuple(replace(w, old_writer=names[w.old_writer]) for w in state.writes),
        )
        for state in found
    ]


async def test_plain_and_other_commits_leave_the_same_state(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    left: list[list[TurnState]] = []
    for more in ("", SUMMARY):
        session = await create_writing_session(served, caller)
        switchable.script([Say("One." + more)], [Say("Two." + more)])
        floors = [str((await respond(caller, session, text))["floor_id"]) for text in ("A", "B")]
        left.append(await read_states(served, floors))
    plain, other = left
    assert plain == other
    assert plain[1].variables["n"] == "2"
    assert plain[1].variables["kept"] == {"by": None}
    assert {write.key: write.old_writer for write in plain[1].writes} == dict.fromkeys(
        ("n", "mood", "list"), "turn 0"
    )
    assert [write.was_missing for write in plain[0].writes] == [True] * 3
    assert plain[1].session_state["bag/coins"]


async def test_what_is_set_while_the_model_speaks_is_in_the_state_of_the_turn(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session = await create_counting_session(served, caller)
    hold = Hold()
    switchable.script([Say("Well,"), hold, Say(" then.")], [Say("Again.")])

    async with held_turn(caller, session, hold) as run:
        await set_variable(caller, session, "n", 40)
        await set_variable(caller, session, "weather", "rain")

    (state,) = await read_states(served, [run["floor_id"]])
    assert state.variables == {"n": "1", "weather": "rain"}
    assert [(write.key, write.old_value) for write in state.writes] == [("n", 40)]
    await regenerate(caller, session)
    assert await read_variables(caller, session) == {"n": "41", "weather": "rain"}


async def test_a_story_that_is_archived_while_a_turn_waits_gets_no_turn(
    served: Served, caller: Caller
) -> None:
    session = await create_counting_session(served, caller)
    await respond(caller, session, "A")
    database, ids = served.product.database, [SessionId(UUID(session))]

    async with database.transaction() as tx:
        await hold_open(tx)
        await tx.execute("SELECT FROM sessions WHERE id = $1 FOR UPDATE", ids[0])
        responding = asyncio.create_task(
            caller.post(f"/sessions/{session}/respond", {"message": "B"})
        )
        await wait_for_lock_waiter(database)
        await set_archived(tx, AccountId(UUID(caller.id)), ids, archived=True)

    status, answer = await responding
    assert (status, answer["error"]["code"]) == (409, "session_archived")


async def test_a_branch_that_is_deleted_while_a_turn_waits_is_not_made_again(
    served: Served, caller: Caller
) -> None:
    session = await create_counting_session(served, caller)
    floor = (await respond(caller, session, "A"))["floor_id"]
    await caller.post(f"/floors/{floor}/branch", {"branch_id": "river"})
    database, session_id = served.product.database, SessionId(UUID(session))

    async with database.transaction() as tx:
        await hold_open(tx)
        await tx.execute("SELECT FROM sessions WHERE id = $1 FOR UPDATE", session_id)
        body = {"message": "B", "branch_id": "river"}
        responding = asyncio.create_task(caller.post(f"/sessions/{session}/respond", body))
        await wait_for_lock_waiter(database)
        branch = await find_branch(tx, session_id, "river")
        assert branch is not None
        await delete_branches(tx, session_id, [branch.id])

    status, answer = await responding
    assert (status, answer["error"]["code"]) == (404, "branch_not_found")
