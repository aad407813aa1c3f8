"""Importing a card can begin a story, by whatever the product brings for that."""

import pytest
from fastapi import FastAPI
from tests.protocols.tavern.shelf import CARD
from tests.unit.http.asgi import Answer, call

from yarrow.assets.model import AssetKind, AssetRef
from yarrow.assets.read import open_asset
from yarrow.db import Database
from yarrow.ids import AccountId, AssetId
from yarrow.kit.json import JsonObject, encode_json
from yarrow.protocols.tavern.library_routes import library_routes


class Stories:
    """Opens stories by noting them."""

    def __init__(self) -> None:
        self.opened: list[tuple[AccountId, AssetId, str | None]] = []

    async def open(self, account_id: AccountId, asset_id: AssetId, title: str | None) -> JsonObject:
        self.opened.append((account_id, asset_id, title))
        return {"id": "session-1", "title": title}


@pytest.fixture
async def account_id(database: Database) -> AccountId:
    async with database.transaction() as tx:
        return AccountId(await tx.fetchval("INSERT INTO auth.users DEFAULT VALUES RETURNING id"))


async def imported(
    database: Database, account_id: AccountId, stories: Stories, body: JsonObject
) -> Answer:
    async def identify(_token: str | None) -> AccountId:
        return account_id

    app = FastAPI()
    app.state.identify = identify
    app.router.routes.extend(library_routes(database, open_story=stories.open).routes)
    return await call(app, "/import/character", method="POST", chunks=[encode_json(body)])


async def test_story_begins_with_the_imported_character(
    database: Database, account_id: AccountId
) -> None:
    stories = Stories()
    body = {"payload": CARD, "create_session": True, "title": "Night"}

    answer = await imported(database, account_id, stories, body)

    made = answer.json["data"]
    [(opener, asset_id, title)] = stories.opened
    assert (answer.status, made["session"]) == (201, {"id": "session-1", "title": "Night"})
    assert (opener, str(asset_id), title) == (account_id, made["character_id"], "Night")
    kept = await open_asset(database, AssetRef(account_id, AssetKind.CHARACTER, asset_id))
    assert kept.content == CARD


@pytest.mark.parametrize("body", [{"payload": CARD}, {"payload": CARD, "create_session": False}])
async def test_no_story_begins_unasked(
    database: Database, account_id: AccountId, body: JsonObject
) -> None:
    stories = Stories()

    answer = await imported(database, account_id, stories, body)

    assert (answer.status, stories.opened) == (201, [])
    assert "session" not in answer.json["data"]
