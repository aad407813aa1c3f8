"""The public keys of an external token issuer (JWKS), cached.

Not PyJWKClient: it blocks the event loop, and refetches for every unknown key id.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from datetime import datetime, timedelta
from typing import TypeAlias

import aiohttp
import jwt
import msgspec
from jwt.types import Options

from yarrow.accounts.errors import KeysUnavailable
from yarrow.accounts.hs256 import INVALID
from yarrow.errors import Unauthenticated
from yarrow.kit.http_client import read_body
from yarrow.kit.json import JsonObject, JsonValue, decode_json

ALGORITHMS = frozenset({"RS256", "ES256", "EdDSA"})
MIN_REFRESH_INTERVAL = timedelta(seconds=30)
MAX_AGE = timedelta(hours=1)
FETCH_TIMEOUT_S = 5.0
MAX_BYTES = 1 << 20

# The caller checks the times, against its own clock.
_OPTIONS: Options = {
    "require": ["exp", "sub"],
    "verify_exp": False,
    "verify_nbf": False,
    "verify_iat": False,
    "verify_iss": False,
}
_PUBLIC_KINDS = frozenset({"RSA", "EC", "OKP"})

FetchKeys: TypeAlias = Callable[[], Awaitable[JsonValue]]
"""Fetches the key set document or raises `KeysUnavailable`."""


def make_key_fetcher(url: str) -> FetchKeys:
    """A fetcher of the key set at `url`."""

    async def fetch_keys() -> JsonValue:
        timeout = aiohttp.ClientTimeout(total=FETCH_TIMEOUT_S)
        try:
            async with (
                aiohttp.ClientSession(timeout=timeout) as session,
                session.get(url) as response,
            ):
                response.raise_for_status()
                body = await read_body(response, max_bytes=MAX_BYTES)
            if body is None:
                raise KeysUnavailable
            return decode_json(body)
        except (
            aiohttp.ClientError,
            TimeoutError,
            msgspec.DecodeError,
            UnicodeDecodeError,
        ) as error:
            raise KeysUnavailable from error

    return fetch_keys


class KeySet:
    """Keys by id. An unknown key id leads to a refetch: the issuer may have rotated its keys."""

    def __init__(self, fetch: FetchKeys) -> None:
        self._fetch = fetch
        self._keys: dict[str | None, jwt.PyJWK] = {}
        self._tried_at: datetime | None = None
        self._fetched_at: datetime | None = None
        self._refresh_lock = asyncio.Lock()

    async def verify(self, token: str, *, audience: str | None, now: datetime) -> JsonObject:
        """The claims of a token that is signed with one of the keys."""
        try:
            header = jwt.get_unverified_header(token)
            algorithm = header.get("alg")
            if algorithm not in ALGORITHMS:
                raise Unauthenticated(INVALID)
            key = await self.find(header.get("kid"), algorithm, now=now)
            options: Options = {**_OPTIONS, "verify_aud": audience is not None}
            return jwt.decode(
                token, key, algorithms=[algorithm], audience=audience, options=options
            )
        except jwt.PyJWTError as error:
            raise Unauthenticated(INVALID) from error

    async def find(self, kid: str | None, algorithm: str, *, now: datetime) -> jwt.PyJWK:
        """The key `kid`; it must be of `algorithm`, whatever the token asks for."""
        if kid not in self._keys or self._is_old(now):
            async with self._refresh_lock:
                if kid not in self._keys or self._is_old(now):
                    await self._refresh_keys(kid, now)
        key = self._keys.get(kid)
        if key is None or key.algorithm_name != algorithm:
            raise Unauthenticated("the token is signed with an unknown key")
        return key

    def _is_old(self, now: datetime) -> bool:
        return self._fetched_at is None or now - self._fetched_at > MAX_AGE

    async def _refresh_keys(self, kid: str | None, now: datetime) -> None:
        if self._tried_at is not None and now - self._tried_at < MIN_REFRESH_INTERVAL:
            if self._fetched_at is None:
                raise KeysUnavailable
            return
        self._tried_at = now
        try:
            self._keys = dict(_parse_keys(await self._fetch()))
        except KeysUnavailable:
            # An issuer that is down for a while must not lock out keys we know.
            if kid not in self._keys:
                raise
        else:
            self._fetched_at = now


def _parse_keys(document: JsonValue) -> Iterator[tuple[str | None, jwt.PyJWK]]:
    """The public signing keys; a symmetric key in a public document would let anybody sign."""
    entries = document.get("keys") if isinstance(document, dict) else None
    if not isinstance(entries, list):
        raise KeysUnavailable
    for entry in entries:
        if not isinstance(entry, dict) or entry.get("kty") not in _PUBLIC_KINDS:
            continue
        if entry.get("use", "sig") != "sig":
            continue
        try:
            yield entry.get("kid"), jwt.PyJWK(entry)
        except jwt.PyJWTError:
            continue
