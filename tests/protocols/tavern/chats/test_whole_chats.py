"""Chat files come back whole, and a story survives its own export. Issue 14 §12."""

import pytest
from tests.loose_json import JsonObject, decode_json
from tests.protocols.switchable_model import SwitchableModel
from tests.protocols.tavern.chats.chat_samples import CHAT_SAMPLES, SOLO_1_12
from tests.protocols.tavern.chats.test_chats import essence, export
from tests.protocols.tavern.generation.turn_calls import respond, retry
from tests.protocols.tavern.story_calls import (
    create_character,
    create_session,
    create_stored_asset,
    import_lines,
    read_floors,
    reply_line,
    user_line,
)
from tests.serving import Caller, Served

from yarrow.assets.model import AssetKind
from yarrow.llm.scripted import Say, Think

BOOK: JsonObject = {
    "entries": {
        "3": {"uid": 3, "key": ["dragon"], "content": "SCALES", "sticky": 9, "scanDepth": 1},
        "4": {"uid": 4, "key": ["rain"], "content": "MUD", "cooldown": 9, "scanDepth": 1},
    }
}


_NAMES = ("main", "worldInfoBefore", "chatHistory")
PRESET: JsonObject = {
    "prompts": [
        {"identifier": "main", "role": "system", "content": "n={{incvar::n}}"},
        *({"identifier": name, "marker": True} for name in _NAMES[1:]),
    ],
    "prompt_order": [
        {
            "character_id": 100000,
            "order": [{"identifier": name, "enabled": True} for name in _NAMES],
        }
    ],
}


async def export_lines(caller: Caller, session: str) -> list[JsonObject]:
    return [decode_json(line) for line in (await export(caller, session)).splitlines()]


async def dry_run(caller: Caller, session: str, message: str) -> JsonObject:
    path = f"/sessions/{session}/respond/dry-run"
    status, answer = await caller.post(path, {"message": message})
    assert status == 200, answer
    return dict(answer["data"])


@pytest.mark.parametrize("name", CHAT_SAMPLES)
async def test_a_chat_file_comes_back_as_it_was(caller: Caller, name: str) -> None:
    session = await import_lines(caller, CHAT_SAMPLES[name])

    assert await export_lines(caller, session) == CHAT_SAMPLES[name]


async def test_names_of_a_header_without_names_are_those_of_the_lines(caller: Caller) -> None:
    session = await import_lines(caller, CHAT_SAMPLES["solo-1.18"])

    _, answer = await caller.get(f"/sessions/{session}")

    assert answer["data"]["title"] == "Mira"
    assert answer["data"]["metadata"]["user_name"] == "Ada"


async def test_a_chosen_swipe_brings_its_own_fields(caller: Caller) -> None:
    session = await import_lines(caller, SOLO_1_12)
    reply = (await read_floors(caller, session))[1]["pages"][1]

    status, _ = await caller.send("PATCH", f"/pages/{reply['id']}/activate")
    line = (await export_lines(caller, session))[-1]

    assert status == 200
    info = SOLO_1_12[-1]["swipe_info"]
    assert (line["mes"], line["swipe_id"], line["swipe_info"]) == ("No.", 0, info)
    for field in ("send_date", "gen_started", "gen_finished", "extra"):
        assert line[field] == info[0][field]
    assert line["unknown_of_a_plugin"] == SOLO_1_12[-1]["unknown_of_a_plugin"]


async def test_a_retried_line_keeps_what_the_file_said_of_its_swipes(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = await import_lines(caller, SOLO_1_12)
    floor = (await read_floors(caller, session))[-1]
    switchable.script([Say("Perhaps.")])

    await retry(caller, floor["id"])
    line = (await export_lines(caller, session))[-1]

    assert line["swipes"] == ["No.", "Yes, since dawn.", "Perhaps."]
    assert (line["mes"], line["swipe_id"]) == ("Perhaps.", 2)
    for info in line["swipe_info"]:
        info["extra"].pop("story_state")
    assert line["swipe_info"][:2] == SOLO_1_12[-1]["swipe_info"]
    assert line["swipe_info"][2]["extra"]["model"] == line["extra"]["model"] != "gpt-4o"
    assert line["variables"] == SOLO_1_12[-1]["variables"]


async def test_live_turns_are_exported_as_sillytavern_writes_them(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    mira = await create_character(served, caller)
    session = (await create_session(caller, character_id=str(mira.id)))["id"]
    switchable.script([Think("Hm."), Say("One.")], [Say("Two.")])
    floor = (await respond(caller, session, "Well?"))["floor_id"]
    await retry(caller, floor)

    header, greeting, question, reply = await export_lines(caller, session)

    assert header["create_date"]
    assert header["character_name"] == "Mira"
    assert len(greeting["swipes"]) == len(greeting["swipe_info"]) == 3
    assert (question["is_user"], question["mes"]) == (True, "Well?")
    assert "swipes" not in question
    assert (reply["swipes"], reply["swipe_id"], reply["mes"]) == (["One.", "Two."], 1, "Two.")
    first, second = reply["swipe_info"]
    assert (first["extra"]["reasoning"], second["extra"]["reasoning"]) == ("Hm.", "")
    assert second["extra"]["model"]
    assert second["extra"]["token_count"] > 0
    assert second["gen_started"] <= second["gen_finished"]
    assert {name: reply[name] for name in second} == second


async def create_live_story(served: Served, caller: Caller, switchable: SwitchableModel) -> str:
    """A story of three turns with variables, timers, swipes and a greeting with macros."""
    mira = await create_character(served, caller)
    preset = await create_stored_asset(served, caller, AssetKind.PRESET, PRESET, "Counting")
    book = await create_stored_asset(served, caller, AssetKind.WORLDBOOK, BOOK, "Old forest")
    session = await create_session(
        caller,
        character_id=str(mira.id),
        preset_id=str(preset.id),
        worldbook_profile_id=str(book.id),
    )
    switchable.script(*([Say(f"reply {number}")] for number in range(4)))
    await respond(caller, session["id"], "A dragon in the rain")
    floor = await respond(caller, session["id"], "And then?")
    await retry(caller, floor["floor_id"])
    return str(session["id"])


async def reimport(caller: Caller, session: str) -> str:
    """Import the export of a story, and bind the copy as the story is bound."""
    _, answer = await caller.get(f"/sessions/{session}")
    names = ("preset_id", "worldbook_profile_id")
    status, imported = await caller.post(
        "/import/chat",
        {
            "data": await export(caller, session),
            "character_id": answer["data"]["character_id"],
        },
    )
    assert (status, imported["data"]["warnings"]) == (201, [])
    again = str(imported["data"]["session_id"])
    bound = {name: answer["data"][name] for name in names}
    assert (await caller.send("PATCH", f"/sessions/{again}", json=bound))[0] == 200
    return again


async def test_an_exported_story_gives_the_same_prompt_when_it_is_imported(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session = await create_live_story(served, caller, switchable)
    again = await reimport(caller, session)

    for message in ("rain", "Go on."):
        first, second = [await dry_run(caller, each, message) for each in (session, again)]
        assert second["messages"] == first["messages"]
    assert "SCALES" in str(first["messages"])
    assert "MUD" not in str(first["messages"])


async def test_an_exported_story_is_the_same_timeline_when_it_is_imported(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session = await create_live_story(served, caller, switchable)
    again = await reimport(caller, session)

    shown, copied = [await read_floors(caller, each) for each in (session, again)]

    assert essence(copied) == essence(shown)
    assert await export_lines(caller, again) == await export_lines(caller, session)
    _, resolved = await caller.get("/variables/resolve", session_id=again)
    assert resolved["data"]["resolved"] == [{"key": "n", "value": "2", "scope": "branch"}]


async def test_a_floor_with_hundreds_of_pages_is_the_same_when_it_is_imported(
    served: Served, caller: Caller
) -> None:
    texts = [f"Reply {number}." for number in range(300)]
    line = reply_line(texts[250], swipes=texts, swipe_id=250)
    session = await import_lines(caller, [user_line("Go on."), line])
    (floor,) = await read_floors(caller, session)
    await retry(caller, floor["id"])

    (copied,) = await read_floors(caller, await reimport(caller, session))

    _, answer = await caller.get(f"/floors/{copied['id']}")
    pages = [page["message"]["content"] for page in answer["data"]["pages"][1:]]
    assert (pages[:-1], len(pages)) == (texts, 301)


async def test_a_timer_of_a_file_runs_for_the_book_of_its_name(
    served: Served, caller: Caller
) -> None:
    book = await create_stored_asset(served, caller, AssetKind.WORLDBOOK, BOOK, "Old forest")
    session = await import_lines(caller, SOLO_1_12)
    before = await dry_run(caller, session, "Go on.")
    bound = {"worldbook_profile_id": str(book.id)}
    await caller.send("PATCH", f"/sessions/{session}", json=bound)

    after = await dry_run(caller, session, "Go on.")

    assert ("SCALES" in str(before["messages"]), "SCALES" in str(after["messages"])) == (
        False,
        True,
    )


async def test_timers_that_cannot_be_read_are_named(caller: Caller) -> None:
    timers = {"sticky": {"a.b": {}, "Old forest.3": {"start": 1, "end": 5}}}
    header = {"user_name": "Ada", "chat_metadata": {"timedWorldInfo": timers}}

    status, answer = await caller.post("/import/chat", {"data": [header, SOLO_1_12[1]]})

    assert status == 201
    assert answer["data"]["warnings"] == [
        "chat_metadata.timedWorldInfo.sticky.a.b cannot be read and was left out"
    ]
