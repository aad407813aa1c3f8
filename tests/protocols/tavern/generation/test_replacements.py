"""Regenerate and retry: the old turn stays until the new one commits; state follows the live one.

Seed 004; issue 14 §1.
"""

import asyncio

import pytest
from tests.loose_json import JsonObject
from tests.protocols.switchable_model import SwitchableModel, fail_at_once
from tests.protocols.tavern.generation.turn_calls import (
    create_counting_session,
    find_input,
    list_sent,
    list_texts,
    read_story,
    read_variables,
    regenerate,
    respond,
    retry,
)
from tests.protocols.tavern.story_calls import (
    create_character,
    create_preset,
    create_session,
    read_floors,
)
from tests.serving import Caller, Served, broken_rules_of

from yarrow.llm.errors import ModelError, ModelFailed, ModelTimeout
from yarrow.llm.scripted import Hold, Say, Spend

WAYS = ["regenerate", "retry", "edit"]


def make_call(way: str, session: str, floor: JsonObject) -> tuple[str, JsonObject]:
    """The path and body that replace this floor."""
    return {
        "regenerate": (f"/sessions/{session}/regenerate", {}),
        "retry": (f"/floors/{floor['id']}/retry", {}),
        "edit": (f"/messages/{find_input(floor)}/edit-and-regenerate", {"content": "edited"}),
    }[way]


async def put_variable(caller: Caller, session: str, key: str, value: object) -> None:
    status, answer = await caller.send(
        "PUT",
        "/variables",
        json={"scope": "branch", "session_id": session, "branch_id": "main"}
        | {"key": key, "value": value},
    )
    assert status in (200, 201), answer


async def test_a_counter_is_the_same_over_respond_regenerate_and_retry(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    broken_before = await broken_rules_of(served.product.database)
    session = await create_counting_session(served, caller)
    model = switchable.script(*([Say(f"reply {number}")] for number in range(4)))
    await respond(caller, session, "a")
    await respond(caller, session, "b")

    new = await regenerate(caller, session)
    await retry(caller, new["floor_id"])

    assert [list_sent(request)[0] for request in model.requests] == ["n=1", "n=2", "n=2", "n=2"]
    assert await read_variables(caller, session) == {"n": "2"}
    assert await broken_rules_of(served.product.database) == broken_before


async def test_a_regenerated_floor_has_the_number_of_the_old_one(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    model = switchable.script([Say("first")], [Say("second")], [Say("better"), Spend(5, 2)])
    await respond(caller, session, "a")
    old = await respond(caller, session, "b")

    new = await regenerate(caller, session)

    floors = await read_floors(caller, session)
    assert new == {
        "floor_id": floors[1]["id"],
        "floor_no": 1,
        "previous_floor_id": old["floor_id"],
        "generated_text": "better",
        "summaries": [],
        "total_usage": {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7},
        "memory": {"mode": "sync", "status": "applied", "job_id": None},
        "final_state": "committed",
    }
    assert list_texts(floors) == [["a", "first"], ["b", "better"]]
    assert list_sent(model.requests[2])[-3:] == ["a", "first", "b"]
    _, shown = await caller.get(f"/floors/{old['floor_id']}")
    assert shown["data"]["superseded_by_floor_id"] == new["floor_id"]
    assert isinstance(shown["data"]["superseded_at"], int)
    assert list_texts([shown["data"]]) == [["b", "second"]]
    assert floors[1]["superseded_at"] is None


async def test_the_reply_that_a_retry_replaces_stays_as_a_page(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    switchable.script([Say("first")], [Say("second")], [Say("third")])
    old = await respond(caller, session, "a")

    await retry(caller, old["floor_id"])
    new = await retry(caller, old["floor_id"])

    (floor,) = await read_floors(caller, session)
    assert (new["floor_id"], new["floor_no"], new["branch_id"]) == (old["floor_id"], 0, "main")
    outputs = [page for page in floor["pages"] if page["page_kind"] == "output"]
    assert [(page["message"]["content"], page["is_active"]) for page in outputs] == [
        ("first", False),
        ("second", False),
        ("third", True),
    ]
    assert len({page["slot_id"] for page in outputs}) == 1
    assert list_texts([floor]) == [["a", "third"]]


async def test_a_floor_counts_the_tokens_of_its_active_page(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    switchable.script([Say("first"), Spend(10, 2)], [Say("second"), Spend(30, 4)])
    floor_id = (await respond(caller, session, "a"))["floor_id"]

    await retry(caller, floor_id)
    (after_retry,) = await read_floors(caller, session)
    first = next(page for page in after_retry["pages"] if page["message"]["content"] == "first")
    await caller.send("PATCH", f"/pages/{first['id']}/activate")
    (after_choice,) = await read_floors(caller, session)

    assert (after_retry["token_in"], after_retry["token_out"]) == (30, 4)
    assert (after_choice["token_in"], after_choice["token_out"]) == (10, 2)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("error", [ModelFailed(500), ModelTimeout(100)])
async def test_a_failed_attempt_loses_nothing(
    served: Served, caller: Caller, switchable: SwitchableModel, way: str, error: ModelError
) -> None:
    broken_before = await broken_rules_of(served.product.database)
    session = await create_counting_session(served, caller)
    switchable.script([Say("one")], [Say("two")], [Say("half a"), fail_at_once(error)])
    await respond(caller, session, "a")
    await respond(caller, session, "b")
    before = await read_story(caller, session)

    status, _ = await caller.post(*make_call(way, session, before["main"]["floors"][1]))

    assert status in (500, 504)
    assert await read_story(caller, session) == before
    assert await broken_rules_of(served.product.database) == broken_before


@pytest.mark.parametrize("way", WAYS)
async def test_the_old_turn_is_there_while_the_new_one_is_made(
    served: Served, caller: Caller, switchable: SwitchableModel, way: str
) -> None:
    session = await create_counting_session(served, caller)
    hold = Hold()
    model = switchable.script([Say("one")], [Say("two")], [Say("half"), hold], [Say("three")])
    await respond(caller, session, "a")
    await respond(caller, session, "b")
    before = await read_story(caller, session)
    call = make_call(way, session, before["main"]["floors"][1])

    leaving = asyncio.create_task(caller.post(*call))
    await hold.reached.wait()
    meanwhile = await read_story(caller, session)
    leaving.cancel()
    while model.active:
        await asyncio.sleep(0.01)

    assert meanwhile == before
    assert await read_story(caller, session) == before
    for _ in range(200):
        status, answer = await caller.post(f"/sessions/{session}/respond", {"message": "c"})
        if status == 200:
            break
        await asyncio.sleep(0.01)
    assert answer["data"]["floor_no"] == 2
    assert list_sent(model.requests[-1]) == ["n=3", "a", "one", "b", "two", "c"]


async def test_what_only_the_replaced_turn_wrote_is_gone(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session = await create_counting_session(served, caller)
    switchable.script([Say("one")], [Say("two")])
    await respond(caller, session, "a")
    plain = await create_preset(served, caller)
    await caller.send("PATCH", f"/sessions/{session}", json={"preset_id": str(plain.ref.id)})

    await regenerate(caller, session)

    assert await read_variables(caller, session) == {}


@pytest.mark.parametrize("way", WAYS)
async def test_what_a_person_set_survives_the_replacement(
    served: Served, caller: Caller, switchable: SwitchableModel, way: str
) -> None:
    session = await create_counting_session(served, caller)
    model = switchable.script([Say("one")], [Say("two")])
    await respond(caller, session, "a")
    await put_variable(caller, session, "mood", "calm")
    await put_variable(caller, session, "n", 7)
    (floor,) = await read_floors(caller, session)

    status, answer = await caller.post(*make_call(way, session, floor))

    assert (status, list_sent(model.requests[1])[0]) == (200, "n=8")
    branch = answer["data"].get("branch_id", "main")
    assert await read_variables(caller, session, branch) == {"n": "8", "mood": "calm"}


async def test_a_page_of_the_newest_floor_brings_its_state_back(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session = await create_counting_session(served, caller)
    model = switchable.script([Say("one")], [Say("other")], [Say("next")], [Say("last")])
    floor = (await respond(caller, session, "a"))["floor_id"]
    plain = await create_preset(served, caller)
    await caller.send("PATCH", f"/sessions/{session}", json={"preset_id": str(plain.ref.id)})
    await retry(caller, floor)
    assert await read_variables(caller, session) == {}
    pages = (await read_floors(caller, session))[0]["pages"]

    await caller.send("PATCH", f"/pages/{pages[1]['id']}/activate")
    with_state = await read_variables(caller, session)
    await respond(caller, session, "b")
    await caller.send("PATCH", f"/pages/{pages[2]['id']}/activate")

    assert with_state == {"n": "1"}
    assert list_sent(model.requests[2])[-3:] == ["a", "one", "b"]
    assert await read_variables(caller, session) == {"n": "1"}
    assert list_texts(await read_floors(caller, session)) == [["a", "other"], ["b", "next"]]


async def test_no_page_is_chosen_while_the_branch_generates(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    hold = Hold()
    switchable.script([Say("one")], [Say("two")], [hold, Say("three")])
    floor = (await respond(caller, session, "a"))["floor_id"]
    await retry(caller, floor)
    pages = (await read_floors(caller, session))[0]["pages"]
    running = asyncio.create_task(respond(caller, session, "b"))
    await hold.reached.wait()

    status, answer = await caller.send("PATCH", f"/pages/{pages[1]['id']}/activate")
    hold.release.set()
    await running

    assert (status, answer["error"]["code"]) == (409, "generation_conflict")


async def test_an_older_floor_is_retried_against_what_came_before_it(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session = await create_counting_session(served, caller)
    model = switchable.script(*([Say(text)] for text in ("one", "two", "three", "zwei")))
    for text in ("a", "b", "c"):
        await respond(caller, session, text)
    floors = await read_floors(caller, session)

    again = await retry(caller, floors[1]["id"])

    assert list_sent(model.requests[3]) == ["n=2", "a", "one", "b"]
    assert again["floor_no"] == 1
    assert list_texts(await read_floors(caller, session)) == [
        ["a", "one"],
        ["b", "zwei"],
        ["c", "three"],
    ]
    assert await read_variables(caller, session) == {"n": "3"}


async def test_the_newest_floor_of_any_branch_is_regenerated(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session = await create_counting_session(served, caller)
    model = switchable.script(*([Say(text)] for text in ("one", "two", "side", "side again")))
    first = await respond(caller, session, "a")
    await respond(caller, session, "b")
    body = {"branch_id": "alt", "source_floor_id": first["floor_id"]}
    await respond(caller, session, "c", **body)
    main_before = (await read_story(caller, session))["main"]

    await regenerate(caller, session, branch_id="alt")

    story = await read_story(caller, session)
    assert list_texts(story["alt"]["floors"]) == [["a", "one"], ["c", "side again"]]
    assert list_sent(model.requests[3]) == ["n=2", "a", "one", "c"]
    assert story["alt"]["variables"] == {"n": "2"}
    assert story["main"] == main_before


async def test_a_branch_forked_from_a_replaced_floor_keeps_its_line(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    model = switchable.script(*([Say(text)] for text in ("one", "uno", "side")))
    old = await respond(caller, session, "a")
    await caller.post(f"/floors/{old['floor_id']}/branch", {"branch_id": "alt"})
    await regenerate(caller, session)

    await respond(caller, session, "b", branch_id="alt")

    assert list_sent(model.requests[2])[-3:] == ["a", "one", "b"]
    assert list_texts(await read_floors(caller, session)) == [["a", "uno"]]


async def test_there_is_nothing_to_regenerate(served: Served, caller: Caller) -> None:
    empty = (await create_session(caller))["id"]
    character = await create_character(served, caller)
    greeted = (await create_session(caller, character_id=str(character.ref.id)))["id"]
    (greeting,) = await read_floors(caller, greeted)
    await caller.post(f"/floors/{greeting['id']}/branch", {"branch_id": "alt"})

    answers = [
        await caller.post(f"/sessions/{empty}/regenerate"),
        await caller.post(f"/sessions/{greeted}/regenerate"),
        await caller.post(f"/floors/{greeting['id']}/retry"),
        await caller.post(f"/sessions/{greeted}/regenerate", {"branch_id": "alt"}),
        await caller.post(f"/sessions/{greeted}/regenerate", {"branch_id": "nowhere"}),
        await caller.post(f"/floors/{greeted}/retry"),
    ]

    assert [(status, answer["error"]["code"]) for status, answer in answers] == [
        (404, "no_floor_to_regenerate"),
        (404, "no_user_message"),
        (404, "no_user_message"),
        (404, "no_floor_to_regenerate"),
        (404, "branch_not_found"),
        (404, "floor_not_found"),
    ]


async def test_only_committed_floors_are_retried(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    hold = Hold()
    switchable.script(
        [Say("one")], [Say("uno")], [Say("half"), hold, fail_at_once(ModelFailed(500))]
    )
    old = await respond(caller, session, "a")
    await regenerate(caller, session)
    stream = caller.http.post(
        f"{caller.url}/sessions/{session}/respond/stream",
        json={"message": "b", "branch_id": "alt"},
        headers=caller.headers,
    )
    async with stream as answer:
        first = (await answer.content.readuntil(b"\n\n")).decode()
        hold.release.set()
        await answer.read()
    failed = first.partition('"floor_id":"')[2][:36]

    answers = [await caller.post(f"/floors/{floor}/retry") for floor in (old["floor_id"], failed)]

    assert [(status, answer["error"]["code"]) for status, answer in answers] == [
        (409, "invalid_state")
    ] * 2
    assert answers[1][1]["error"]["message"] == "Floor is not committed"
    _, shown = await caller.get(f"/floors/{failed}")
    assert shown["data"]["state"] == "failed"


async def test_archived_stories_are_not_replaced(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    model = switchable.script([Say("one")])
    await respond(caller, session, "a")
    (floor,) = await read_floors(caller, session)
    await caller.send("PATCH", f"/sessions/{session}", json={"status": "archived"})

    answers = [await caller.post(*make_call(way, session, floor)) for way in WAYS]

    assert {answer["error"]["code"] for _, answer in answers} == {"session_archived"}
    assert len(model.requests) == 1


@pytest.mark.parametrize("way", WAYS)
async def test_a_repeated_replacement_gives_the_first_answer(
    caller: Caller, switchable: SwitchableModel, way: str
) -> None:
    session = (await create_session(caller))["id"]
    model = switchable.script([Say("one")], [Say("two")])
    await respond(caller, session, "a")
    (floor,) = await read_floors(caller, session)
    path, body = make_call(way, session, floor)
    headers = caller.headers | {"Idempotency-Key": "again"}

    first = await caller.send("POST", path, json=body, headers=headers)
    again = await caller.send("POST", path, json=body, headers=headers)
    params = {"generation_params": {"temperature": 1}}
    other = await caller.send("POST", path, json=body | params, headers=headers)

    assert first[0] == 200
    assert again == first
    assert len(model.requests) == 2
    assert (other[0], other[1]["error"]["code"]) == (409, "idempotency_conflict")


@pytest.mark.parametrize("way", ["regenerate", "retry"])
async def test_a_busy_branch_refuses_replacements(
    caller: Caller, switchable: SwitchableModel, way: str
) -> None:
    session = (await create_session(caller))["id"]
    hold = Hold()
    model = switchable.script([Say("one")], [hold, Say("two")])
    await respond(caller, session, "a")
    (floor,) = await read_floors(caller, session)
    running = asyncio.create_task(respond(caller, session, "b"))
    await hold.reached.wait()

    status, answer = await caller.post(*make_call(way, session, floor))
    hold.release.set()
    await running

    assert (status, answer["error"]["code"]) == (409, "generation_conflict")
    assert len(model.requests) == 2


async def test_replacements_of_one_floor_at_once_make_one(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    switchable.script([Say("one")])
    await respond(caller, session, "a")
    (floor,) = await read_floors(caller, session)

    answers = await asyncio.gather(
        *(caller.post(*make_call(way, session, floor)) for way in ["regenerate", "retry"] * 3)
    )

    codes = {answer["error"]["code"] for status, answer in answers if status != 200}
    assert codes <= {"generation_conflict", "generation_target_stale", "invalid_state"}
    assert any(status == 200 for status, _ in answers)
    assert [floor["floor_no"] for floor in await read_floors(caller, session)] == [0]


@pytest.mark.parametrize(
    "body",
    [
        {"message": "no such field"},
        {"confirmed_execution_ids": "all"},
        {"config": {"maxRetries": -1}},
        {"generation_params": {"top_p": 1.1}},
    ],
)
async def test_bad_bodies_are_refused_before_the_model(
    caller: Caller, switchable: SwitchableModel, body: JsonObject
) -> None:
    session = (await create_session(caller))["id"]
    model = switchable.script([Say("one")])
    await respond(caller, session, "a")
    before = await read_story(caller, session)
    (floor,) = before["main"]["floors"]

    for way in WAYS:
        path, right = make_call(way, session, floor)
        status, answer = await caller.post(path, right | body)
        assert (status, answer["error"]["code"]) == (400, "validation_error")

    assert len(model.requests) == 1
    assert await read_story(caller, session) == before
