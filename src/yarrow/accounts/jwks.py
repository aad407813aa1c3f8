"""The public keys of an outside issuer: fetched on need, kept, and fetched anew with care."""

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
from yarrow.kit.json import JsonObject, JsonValue, decode_json

ALGORITHMS = frozenset({"RS256", "ES256", "EdDSA"})
REFRESH_AT_MOST_EVERY = timedelta(seconds=30)
MAX_AGE = timedelta(hours=1)
FETCH_TIMEOUT_S = 5.0
MAX_BYTES = 1 << 20

# Times are checked against the clock we are handed, not by the library against its own.
_OPTIONS: Options = {
    "require": ["exp", "sub"],
    "verify_exp": False,
    "verify_nbf": False,
    "verify_iat": False,
    "verify_iss": False,
}
_PUBLIC_KINDS = frozenset({"RSA", "EC", "OKP"})

FetchKeys: TypeAlias = Callable[[], Awaitable[JsonValue]]
"""Gets the key set document; raises `KeysUnavailable`."""


def fetch_from(url: str) -> FetchKeys:
    """Keys from the issuer's address."""

    async def fetch() -> JsonValue:
        timeout = aiohttp.ClientTimeout(total=FETCH_TIMEOUT_S)
        try:
            async with (
                aiohttp.ClientSession(timeout=timeout) as session,
                session.get(url) as answer,
            ):
                answer.raise_for_status()
                return decode_json(await answer.content.read(MAX_BYTES))
        except (
            aiohttp.ClientError,
            TimeoutError,
            msgspec.DecodeError,
            UnicodeDecodeError,
        ) as failed:
            raise KeysUnavailable from failed

    return fetch


class KeySet:
    """Keys by id. A key id nobody has seen may mean that the issuer rotated its keys."""

    def __init__(self, fetch: FetchKeys) -> None:
        self._fetch = fetch
        self._keys: dict[str | None, jwt.PyJWK] = {}
        self._tried_at: datetime | None = None
        self._fetched_at: datetime | None = None
        self._one_at_a_time = asyncio.Lock()

    async def verify(self, token: str, *, audience: str | None, now: datetime) -> JsonObject:
        """The claims of a token that one of the keys signed."""
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
        except jwt.PyJWTError as refused:
            raise Unauthenticated(INVALID) from refused

    async def find(self, kid: str | None, algorithm: str, *, now: datetime) -> jwt.PyJWK:
        """The key `kid` if it is made for `algorithm`; a key is never used for another one."""
        if kid not in self._keys or self._is_old(now):
            async with self._one_at_a_time:
                if kid not in self._keys or self._is_old(now):
                    await self._refresh(kid, now)
        key = self._keys.get(kid)
        if key is None or key.algorithm_name != algorithm:
            raise Unauthenticated("the token is signed with an unknown key")
        return key

    def _is_old(self, now: datetime) -> bool:
        return self._fetched_at is None or now - self._fetched_at > MAX_AGE

    async def _refresh(self, kid: str | None, now: datetime) -> None:
        if self._tried_at is not None and now - self._tried_at < REFRESH_AT_MOST_EVERY:
            if self._fetched_at is None:
                raise KeysUnavailable
            return
        self._tried_at = now
        try:
            self._keys = dict(_usable(await self._fetch()))
        except KeysUnavailable:
            # An issuer that is down for a while must not lock out keys we know.
            if kid not in self._keys:
                raise
        else:
            self._fetched_at = now


def _usable(document: JsonValue) -> Iterator[tuple[str | None, jwt.PyJWK]]:
    """Public signing keys only: a shared key in a public document would let anybody sign."""
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
