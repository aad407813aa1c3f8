"""A served product with accounts, and clients for it."""

from collections.abc import AsyncIterator
from uuid import uuid4

import aiohttp
import pytest
from tests.serving import serving

from yarrow.llm.scripted import ScriptedModel


@pytest.fixture(scope="module")
async def accounts_url(dsn: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[str]:
    folder = tmp_path_factory.mktemp("accounts")
    async with serving(dsn, model=ScriptedModel(), data_dir=folder, slots=0) as served:
        yield served.url


@pytest.fixture
async def client(accounts_url: str) -> AsyncIterator[aiohttp.ClientSession]:
    """A client without a token."""
    async with aiohttp.ClientSession(accounts_url) as session:
        yield session


@pytest.fixture
async def user(client: aiohttp.ClientSession) -> aiohttp.ClientSession:
    """The client with the token of a new account."""
    body = {"email": f"{uuid4().hex}@example.org", "password": "long enough"}
    async with client.post("/api/v1/auth/signup", json=body) as answer:
        token = (await answer.json())["access_token"]
    client.headers["Authorization"] = f"Bearer {token}"
    return client
