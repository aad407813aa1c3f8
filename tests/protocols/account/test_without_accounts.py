"""A server with YARROW_AUTH=off: one local account, nothing to enter."""

from collections.abc import AsyncIterator

import aiohttp
import pytest
from tests.protocols.account.server import serving_accounts

from yarrow.db.pool import Database
from yarrow.settings import AuthMode, Settings

LOCAL = "00000000-0000-0000-0000-000000000001"


@pytest.fixture
async def local(database: Database) -> AsyncIterator[aiohttp.ClientSession]:
    settings = Settings(auth=AuthMode.OFF)
    async with (
        serving_accounts(database, settings) as url,
        aiohttp.ClientSession(url) as session,
    ):
        yield session


async def test_local_account_needs_no_token(local: aiohttp.ClientSession) -> None:
    async with local.get("/api/v1/profile") as answer:
        assert (await answer.json())["id"] == LOCAL
    async with local.get("/api/v1/points/ledger") as answer:
        assert (await answer.json())["entries"][-1]["user_id"] == LOCAL


@pytest.mark.parametrize("door", ["signup", "login"])
async def test_there_is_nothing_to_enter(local: aiohttp.ClientSession, door: str) -> None:
    body = {"email": "a@b.cn", "password": "long enough"}

    async with local.post(f"/api/v1/auth/{door}", json=body) as answer:
        said = await answer.json(content_type="application/problem+json")

    assert (answer.status, said["code"]) == (409, "AUTH_DISABLED")
