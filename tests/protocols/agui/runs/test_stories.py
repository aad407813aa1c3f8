"""An AG-UI run on a story's session is a turn of the story."""

from pathlib import Path

import pytest
from tests.loose_json import JsonObject
from tests.protocols.agui.runs.test_stock_posts import stream
from tests.protocols.switchable_model import SwitchableModel
from tests.protocols.tavern.generation.turn_calls import (
    create_counting_session,
    find_input,
    held_turn,
    list_texts,
    read_variables,
    respond,
)
from tests.protocols.tavern.story_calls import create_character, create_session, read_floors
from tests.serving import RUNS, Caller, Frame, Served, run_body, serving

from yarrow.llm.scripted import Call, Hold, Say, ScriptedModel


async def run_to_end(caller: Caller, body: JsonObject) -> list[Frame]:
    await caller.submit(body)
    return await caller.events(body["threadId"], body["runId"])


async def test_a_run_is_the_next_turn_of_the_story(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session = await create_counting_session(served, caller)
    model = switchable.script([Say("one")], [Say("two")], [Say("three")])
    await respond(caller, session, "first")

    frames = await run_to_end(caller, run_body("second", thread=session))
    third = await respond(caller, session, "third")

    assert frames[-1].type == "RUN_FINISHED"
    floors = await read_floors(caller, session)
    assert [m["content"] for m in floors[1]["messages"]] == ["second", "two"]
    assert third["floor_no"] == 2
    assert [m.text for m in model.requests[1].messages] == ["n=2", "first", "one", "second"]
    assert await read_variables(caller, session) == {"n": "3"}
    assert (await caller.points())["balance"] == 100


async def test_the_card_of_the_story_is_in_the_prompt(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    character = await create_character(served, caller)
    session = (await create_session(caller, character_id=str(character.ref.id)))["id"]
    model = switchable.script([Say("yes")])

    await run_to_end(caller, run_body("Hello?", thread=session))

    assert "A ranger." in "\n".join(m.text for m in model.requests[0].messages)


async def test_a_run_has_a_floor_with_its_result(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    switchable.script([Say("yes")])

    await run_to_end(caller, run_body("Hello?", thread=session))

    (floor,) = await read_floors(caller, session)
    _, run = await caller.get(f"/floors/{floor['id']}/run")
    assert (run["data"]["status"], run["data"]["run_type"]) == ("completed", "respond")


async def test_an_archived_story_takes_no_run(caller: Caller, switchable: SwitchableModel) -> None:
    session = (await create_session(caller))["id"]
    model = switchable.script()
    await caller.send("PATCH", f"/sessions/{session}", json={"status": "archived"})

    status, answer = await caller.post(RUNS, run_body("hi", thread=session))

    assert (status, answer["code"]) == (409, "AGENT_SESSION_ARCHIVED")
    assert model.requests == []
    assert await read_floors(caller, session) == []


async def test_both_protocols_share_the_lock_of_the_branch(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    hold, other_hold = Hold(), Hold()
    switchable.script([hold, Say("one")], [other_hold, Say("two")])
    body = run_body("hi", thread=session)

    async with held_turn(caller, session, hold):
        busy = await caller.post(RUNS, body)
    await caller.submit(body)
    await other_hold.reached.wait()
    conflict = await caller.post(f"/sessions/{session}/respond", {"message": "hi"})
    other_hold.release.set()

    assert (busy[0], busy[1]["code"]) == (409, "AGENT_SESSION_BUSY")
    assert (conflict[0], conflict[1]["error"]["code"]) == (409, "generation_conflict")


@pytest.mark.parametrize("agent", ["assistant", "divination"])
async def test_other_agents_refuse_a_story(
    caller: Caller, switchable: SwitchableModel, agent: str
) -> None:
    session = (await create_session(caller))["id"]

    status, answer = await caller.post(
        f"/api/v1/agents/{agent}/runs",
        run_body("hi", thread=session, forwardedProps={"runtime_mode": "chat"}),
    )

    assert status in {409, 422}, answer
    assert await read_floors(caller, session) == []


async def test_the_storyteller_refuses_what_is_no_story(
    caller: Caller, switchable: SwitchableModel
) -> None:
    chat = run_body("hi")
    await run_to_end(caller, chat)

    path = "/api/v1/agents/storyteller/runs"
    other = await caller.post(path, run_body("hi", thread=chat["threadId"]))
    missing = await caller.post(path, run_body("hi"))

    assert (other[0], other[1]["code"]) == (422, "AGENT_RUNTIME_MODE_INVALID")
    assert (missing[0], missing[1]["code"]) == (404, "AGENT_SESSION_NOT_FOUND")


async def test_options_of_the_client_do_not_reach_the_turn(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    switchable.script([Say("yes")])
    options = {"kind": "edit", "branch": "pending/x", "policy": 7}

    frames = await run_to_end(caller, run_body("hi", thread=session, forwardedProps=options))

    assert frames[-1].type == "RUN_FINISHED"
    assert (await read_floors(caller, session))[0]["branch_id"] == "main"


async def test_what_a_story_does_not_read_is_told(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    switchable.script([Say("yes")])
    context = [{"description": "weather", "value": "rain"}]

    frames = await run_to_end(caller, run_body("hi", thread=session, context=context))

    warnings = [frame.data["value"] for frame in frames if frame.data.get("name") == "WARNING"]
    assert [warning["code"] for warning in warnings] == ["STORY_INPUT_IGNORED"]


async def test_a_priced_story_is_charged_once(dsn: str, tmp_path: Path) -> None:
    model = ScriptedModel([Say("yes")])
    async with serving(dsn, model=model, data_dir=tmp_path, storyteller_price=7) as served:
        caller = await served.account()
        session = (await create_session(caller))["id"]
        body = run_body("hi", thread=session)

        await run_to_end(caller, body)
        await run_to_end(caller, body)

        assert (await caller.points())["balance"] == 93


def message(name: str, text: str, role: str = "user") -> JsonObject:
    return {"id": name, "role": role, "content": text}


async def test_a_message_that_is_sent_again_replaces_its_turn(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session = await create_counting_session(served, caller)
    model = switchable.script([Say("one")], [Say("another")])
    await stream(caller, run_body(thread=session, messages=[message("m1", "first")]))

    await stream(caller, run_body(thread=session, messages=[message("m1", "first")]))

    assert list_texts(await read_floors(caller, session)) == [["first", "another"]]
    assert [m.text for m in model.requests[1].messages] == ["n=1", "first"]
    assert await read_variables(caller, session) == {"n": "1"}


async def test_an_edited_message_replaces_its_turn_and_those_behind_it(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session = await create_counting_session(served, caller)
    earlier = ([Say("zero")], [Say("one")], [Call("set_variable", {"name": "gold", "value": 1})])
    model = switchable.script(*earlier, [Say("two")], [Say("new")], [Say("next")])
    await respond(caller, session, "start")
    await stream(caller, run_body(thread=session, messages=[message("m1", "m1")]))
    await respond(caller, session, "m2", config={"enableTools": True})
    body = {"scope": "global", "scope_id": "global", "key": "own", "value": 1}
    await caller.send("PUT", "/variables", json=body)

    await stream(caller, run_body(thread=session, messages=[message("m1", "edited")]))
    after = await read_variables(caller, session)
    await respond(caller, session, "on")

    texts = [["start", "zero"], ["edited", "new"], ["on", "next"]]
    assert list_texts(await read_floors(caller, session)) == texts
    assert [m.text for m in model.requests[4].messages] == ["n=2", "start", "zero", "edited"]
    assert after == {"n": "2", "own": 1}


async def test_a_run_that_would_repeat_an_unsafe_call_is_refused(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    model = switchable.script([Call("create_character", {"name": "Ada"})], [Say("one")])
    await respond(caller, session, "a", config={"enableTools": True})
    (floor,) = await read_floors(caller, session)
    again = message(find_input(floor), "a")
    headers = caller.headers | {"Accept": "text/event-stream"}

    status, answer = await caller.send(
        "POST", RUNS, json=run_body(thread=session, messages=[again]), headers=headers
    )

    assert (status, answer["code"], len(model.requests)) == (409, "AGENT_CONFLICT", 2)
