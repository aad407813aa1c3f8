"""Importing a card with `create_session` opens a story with the imported character."""

import pytest
from tests.loose_json import JsonObject
from tests.protocols.tavern.asset_files import CARD
from tests.serving import Caller


async def test_story_is_opened_with_the_imported_character(caller: Caller) -> None:
    body = {"payload": CARD, "create_session": True, "title": "Night"}

    status, answer = await caller.post("/import/character", body)

    imported = answer["data"]
    assert (status, imported["session"]["title"]) == (201, "Night")
    assert imported["session"]["character_id"] == imported["character_id"]
    _, stored = await caller.get(f"/characters/{imported['character_id']}")
    assert stored["data"]["data"] == CARD


@pytest.mark.parametrize("body", [{"payload": CARD}, {"payload": CARD, "create_session": False}])
async def test_no_story_is_opened_without_create_session(caller: Caller, body: JsonObject) -> None:
    status, answer = await caller.post("/import/character", body)

    _, sessions = await caller.get("/sessions")
    assert (status, sessions["data"]) == (201, [])
    assert "session" not in answer["data"]
