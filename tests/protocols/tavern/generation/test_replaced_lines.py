"""Lines that are answered again: nothing that a person wrote is lost, or sent while it is hidden.

Seed 004; issue 14, heading, §1, §12.
"""

import pytest
from tests.loose_json import JsonObject, decode_json
from tests.protocols.switchable_model import SwitchableModel
from tests.protocols.tavern.generation.turn_calls import (
    create_counting_session,
    find_input,
    list_sent,
    list_texts,
    read_variables,
    regenerate,
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

from yarrow.llm.scripted import Say

HEADER = {"user_name": "Ada", "character_name": "Mira", "chat_metadata": {}}
BOBS_LINE = user_line(
    "I am Bob.",
    name="Bob",
    send_date="2024-06-05T03:05:05.123Z",
    extra={"file": {"name": "map.png"}},
    force_avatar="User Avatars/bob.png",
)
OF_TEXT = {"mes", "send_date"}
SENT_MS = 1_717_556_705_123


async def read_lines(caller: Caller, session: str, branch: str = "main") -> list[JsonObject]:
    """The lines of the exported chat, without the header."""
    url, query = f"{caller.url}/export/chat/{session}", {"branch_id": branch}
    async with caller.http.get(url, params=query, headers=caller.headers) as answer:
        assert answer.status == 200
        return [decode_json(line) for line in (await answer.text()).splitlines()[1:]]


async def count_left_out(caller: Caller, session: str) -> int:
    """How many replies the exported chat says that it lacks."""
    url = f"{caller.url}/export/chat/{session}"
    async with caller.http.get(url, headers=caller.headers) as answer:
        return int(answer.headers.get("X-Replies-Left-Out", 0))


async def test_a_regenerated_line_keeps_who_said_it_and_when(
    caller: Caller, switchable: SwitchableModel
) -> None:
    switchable.script([Say("Hello, Bob.")])
    session = await import_lines(caller, [HEADER, BOBS_LINE, reply_line("Who?")])

    await regenerate(caller, session)

    [line, _] = await read_lines(caller, session)
    assert {name: line.get(name) for name in BOBS_LINE} == BOBS_LINE
    [message, _] = (await read_floors(caller, session))[0]["messages"]
    assert (message["name"], message["created_at"]) == ("Bob", SENT_MS)


async def test_an_edited_line_keeps_who_said_it(
    caller: Caller, switchable: SwitchableModel
) -> None:
    switchable.script([Say("Hello, Bobby.")])
    session = await import_lines(caller, [HEADER, BOBS_LINE, reply_line("Who?")])
    message_id = find_input((await read_floors(caller, session))[0])

    status, answer = await caller.post(
        f"/messages/{message_id}/edit-and-regenerate",
        {"content": "I am Bobby.", "branch_id": "bobby"},
    )

    assert status == 200, answer
    [line, _] = await read_lines(caller, session, "bobby")
    assert line["mes"] == "I am Bobby."
    assert {name: line.get(name) for name in BOBS_LINE if name not in OF_TEXT} == {
        name: value for name, value in BOBS_LINE.items() if name not in OF_TEXT
    }


async def test_an_edited_line_has_nothing_of_the_old_text(
    caller: Caller, switchable: SwitchableModel
) -> None:
    switchable.script([Say("Hello, Bobby.")])
    old = {"swipes": ["I am Bob."], "swipe_id": 0, "swipe_info": [{"extra": {}}]}
    extra = {"display_text": "Ich bin Bob.", "file": {"name": "map.png"}}
    session = await import_lines(caller, [HEADER, BOBS_LINE | old | {"extra": extra}])
    message_id = find_input((await read_floors(caller, session))[0])
    path, body = f"/messages/{message_id}/edit-and-regenerate", {"content": "I am Bobby."}

    status, answer = await caller.post(path, body)

    assert status == 200, answer
    [line, _] = await read_lines(caller, session, answer["data"]["branch_id"])
    assert line["extra"] == {"file": {"name": "map.png"}}
    assert not old.keys() & line.keys()
    assert line["send_date"] != BOBS_LINE["send_date"]


@pytest.mark.parametrize("way", ["regenerate", "retry"])
async def test_a_hidden_message_is_not_answered_again(
    caller: Caller, switchable: SwitchableModel, way: str
) -> None:
    model = switchable.script([Say("Yes.")], [Say("Again.")])
    session = (await create_session(caller))["id"]
    floor = await respond(caller, session, "a secret")
    before = await read_floors(caller, session)
    message_id = find_input(before[0])
    await caller.send("PATCH", f"/messages/{message_id}", json={"is_hidden": True})
    path = {"regenerate": f"/sessions/{session}", "retry": f"/floors/{floor['floor_id']}"}[way]

    status, answer = await caller.post(f"{path}/{way}", {})

    assert (status, answer["error"]["code"]) == (409, "missing_effective_user_tail")
    assert len(model.requests) == 1
    assert list_texts(await read_floors(caller, session)) == list_texts(before)
    await caller.send("PATCH", f"/messages/{message_id}", json={"is_hidden": False})
    status, answer = await caller.post(f"{path}/{way}", {})
    assert status == 200, answer


async def test_an_empty_message_is_not_called_hidden(caller: Caller) -> None:
    session = await import_lines(caller, [HEADER, user_line(""), reply_line("Hm.")])

    status, answer = await caller.post(f"/sessions/{session}/regenerate", {})

    assert (status, answer["error"]["code"]) == (404, "no_user_message")


async def test_a_hidden_message_can_be_edited(caller: Caller, switchable: SwitchableModel) -> None:
    model = switchable.script([Say("Yes.")])
    lines = [HEADER, user_line("a secret", is_system=True), reply_line("Hm.")]
    session = await import_lines(caller, lines)
    message_id = find_input((await read_floors(caller, session))[0])

    status, answer = await caller.post(
        f"/messages/{message_id}/edit-and-regenerate", {"content": "no secret"}
    )

    assert status == 200, answer
    assert list_sent(model.requests[0])[-1] == "no secret"
    [shown, _] = (await read_floors(caller, session, answer["data"]["branch_id"]))[0]["messages"]
    assert not shown["is_hidden"]


async def test_a_retry_keeps_the_lines_beside_the_last_reply(
    caller: Caller, switchable: SwitchableModel
) -> None:
    model = switchable.script([Say("Tom answers again.")], [Say("Later.")])
    lines = [
        user_line("Who is there?"),
        reply_line("A door opens.", name="System", extra={"type": "narrator"}),
        reply_line("Me.", name="Mira"),
        reply_line("And me.", name="Tom"),
        reply_line("It closes.", name="System", extra={"type": "narrator"}),
        reply_line("a note", name="Note", is_system=True, extra={"type": "comment"}),
    ]
    session = await import_lines(caller, [HEADER, *lines])
    floor = (await read_floors(caller, session))[0]

    await retry(caller, floor["id"])

    told = ["Who is there?", "A door opens.", "Me.", "Tom answers again.", "It closes."]
    shown = (await read_floors(caller, session))[0]["messages"]
    assert [each["content"] for each in shown if not each["is_hidden"]] == told
    assert [each["name"] for each in shown][2:4] == ["Mira", "Tom"]
    exported = await read_lines(caller, session)
    assert [line["mes"] for line in exported] == [*told, "a note"]
    assert exported[3]["swipes"] == ["And me.", "Tom answers again."]
    assert (exported[3]["name"], exported[3].get("extra", {}).get("type")) == ("Tom", None)
    await respond(caller, session, "Go on.")
    sent = "\n\n".join(list_sent(model.requests[1])).split("\n\n")
    named = [told[0], told[1], f"Mira: {told[2]}", f"Tom: {told[3]}", told[4]]
    assert [text for text in sent if text in named] == named
    copy = await import_lines(caller, [HEADER, *exported])
    [again] = await read_floors(caller, copy)
    assert [each["content"] for each in again["messages"]] == [*told, "a note"]


async def test_a_regenerated_turn_keeps_the_lines_beside_the_last_reply(
    caller: Caller, switchable: SwitchableModel
) -> None:
    model = switchable.script([Say("Tom again.")], [Say("Tom, a third time.")], [Say("Later.")])
    lines = [
        user_line("Who is there?"),
        reply_line("Me.", name="Mira", swipes=["I.", "Me."], swipe_id=1),
        reply_line("And me.", name="Tom"),
        reply_line("A door closes.", name="System", extra={"type": "narrator"}),
        reply_line("a note", name="Note", is_system=True, extra={"type": "comment"}),
    ]
    session = await import_lines(caller, [HEADER, *lines])
    before = await read_lines(caller, session)
    [old] = await read_floors(caller, session)

    await regenerate(caller, session)
    await regenerate(caller, session)

    exported = await read_lines(caller, session)
    assert [(line["name"], line["mes"]) for line in exported] == [
        ("Ada", "Who is there?"),
        ("Mira", "Me."),
        ("Tom", "Tom, a third time."),
        ("System", "A door closes."),
        ("Note", "a note"),
    ]
    assert [exported[n] for n in (1, 3, 4)] == [before[n] for n in (1, 3, 4)]
    assert await count_left_out(caller, session) == 2  # And me. Tom again.
    status, answer = await caller.get(f"/floors/{old['id']}")
    assert status == 200
    assert list_texts([answer["data"]]) == list_texts([old])
    await respond(caller, session, "Go on.")
    sent = "\n\n".join(list_sent(model.requests[2])).split("\n\n")
    told = ["Who is there?", "Mira: Me.", "Tom: Tom, a third time.", "A door closes."]
    assert sent[-5:-1] == told


async def test_a_hidden_page_is_the_only_one_that_a_retry_replaces(
    caller: Caller, switchable: SwitchableModel
) -> None:
    switchable.script([Say("Tom again.")], [Say("Tom, a third time.")])
    lines = [user_line("Who?"), reply_line("Me.", name="Mira"), reply_line("And me.", name="Tom")]
    session = await import_lines(caller, [HEADER, *lines])
    [floor] = await read_floors(caller, session)
    await retry(caller, floor["id"])
    page = (await read_floors(caller, session))[0]["messages"][-1]
    await caller.send("PATCH", f"/messages/{page['id']}", json={"is_hidden": True})

    await retry(caller, floor["id"])

    texts = list_texts(await read_floors(caller, session))
    assert texts == [["Who?", "Me.", "Tom, a third time."]]


async def test_the_old_reply_comes_back_among_the_lines_beside_it(
    caller: Caller, switchable: SwitchableModel
) -> None:
    switchable.script([Say("Tom answers again.")])
    lines = [user_line("Who?"), reply_line("Me.", name="Mira"), reply_line("And me.", name="Tom")]
    session = await import_lines(caller, [HEADER, *lines])
    [before] = await read_floors(caller, session)
    last = before["messages"][-1]["page_id"]
    await retry(caller, before["id"])
    [floor] = await read_floors(caller, session)
    assert list_texts([floor]) == [["Who?", "Me.", "Tom answers again."]]
    shown = [page["message"]["content"] for page in floor["pages"]]
    assert sorted(shown) == ["And me.", "Me.", "Tom answers again.", "Who?"]

    status, _ = await caller.send("PATCH", f"/pages/{last}/activate")

    assert status == 200
    assert list_texts(await read_floors(caller, session)) == list_texts([before])


async def test_pages_of_a_reply_before_a_narrators_line_have_their_own_state(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session = await create_counting_session(served, caller)
    preset = (await caller.get(f"/sessions/{session}"))[1]["data"]["preset_id"]
    switchable.script([Say("Me again.")])
    header = HEADER | {"chat_metadata": {"variables": {"n": 4}}}
    lines = [user_line("Who?"), reply_line("Me."), reply_line("Ah.", extra={"type": "narrator"})]
    session = await import_lines(caller, [header, *lines])
    await caller.send("PATCH", f"/sessions/{session}", json={"preset_id": preset})
    [before] = await read_floors(caller, session)
    page = before["messages"][1]["page_id"]

    await retry(caller, before["id"])
    after = await read_variables(caller, session)
    await caller.send("PATCH", f"/pages/{page}/activate")

    assert after["n"] == "5"
    assert await read_variables(caller, session) == {"n": 4}
    assert list_texts(await read_floors(caller, session)) == list_texts([before])


async def test_a_narrators_line_is_never_replaced(
    caller: Caller, switchable: SwitchableModel
) -> None:
    switchable.script([Say("Me.")])
    bird = reply_line("A bird sings.", extra={"type": "narrator"})
    session = await import_lines(caller, [HEADER, user_line("Who?"), bird])

    await retry(caller, (await read_floors(caller, session))[0]["id"])

    lines = await read_lines(caller, session)
    kinds = [(line["mes"], line["extra"].get("type")) for line in lines[1:]]
    assert kinds == [("A bird sings.", "narrator"), ("Me.", None)]
