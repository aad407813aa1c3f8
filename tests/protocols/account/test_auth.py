"""Signup and login over HTTP."""

from typing import Any
from uuid import UUID, uuid4

import aiohttp
import pytest

SIGNUP = "/api/v1/auth/signup"
LOGIN = "/api/v1/auth/login"
PROBLEM = "application/problem+json"


def credentials() -> dict[str, str]:
    return {"email": f"{uuid4().hex}@example.org", "password": "long enough"}


async def test_signup_answers_with_a_token(client: aiohttp.ClientSession) -> None:
    body = credentials()

    async with client.post(SIGNUP, json=body) as answer:
        result = await answer.json()

    assert answer.status == 201
    assert set(result) == {"access_token", "token_type", "user"}
    assert result["token_type"] == "bearer"
    assert result["user"] == {"id": str(UUID(result["user"]["id"])), "email": body["email"]}


async def test_login_answers_with_a_token_for_the_same_user(client: aiohttp.ClientSession) -> None:
    body = credentials()
    async with client.post(SIGNUP, json=body) as answer:
        signed_up = await answer.json()

    async with client.post(LOGIN, json=body) as answer:
        logged_in = await answer.json()

    assert answer.status == 200
    assert logged_in["user"] == signed_up["user"]
    headers = {"Authorization": f"Bearer {logged_in['access_token']}"}
    async with client.get("/api/v1/points", headers=headers) as answer:
        assert answer.status == 200


async def test_second_signup_is_a_conflict(client: aiohttp.ClientSession) -> None:
    body = credentials()
    await client.post(SIGNUP, json=body)

    async with client.post(SIGNUP, json=body) as answer:
        result = await answer.json(content_type=PROBLEM)

    assert (answer.status, result["code"]) == (409, "AUTH_EMAIL_TAKEN")


async def test_wrong_credentials_are_unauthorised(client: aiohttp.ClientSession) -> None:
    async with client.post(LOGIN, json=credentials()) as answer:
        result = await answer.json(content_type=PROBLEM)

    assert (answer.status, result["code"]) == (401, "AUTH_INVALID_CREDENTIALS")
    assert answer.headers["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize(
    "spoiled",
    [
        {"email": "nobody"},
        {"email": 1},
        {"email": None},
        {"password": "short"},
        {"password": "x" * 129},
        {"admin": True},
    ],
)
async def test_wrong_signup_is_refused(
    client: aiohttp.ClientSession, spoiled: dict[str, Any]
) -> None:
    async with client.post(SIGNUP, json=credentials() | spoiled) as answer:
        result = await answer.json(content_type=PROBLEM)

    assert (answer.status, result["code"]) == (422, "REQUEST_INVALID")
    assert result["params"]["field"] == next(iter(spoiled))


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"\xff", b'{"email": NaN}'])
async def test_broken_body_is_refused(client: aiohttp.ClientSession, data: bytes) -> None:
    async with client.post(SIGNUP, data=data) as answer:
        result = await answer.json(content_type=PROBLEM)

    assert (answer.status, result["code"]) == (422, "REQUEST_INVALID")


async def test_large_body_is_refused(client: aiohttp.ClientSession) -> None:
    async with client.post(SIGNUP, data=b"x" * (64 * 1024 + 1)) as answer:
        result = await answer.json(content_type=PROBLEM)

    assert (answer.status, result["code"]) == (413, "REQUEST_TOO_LARGE")
    assert result["params"] == {"limit": 64 * 1024}


@pytest.mark.parametrize("path", ["/api/v1/points", "/api/v1/points/ledger", "/api/v1/profile"])
@pytest.mark.parametrize("header", [None, "Bearer nonsense", "Basic abc"])
async def test_other_routes_need_a_token(
    client: aiohttp.ClientSession, path: str, header: str | None
) -> None:
    headers = {} if header is None else {"Authorization": header}

    async with client.get(path, headers=headers) as answer:
        result = await answer.json(content_type=PROBLEM)

    assert (answer.status, result["code"]) == (401, "AUTH_REQUIRED")
    assert answer.headers["WWW-Authenticate"] == "Bearer"
    assert result["instance"] == path
    assert answer.headers["X-Request-Id"]


async def test_failed_logins_are_limited_without_a_check(client: aiohttp.ClientSession) -> None:
    good = {"email": f"{uuid4().hex}@example.com", "password": "correct horse"}
    await client.post("/api/v1/auth/signup", json=good)
    for _ in range(10):
        await client.post("/api/v1/auth/login", json=good | {"password": "a wrong guess"})

    async with client.post("/api/v1/auth/login", json=good) as answer:
        problem = await answer.json(content_type=None)

    assert (answer.status, problem["code"]) == (429, "AUTH_TOO_MANY_ATTEMPTS")
    assert 1 <= int(answer.headers["Retry-After"]) <= 6


async def test_a_token_that_was_signed_out_is_refused_and_others_are_not(
    client: aiohttp.ClientSession,
) -> None:
    body = credentials()
    async with client.post(SIGNUP, json=body) as answer:
        first = {"Authorization": f"Bearer {(await answer.json())['access_token']}"}
    async with client.post(LOGIN, json=body) as answer:
        second = {"Authorization": f"Bearer {(await answer.json())['access_token']}"}

    padded = {"Authorization": first["Authorization"] + "="}
    async with client.get("/api/v1/points", headers=padded) as answer:
        assert answer.status == 200
    async with client.post("/api/v1/auth/logout", headers=first) as answer:
        assert answer.status == 204

    statuses = []
    for headers in (first, padded, second):
        async with client.get("/api/v1/points", headers=headers) as answer:
            statuses.append(answer.status)
    assert statuses == [401, 401, 200]
    async with client.post("/api/v1/auth/logout", headers=first) as answer:
        assert (answer.status, (await answer.json(content_type=PROBLEM))["code"]) == (
            401,
            "AUTH_REQUIRED",
        )
