"""Tokens signed with a secret: JSON Web Tokens with HS256, and no other kind (RFC 7515, 7519).

The signature is an HMAC, which Python has. A library for all kinds brings all of `cryptography`
with it, 9 MB in every process, and is loaded only for an outside issuer's keys (`jwks.py`).
"""

import base64
import binascii
import hashlib
import hmac

import msgspec

from yarrow.errors import Unauthenticated
from yarrow.kit.json import JsonObject, JsonValue, decode_json, encode_json

ALGORITHM = "HS256"
INVALID = "the token is not valid"

_HEADER = encode_json({"alg": ALGORITHM, "typ": "JWT"})


def sign(claims: JsonObject, secret: bytes) -> str:
    """The claims as a token."""
    signed = f"{_written(_HEADER)}.{_written(encode_json(claims))}"
    return f"{signed}.{_written(_signature(signed, secret))}"


def algorithm_of(token: str) -> str:
    """How the token says that it is signed; nothing of it is verified yet."""
    algorithm = _object(token.partition(".")[0]).get("alg")
    if not isinstance(algorithm, str):
        raise Unauthenticated(INVALID)
    return algorithm


def verify(token: str, secret: bytes, *, audience: str | None) -> JsonObject:
    """The claims of a token that the secret signed, for this audience if one is wanted.

    Its times are for the caller to judge.
    """
    if not token.isascii():
        raise Unauthenticated(INVALID)
    signed, _, signature = token.rpartition(".")
    header, _, payload = signed.partition(".")
    _require_plain(_object(header))
    if not hmac.compare_digest(_read(signature), _signature(signed, secret)):
        raise Unauthenticated(INVALID)
    claims = _object(payload)
    _require_sound(claims)
    if audience is not None and audience not in _audiences(claims):
        raise Unauthenticated(INVALID)
    return claims


def _require_plain(header: JsonObject) -> None:
    """A header that asks for nothing we do not do: what is critical must be understood."""
    asks = "crit" in header or header.get("b64", True) is False
    if header.get("alg") != ALGORITHM or asks or not isinstance(header.get("kid", ""), str):
        raise Unauthenticated(INVALID)


def _require_sound(claims: JsonObject) -> None:
    texts = (claims.get("sub"), claims.get("jti", ""))
    if claims.get("exp") is None or not all(isinstance(text, str) for text in texts):
        raise Unauthenticated(INVALID)


def _audiences(claims: JsonObject) -> list[str]:
    named: JsonValue = claims.get("aud")
    audiences: list[JsonValue] = named if isinstance(named, list) else [named]
    if not all(isinstance(audience, str) for audience in audiences):
        raise Unauthenticated(INVALID)
    return audiences


def _signature(signed: str, secret: bytes) -> bytes:
    return hmac.digest(secret, signed.encode(), hashlib.sha256)


def _object(part: str) -> JsonObject:
    try:
        value = decode_json(_read(part))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as broken:
        raise Unauthenticated(INVALID) from broken
    if not isinstance(value, dict):
        raise Unauthenticated(INVALID)
    return value


def _written(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _read(part: str) -> bytes:
    """The bytes of a part. Python skips foreign characters: only what we would write is read."""
    bare = part.rstrip("=")
    try:
        data = base64.urlsafe_b64decode(bare + "=" * (-len(bare) % 4))
    except (binascii.Error, ValueError) as broken:
        raise Unauthenticated(INVALID) from broken
    if _written(data) != bare or (bare != part and len(part) % 4):
        raise Unauthenticated(INVALID)
    return data
