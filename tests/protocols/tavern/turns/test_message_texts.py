"""The text of a message is changed by hand; the turn is not run again."""

from uuid import uuid4

import pytest
from tests.loose_json import JsonObject, decode_json
from tests.protocols.switchable_model import SwitchableModel
from tests.protocols.tavern.generation.turn_calls import (
    create_counting_session,
    held_turn,
    list_sent,
    read_variables,
    respond,
    retry,
)
from tests.protocols.tavern.story_calls import (
    create_session,
    import_lines,
    read_floors,
    reply_line,
    user_line,
)
from tests.serving import Caller, Served

from yarrow.llm.scripted import Hold, Say

HIDDEN = {"is_hidden": True, "expected_content": "Welcome."}


def find_reply(floor: JsonObject) -> JsonObject:
    return dict(floor["messages"][-1])


async def change(caller: Caller, message: JsonObject, body: object) -> tuple[int, JsonObject]:
    status, answer = await caller.send("PATCH", f"/messages/{message['id']}", json=body)
    return status, dict(answer)


async def test_later_prompts_read_the_changed_text(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session = await create_counting_session(served, caller)
    model = switchable.script([Say("one")], [Say("two")], [Say("three")])
    await respond(caller, session, "a")
    await respond(caller, session, "b")
    first = find_reply((await read_floors(caller, session))[0])

    status, answer = await change(caller, first, {"content": "ONE"})

    assert (status, answer["data"]["content"]) == (200, "ONE")
    assert answer["data"]["id"] == first["id"]
    await respond(caller, session, "c")
    assert list_sent(model.requests[2]) == ["n=3", "a", "ONE", "b", "two", "c"]
    assert await read_variables(caller, session) == {"n": "3"}


async def test_only_the_page_that_is_changed_has_the_new_text(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    switchable.script([Say("one")], [Say("uno")])
    floor = (await respond(caller, session, "a"))["floor_id"]
    await retry(caller, floor)
    shown = find_reply((await read_floors(caller, session))[0])

    await change(caller, shown, {"content": "UNO"})

    (after,) = await read_floors(caller, session)
    texts = [page["message"]["content"] for page in after["pages"]]
    assert texts == ["a", "one", "UNO"]
    url = f"{caller.url}/export/chat/{session}"
    async with caller.http.get(url, headers=caller.headers) as exported:
        assert '"UNO"' in await exported.text()


async def test_a_change_of_a_text_that_was_changed_meanwhile_is_refused(caller: Caller) -> None:
    session = await import_lines(caller, [user_line("hi"), reply_line("yes")])
    reply = find_reply((await read_floors(caller, session))[0])
    first = {"content": "of the first", "expected_content": "yes"}
    second = {"content": "of the second", "expected_content": "yes"}

    assert (await change(caller, reply, first))[0] == 200
    status, answer = await change(caller, reply, second)

    assert (status, answer["error"]["code"]) == (409, "message_changed")
    assert find_reply((await read_floors(caller, session))[0])["content"] == "of the first"


async def test_a_changed_line_has_nothing_of_its_old_text(caller: Caller) -> None:
    extra = {"display_text": "alt", "model": "m"}
    sent = {"send_date": "2024-06-05T03:05:05.123Z"}
    swipes = {"swipes": ["no", "yes"], "swipe_id": 1} | sent
    question = user_line("hi", extra=extra, **swipes, swipe_info=[{"extra": extra}] * 2)
    reply = reply_line("yes", extra=extra, **swipes, swipe_info=[{"extra": extra}] * 2)
    session = await import_lines(caller, [question, reply])
    (floor,) = await read_floors(caller, session)

    for message in floor["messages"]:
        assert (await change(caller, message, {"content": "new"}))[0] == 200

    url = f"{caller.url}/export/chat/{session}"
    async with caller.http.get(url, headers=caller.headers) as exported:
        _, asked, answered = map(decode_json, (await exported.text()).splitlines())
    assert asked == user_line("new", extra={"model": "m"}, **sent)
    info = [{"extra": extra}, {"extra": {"model": "m"}}]
    line = reply_line("new", extra={"model": "m"}, swipes=["no", "new"], swipe_id=1, **sent)
    assert answered == line | {"swipe_info": info}


async def test_a_changed_page_leaves_the_translation_of_another_one(
    caller: Caller, switchable: SwitchableModel
) -> None:
    switchable.script([Say("uno")])
    extra = {"display_text": "alt", "model": "m"}
    session = await import_lines(caller, [user_line("hi"), reply_line("yes", extra=extra)])
    (floor,) = await read_floors(caller, session)
    await change(caller, find_reply(floor), {"content": "yes"})
    await retry(caller, floor["id"])
    (floor,) = await read_floors(caller, session)

    assert (await change(caller, find_reply(floor), {"content": "UNO"}))[0] == 200

    url = f"{caller.url}/export/chat/{session}"
    async with caller.http.get(url, headers=caller.headers) as exported:
        line = decode_json((await exported.text()).splitlines()[-1])
    assert (line["swipes"], line["swipe_info"][0]["extra"]) == (["yes", "UNO"], extra)


async def test_a_branch_that_is_being_written_keeps_its_texts(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    hold = Hold()
    switchable.script([Say("one")], [hold, Say("two")])
    await respond(caller, session, "a")
    first = find_reply((await read_floors(caller, session))[0])
    async with held_turn(caller, session, hold):
        status, answer = await change(caller, first, {"content": "ONE"})

    assert (status, answer["error"]["code"]) == (409, "generation_conflict")
    assert find_reply((await read_floors(caller, session))[0])["content"] == "one"


@pytest.mark.parametrize("body", [{}, {"content": ""}, {"content": "x", "is_hidden": True}, HIDDEN])
async def test_a_change_is_one_thing(caller: Caller, body: object) -> None:
    session = await import_lines(caller, [reply_line("Welcome.")])
    greeting = find_reply((await read_floors(caller, session))[0])

    status, _ = await change(caller, greeting, body)

    assert status == 400
    assert find_reply((await read_floors(caller, session))[0])["content"] == "Welcome."


async def test_messages_of_others_stay(served: Served, caller: Caller) -> None:
    other = await served.account()
    session = await import_lines(other, [reply_line("Welcome.")])
    greeting = find_reply((await read_floors(other, session))[0])

    for message in (greeting, {"id": str(uuid4())}):
        assert (await change(caller, message, {"content": "Mine."}))[0] == 404
    assert find_reply((await read_floors(other, session))[0])["content"] == "Welcome."
