"""Which tokens are believed, and whose they are."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt.algorithms import get_default_algorithms
from tests.loose_json import JsonValue

from yarrow.accounts.errors import KeysUnavailable
from yarrow.accounts.jwks import KeySet
from yarrow.accounts.tokens import Tokens
from yarrow.errors import Unauthenticated
from yarrow.ids import AccountId
from yarrow.settings import AuthMode, Settings

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SECRET = "s" * 40
ACCOUNT = AccountId(UUID(int=42))
PRIVATE: dict[str, Any] = {
    "RS256": rsa.generate_private_key(65537, 2048),
    "ES256": ec.generate_private_key(ec.SECP256R1()),
    "EdDSA": ed25519.Ed25519PrivateKey.generate(),
}


def public_key(algorithm: str) -> dict[str, Any]:
    key = get_default_algorithms()[algorithm].to_jwk(PRIVATE[algorithm].public_key())
    return {**json.loads(key), "kid": algorithm, "use": "sig"}


class Issuer:
    """An outside issuer whose key document can be changed, and fails when it is None."""

    def __init__(self, keys: list[dict[str, Any]] | None) -> None:
        self.keys, self.fetches = keys, 0

    async def fetch(self) -> JsonValue:
        self.fetches += 1
        if self.keys is None:
            raise KeysUnavailable
        return {"keys": self.keys}


def tokens(issuer: Issuer | None = None, **settings: Any) -> Tokens:
    keys = None if issuer is None else KeySet(issuer.fetch)
    chosen = Settings(auth=AuthMode.JWT, **{"jwt_secret": SECRET, **settings})
    return Tokens(chosen, secret=SECRET.encode(), keys=keys)


def signed(algorithm: str, key: Any, kid: str | None = None, **claims: Any) -> str:
    body = {"sub": "u1", "exp": int(NOW.timestamp()) + 60, "iss": "https://i", **claims}
    headers = None if kid is None else {"kid": kid}
    return jwt.encode(body, key, algorithm, headers=headers)


async def test_own_token_names_its_account() -> None:
    own = tokens()

    identity = await own.verify(own.issue(ACCOUNT, now=NOW), now=NOW)

    assert (identity.subject, identity.issuer) == (str(ACCOUNT), None)


async def test_token_ends_with_its_time() -> None:
    own = tokens(jwt_ttl_s=60)
    token = own.issue(ACCOUNT, now=NOW)

    with pytest.raises(Unauthenticated, match="expired"):
        await own.verify(token, now=NOW + timedelta(seconds=71))


async def test_token_is_not_valid_before_its_time() -> None:
    token = signed("HS256", SECRET, nbf=int(NOW.timestamp()) + 30)

    with pytest.raises(Unauthenticated, match="not valid yet"):
        await tokens().verify(token, now=NOW)


async def test_shared_secret_makes_an_outside_identity() -> None:
    identity = await tokens().verify(signed("HS256", SECRET, email="a@b.cn"), now=NOW)

    assert (identity.issuer, identity.subject) == ("https://i", "u1")
    assert identity.email == "a@b.cn"


async def test_secret_nobody_shares_makes_only_our_own_identities() -> None:
    with pytest.raises(Unauthenticated):
        await tokens(jwt_secret=None).verify(signed("HS256", SECRET), now=NOW)


@pytest.mark.parametrize("algorithm", ["RS256", "ES256", "EdDSA"])
async def test_issuers_keys_verify(algorithm: str) -> None:
    issuer = Issuer([public_key(algorithm)])
    token = signed(algorithm, PRIVATE[algorithm], algorithm)

    assert (await tokens(issuer).verify(token, now=NOW)).subject == "u1"


async def test_outside_key_never_makes_a_token_of_ours() -> None:
    issuer = Issuer([public_key("ES256")])
    token = signed("ES256", PRIVATE["ES256"], "ES256", iss="yarrow", sub=str(ACCOUNT))

    assert (await tokens(issuer).verify(token, now=NOW)).issuer is not None


async def test_shared_key_in_a_public_document_is_ignored() -> None:
    shared = {"kty": "oct", "k": "c2VjcmV0" * 8, "kid": "x", "alg": "HS256"}
    token = signed("HS256", jwt.PyJWK(shared).key, "x")

    with pytest.raises(Unauthenticated):
        await tokens(Issuer([shared])).verify(token, now=NOW)


async def test_public_key_as_a_shared_secret_is_refused() -> None:
    issuer = Issuer([public_key("RS256")])
    token = signed("HS256", public_key("RS256")["n"], "RS256")

    with pytest.raises(Unauthenticated):
        await tokens(issuer).verify(token, now=NOW)


FAR = 9999999999
# Named, because some are signed anew in each process.
REFUSED = {
    "empty": "",
    "nonsense": "a.b.c",
    "nul": "\x00",
    "another secret": signed("HS256", "x" * 40),
    "another algorithm": signed("HS512", SECRET * 2),
    "no keys for it": signed("RS256", PRIVATE["RS256"], "RS256"),
    "unsigned": jwt.encode({"sub": "u1", "exp": FAR}, "", "none"),
    "endless": jwt.encode({"sub": "u1"}, SECRET, "HS256"),
    "nobody's": jwt.encode({"exp": FAR}, SECRET, "HS256"),
    "blank subject": jwt.encode({"sub": " ", "exp": FAR}, SECRET, "HS256"),
    "subject with nul": jwt.encode({"sub": "a\0", "exp": FAR}, SECRET, "HS256"),
    "half a character": jwt.encode({"sub": "a\ud800", "exp": FAR}, SECRET, "HS256"),
    "beyond the calendar": jwt.encode({"sub": "u1", "exp": 10**30}, SECRET, "HS256"),
    "end in words": jwt.encode({"sub": "u1", "exp": "soon"}, SECRET, "HS256"),
}


@pytest.mark.parametrize("token", REFUSED.values(), ids=REFUSED.keys())
async def test_other_tokens_are_refused(token: str) -> None:
    with pytest.raises(Unauthenticated):
        await tokens().verify(token, now=NOW)


async def test_required_issuer_is_checked() -> None:
    picky = tokens(jwt_issuer="https://i")

    await picky.verify(signed("HS256", SECRET), now=NOW)
    with pytest.raises(Unauthenticated, match="another issuer"):
        await picky.verify(signed("HS256", SECRET, iss="https://j"), now=NOW)


async def test_required_audience_is_checked() -> None:
    picky = tokens(jwt_audience="app")

    await picky.verify(signed("HS256", SECRET, aud=["app", "web"]), now=NOW)
    await picky.verify(picky.issue(ACCOUNT, now=NOW), now=NOW)
    with pytest.raises(Unauthenticated):
        await picky.verify(signed("HS256", SECRET, aud="other"), now=NOW)
    with pytest.raises(Unauthenticated):
        await picky.verify(signed("HS256", SECRET), now=NOW)


async def test_audience_nobody_requires_is_ignored() -> None:
    assert await tokens().verify(signed("HS256", SECRET, aud="any"), now=NOW)


async def test_rotated_key_is_fetched_but_not_more_often_than_allowed() -> None:
    issuer = Issuer([public_key("RS256")])
    verifier = tokens(issuer)
    await verifier.verify(signed("RS256", PRIVATE["RS256"], "RS256"), now=NOW)
    rotated = signed("ES256", PRIVATE["ES256"], "ES256")
    issuer.keys = [public_key("ES256")]

    with pytest.raises(Unauthenticated, match="unknown key"):
        await verifier.verify(rotated, now=NOW + timedelta(seconds=29))
    assert await verifier.verify(rotated, now=NOW + timedelta(seconds=30))

    assert issuer.fetches == 2


async def test_issuer_that_is_away_does_not_lock_out_known_keys() -> None:
    issuer = Issuer([public_key("ES256")])
    verifier = tokens(issuer)
    later = NOW + timedelta(hours=2)
    token = signed("ES256", PRIVATE["ES256"], "ES256", exp=int(later.timestamp()) + 60)
    await verifier.verify(token, now=NOW)
    issuer.keys = None

    assert await verifier.verify(token, now=later)


async def test_issuer_that_never_answered_is_said_to_be_away() -> None:
    verifier = tokens(Issuer(None))

    for _ in range(2):
        with pytest.raises(KeysUnavailable):
            await verifier.verify(signed("ES256", PRIVATE["ES256"], "ES256"), now=NOW)
