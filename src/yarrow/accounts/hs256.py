"""JSON Web Tokens with HS256 and no other algorithm (RFC 7515, 7519).

HS256 is an HMAC, which Python has. PyJWT imports all of `cryptography`, 9 MB in every process; it
is loaded only for an external issuer's keys (`jwks.py`).
"""

import base64
import binascii
import hashlib
import hmac

import msgspec

from yarrow.errors import Unauthenticated
from yarrow.kit.json import JsonObject, decode_json, encode_json

ALGORITHM = "HS256"
INVALID = "the token is not valid"

_HEADER = encode_json({"alg": ALGORITHM, "typ": "JWT"})


def sign_claims(claims: JsonObject, secret: bytes) -> str:
    """Encode and sign the claims."""
    signed = f"{_encode_base64(_HEADER)}.{_encode_base64(encode_json(claims))}"
    return f"{signed}.{_encode_base64(_compute_signature(signed, secret))}"


def read_algorithm(token: str) -> str:
    """The algorithm in the header; nothing is verified yet."""
    algorithm = _decode_object(token.partition(".")[0]).get("alg")
    if not isinstance(algorithm, str):
        raise Unauthenticated(INVALID)
    return algorithm


def verify_token(token: str, secret: bytes, *, audience: str | None) -> JsonObject:
    """The claims of a token that is signed with the secret, for `audience` if that is not None.

    The caller checks `exp` and `nbf`.
    """
    if not token.isascii():
        raise Unauthenticated(INVALID)
    signed, _, signature = token.rpartition(".")
    header, _, payload = signed.partition(".")
    _require_supported(_decode_object(header))
    if not hmac.compare_digest(_decode_base64(signature), _compute_signature(signed, secret)):
        raise Unauthenticated(INVALID)
    claims = _decode_object(payload)
    _require_claims(claims)
    if audience is not None and audience not in _read_audiences(claims):
        raise Unauthenticated(INVALID)
    return claims


def _require_supported(header: JsonObject) -> None:
    """Refuse headers that ask for extensions: RFC 7515 has unknown critical ones refused."""
    extended = "crit" in header or header.get("b64", True) is False
    if header.get("alg") != ALGORITHM or extended or not isinstance(header.get("kid", ""), str):
        raise Unauthenticated(INVALID)


def _require_claims(claims: JsonObject) -> None:
    texts = (claims.get("sub"), claims.get("jti", ""))
    if claims.get("exp") is None or not all(isinstance(text, str) for text in texts):
        raise Unauthenticated(INVALID)


def _read_audiences(claims: JsonObject) -> list[str]:
    claim = claims.get("aud")
    audiences = claim if isinstance(claim, list) else [claim]
    texts = [audience for audience in audiences if isinstance(audience, str)]
    if len(texts) < len(audiences):
        raise Unauthenticated(INVALID)
    return texts


def _compute_signature(signed: str, secret: bytes) -> bytes:
    return hmac.digest(secret, signed.encode(), hashlib.sha256)


def _decode_object(part: str) -> JsonObject:
    try:
        value = decode_json(_decode_base64(part))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Unauthenticated(INVALID) from error
    if not isinstance(value, dict):
        raise Unauthenticated(INVALID)
    return value


def _encode_base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _decode_base64(part: str) -> bytes:
    """Decode base64url strictly: Python skips foreign characters, so the result is compared."""
    bare = part.rstrip("=")
    try:
        data = base64.urlsafe_b64decode(bare + "=" * (-len(bare) % 4))
    except (binascii.Error, ValueError) as error:
        raise Unauthenticated(INVALID) from error
    if _encode_base64(data) != bare or (bare != part and len(part) % 4):
        raise Unauthenticated(INVALID)
    return data
