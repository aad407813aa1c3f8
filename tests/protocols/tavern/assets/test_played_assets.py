"""Real-shaped assets are imported, played for three turns and exported. Issue 14 §12."""

import pytest
from tests.loose_json import JsonObject, decode_json
from tests.protocols.switchable_model import SwitchableModel
from tests.protocols.tavern.asset_files import fetch, read_export
from tests.protocols.tavern.assets.asset_samples import (
    BOOK,
    CARD_V1,
    CARD_V2,
    CARD_V3,
    PRESET,
    SCRIPTS,
)
from tests.protocols.tavern.generation.turn_calls import list_sent, respond
from tests.protocols.tavern.story_calls import create_session, read_floors
from tests.serving import Caller
from tests.unit.prompting.formats.png_files import png, text

from yarrow.llm.scripted import Say

CARDS = {"v1": CARD_V1, "v2": CARD_V2, "v3": CARD_V3}


async def import_card(caller: Caller, card: JsonObject, *, as_png: bool) -> str:
    if not as_png:
        status, answer = await caller.post("/import/character", {"payload": card})
    else:
        keyword = b"ccv3" if card is CARD_V3 else b"chara"
        headers = caller.headers | {"Content-Type": "image/png"}
        url = f"{caller.url}/import/character"
        data = png(text(keyword, card))
        async with caller.http.post(url, data=data, headers=headers) as sent:
            status, answer = sent.status, decode_json(await sent.read())
    assert status == 201, answer
    return str(answer["data"]["character_id"])


async def import_files(caller: Caller) -> dict[str, str]:
    """Import a preset, a book and scripts; returns the fields that bind them."""
    ids = {}
    for word, data in (("preset", PRESET), ("worldbook", BOOK), ("regex", SCRIPTS)):
        status, answer = await caller.post(f"/import/{word}", {"name": "Sample", "data": data})
        assert status == 201, answer
        ids[word] = str(answer["data"]["id"])
    return ids


@pytest.mark.parametrize("as_png", [False, True], ids=["json", "png"])
@pytest.mark.parametrize("version", CARDS)
async def test_assets_are_played_and_come_back(
    caller: Caller, switchable: SwitchableModel, version: str, as_png: bool
) -> None:
    card = CARDS[version]
    character, files = await import_card(caller, card, as_png=as_png), await import_files(caller)
    session = await create_session(
        caller,
        character_id=character,
        preset_id=files["preset"],
        worldbook_profile_id=files["worldbook"],
        regex_profile_id=files["regex"],
        user_snapshot={"name": "Ada"},
    )
    model = switchable.script([Say("Well...")], [Say("An owl.")], [Say("Good night.")])

    for message in ("Is the bridge open?", "What was that?", "Sleep now."):
        await respond(caller, session["id"], message)

    prompts = ["\n".join(list_sent(request)) for request in model.requests]
    assert all(f"Turn {number}." in sent for number, sent in enumerate(prompts, 1))
    assert "BRIDGE LORE" in prompts[0]
    assert ("OWL LORE" in prompts[2]) is (version != "v1")
    assert "trusts Ada" in prompts[0]
    assert all("reasoning_effort" not in request.sampler for request in model.requests)
    floors = await read_floors(caller, session["id"])
    assert floors[0]["messages"][0]["content"] == "*Mira looks up.* You are late, Ada."
    assert floors[1]["messages"][1]["content"] == "Well."
    assert await read_export(caller, f"/export/character/{character}") == card
    assert await read_export(caller, f"/export/preset/{files['preset']}") == PRESET
    assert await read_export(caller, f"/export/worldbook/{files['worldbook']}") == BOOK
    assert await read_export(caller, f"/export/regex/{files['regex']}") == SCRIPTS
    status, chat, _ = await fetch(caller, f"/export/chat/{session['id']}")
    assert (status, len(chat.splitlines())) == (200, 8)


def make_script(find: str, replacement: str, placement: int, *, prompt_only: bool) -> JsonObject:
    return {
        "scriptName": find,
        "findRegex": find,
        "replaceString": replacement,
        "placement": [placement],
        "promptOnly": prompt_only,
    }


async def test_scripts_of_the_profile_the_preset_and_the_card_run_in_this_order(
    caller: Caller, switchable: SwitchableModel
) -> None:
    steps = (("a", "b"), ("b", "c"), ("c", "d"))
    profile, preset, card = (
        [make_script(*step, 2, prompt_only=False), make_script(*step, 1, prompt_only=True)]
        for step in steps
    )
    data = {"name": "Mira", "extensions": {"regex_scripts": card}}
    character = await import_card(caller, {"spec": "chara_card_v2", "data": data}, as_png=False)
    files = {"regex": profile, "preset": {"prompts": [], "extensions": {"regex_scripts": preset}}}
    ids = {
        word: (await caller.post(f"/import/{word}", {"name": "Own", "data": content}))[1]["data"][
            "id"
        ]
        for word, content in files.items()
    }
    session = await create_session(
        caller,
        character_id=character,
        preset_id=ids["preset"],
        regex_profile_id=ids["regex"],
    )
    model = switchable.script([Say("a")])

    answer = await respond(caller, session["id"], "a")

    assert (answer["generated_text"], list_sent(model.requests[0])) == ("d", ["d"])
    _, shown = await caller.post(f"/sessions/{session['id']}/respond/dry-run", {"message": "a"})
    assert shown["data"]["assembly"]["ignored_preset_fields"] == []
