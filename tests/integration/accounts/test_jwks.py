"""An outside issuer's keys over real HTTP."""

import json
from collections.abc import AsyncIterator

import pytest
from aiohttp import web
from cryptography.hazmat.primitives.asymmetric import ec
from jwt.algorithms import ECAlgorithm
from tests.route_server import send_in_parts, serve_routes

from yarrow.accounts.errors import KeysUnavailable
from yarrow.accounts.jwks import KeySet, make_key_fetcher
from yarrow.clock import system_clock

PUBLIC = ec.generate_private_key(ec.SECP256R1()).public_key()


@pytest.fixture
async def issuer() -> AsyncIterator[str]:
    async def keys(_: web.Request) -> web.Response:
        key = {**json.loads(ECAlgorithm.to_jwk(PUBLIC)), "kid": "k1"}
        return web.json_response({"keys": [key, {"kty": "??"}, "nonsense"]})

    async def broken(_: web.Request) -> web.Response:
        return web.Response(text="<html>")

    async def keys_in_parts(_: web.Request) -> web.Response:
        key = {**json.loads(ECAlgorithm.to_jwk(PUBLIC)), "kid": "k1"}
        return web.Response(body=send_in_parts(json.dumps({"keys": [key]}).encode()))

    routes = {"/keys": keys, "/parts": keys_in_parts, "/broken": broken}
    async with serve_routes(routes) as url:
        yield url


@pytest.mark.parametrize("path", ["/keys", "/parts"])
async def test_usable_key_is_found(issuer: str, path: str) -> None:
    keys = KeySet(make_key_fetcher(issuer + path))

    key = await keys.find("k1", "ES256", now=system_clock())

    assert key.algorithm_name == "ES256"


@pytest.mark.parametrize("path", ["/broken", "/missing"])
async def test_issuer_that_answers_nonsense_is_away(issuer: str, path: str) -> None:
    keys = KeySet(make_key_fetcher(issuer + path))

    with pytest.raises(KeysUnavailable):
        await keys.find("k1", "ES256", now=system_clock())


async def test_issuer_that_does_not_answer_is_away() -> None:
    keys = KeySet(make_key_fetcher("http://127.0.0.1:9/keys"))

    with pytest.raises(KeysUnavailable):
        await keys.find("k1", "ES256", now=system_clock())
