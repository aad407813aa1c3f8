"""A server with accounts, and clients for it."""

from collections.abc import AsyncIterator
from uuid import uuid4

import aiohttp
import pytest
from tests.protocols.account.server import serving_accounts

from yarrow.db.pool import Database
from yarrow.settings import AuthMode, Settings


@pytest.fixture(scope="session")
async def accounts_url(database: Database) -> AsyncIterator[str]:
    settings = Settings(auth=AuthMode.JWT, jwt_secret="s" * 32)
    async with serving_accounts(database, settings) as url:
        yield url


@pytest.fixture
async def client(accounts_url: str) -> AsyncIterator[aiohttp.ClientSession]:
    """A client whom nobody knows."""
    async with aiohttp.ClientSession(accounts_url) as session:
        yield session


@pytest.fixture
async def user(client: aiohttp.ClientSession) -> aiohttp.ClientSession:
    """The client, signed up as somebody new."""
    body = {"email": f"{uuid4().hex}@example.org", "password": "long enough"}
    async with client.post("/api/v1/auth/signup", json=body) as answer:
        token = (await answer.json())["access_token"]
    client.headers["Authorization"] = f"Bearer {token}"
    return client
