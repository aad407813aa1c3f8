"""Sessions take a copy of a character or persona instead of an id. Issue 14 §12."""

import pytest
from tests.loose_json import JsonObject
from tests.protocols.switchable_model import SwitchableModel
from tests.protocols.tavern.generation.turn_calls import list_sent, respond
from tests.protocols.tavern.story_calls import CARD, create_character, create_session, read_floors
from tests.serving import Caller, Served

from yarrow.llm.scripted import Say

MIRA: JsonObject = {
    "name": "Mira",
    "description": "A ranger of {{user}}.",
    "primaryGreeting": "{{char}} nods at {{user}}.",
    "alternateGreetings": ["Hello."],
    "systemPrompt": "You are {{char}}.",
    "characterBook": {"entries": [{"keys": ["owl"], "content": "OWL LORE", "enabled": True}]},
}
ADA: JsonObject = {"name": "Ada", "description": "{{user}} is a mapmaker."}


@pytest.mark.parametrize("snapshot", [MIRA, CARD], ids=["camelCase", "card"])
async def test_names_macros_and_greetings_come_from_the_copies(
    caller: Caller, snapshot: JsonObject
) -> None:
    session = await create_session(caller, character_snapshot=snapshot, user_snapshot=ADA)

    (greeting,) = await read_floors(caller, session["id"])
    path = f"/sessions/{session['id']}/prompt-runtime/preview"
    _, previewed = await caller.post(path, {"text": "{{char}} {{user}} {{persona}}"})

    assert greeting["messages"][0]["content"] == "Mira nods at Ada."
    assert previewed["data"]["text"] == "Mira Ada Ada is a mapmaker."


async def test_the_copy_reaches_the_prompt_and_is_not_in_the_library(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = await create_session(caller, character_snapshot=MIRA, user_snapshot=ADA)
    model = switchable.script([Say("Hoo.")])

    await respond(caller, session["id"], "An owl?")

    sent = "\n".join(list_sent(model.requests[0]))
    assert "A ranger of Ada." in sent
    assert "OWL LORE" in sent
    for path in ("/characters", "/users"):
        assert (await caller.get(path))[1]["data"] == []


async def test_a_copy_replaces_the_character_of_a_session(served: Served, caller: Caller) -> None:
    mira = await create_character(served, caller)
    session = (await create_session(caller, character_id=str(mira.id)))["id"]
    copy = {"character_snapshot": {"name": "Tor", "firstMessage": "Hm."}}

    status, answer = await caller.send("PATCH", f"/sessions/{session}", json=copy)

    assert (status, answer["data"]["character_id"] != str(mira.id)) == (200, True)
    path = f"/sessions/{session}/prompt-runtime/preview"
    _, previewed = await caller.post(path, {"text": "{{char}}"})
    assert previewed["data"]["text"] == "Tor"


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"character_snapshot": {}}, "character_snapshot"),
        ({"character_snapshot": {"name": "M", "systemPrompt": 4}}, "character_snapshot."),
        ({"user_snapshot": {"name": ""}}, "user_snapshot.name"),
        ({"user_snapshot": []}, "user_snapshot"),
        ({"user_snapshot": ADA, "user_id": "x"}, "user_snapshot"),
    ],
    ids=["empty", "no text", "no name", "no object", "id too"],
)
async def test_copies_that_are_none_are_refused(
    caller: Caller, body: JsonObject, path: str
) -> None:
    status, answer = await caller.post("/sessions", body)

    assert (status, answer["error"]["code"]) == (400, "validation_error")
    assert answer["error"]["details"][0]["path"].startswith(path)
    assert (await caller.get("/sessions"))[1]["data"] == []


async def test_a_story_begins_with_no_more_greetings_than_a_chat_file_may_have_swipes(
    caller: Caller,
) -> None:
    def greet(times: int) -> JsonObject:
        return {"character_snapshot": MIRA | {"alternateGreetings": ["Hello."] * times}}

    refused, answer = await caller.post("/sessions", greet(200))
    taken, _ = await caller.post("/sessions", greet(199))

    assert (refused, answer["error"]["details"][0]["path"]) == (400, "character_id")
    assert taken == 201
