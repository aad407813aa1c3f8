"""A server with YARROW_AUTH=off has one local account, and neither signup nor login."""

from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest
from tests.serving import serving

from yarrow.llm.scripted import ScriptedModel
from yarrow.settings import AuthMode

LOCAL = "00000000-0000-0000-0000-000000000001"


@pytest.fixture
async def local(dsn: str, tmp_path: Path) -> AsyncIterator[aiohttp.ClientSession]:
    model = ScriptedModel()
    async with (
        serving(dsn, model=model, data_dir=tmp_path, slots=0, auth=AuthMode.OFF) as served,
        aiohttp.ClientSession(served.url) as session,
    ):
        yield session


async def test_local_account_needs_no_token(local: aiohttp.ClientSession) -> None:
    async with local.get("/api/v1/profile") as answer:
        assert (await answer.json())["id"] == LOCAL
    async with local.get("/api/v1/points/ledger") as answer:
        assert (await answer.json())["entries"][-1]["user_id"] == LOCAL


@pytest.mark.parametrize("route", ["signup", "login"])
async def test_signup_and_login_are_disabled(local: aiohttp.ClientSession, route: str) -> None:
    body = {"email": "a@b.cn", "password": "long enough"}

    async with local.post(f"/api/v1/auth/{route}", json=body) as answer:
        problem = await answer.json(content_type="application/problem+json")

    assert (answer.status, problem["code"]) == (409, "AUTH_DISABLED")
