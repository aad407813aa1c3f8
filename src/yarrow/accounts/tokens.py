"""Issue tokens, and verify our own and an external issuer's."""

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, TypeGuard

from yarrow.accounts import hs256
from yarrow.accounts.credential_rules import EMAIL_MAX_CHARS
from yarrow.accounts.hs256 import INVALID
from yarrow.accounts.model import Identity
from yarrow.accounts.server_secrets import read_signing_secret
from yarrow.errors import Unauthenticated
from yarrow.ids import AccountId, new_uuid
from yarrow.kit.json import JsonObject
from yarrow.settings import Settings

if TYPE_CHECKING:
    from yarrow.accounts.jwks import KeySet

OWN_ISSUER = "yarrow"
TOKEN_LEEWAY = timedelta(seconds=10)
"""How far the clocks of an issuer and of this server may differ."""


class Tokens:
    """Verifies HS256 with our secret, other algorithms with the external issuer's keys.

    The issuer of a token follows from the key that verified it, not from its claims: a token
    signed with an external key is never ours.
    """

    def __init__(self, settings: Settings, *, secret: bytes, keys: "KeySet | None") -> None:
        self._secret, self._keys = secret, keys
        self._ttl = timedelta(seconds=settings.jwt_ttl_s)
        self._audience = settings.jwt_audience
        self._issuer = settings.jwt_issuer
        self._shares_secret = settings.jwt_secret is not None and keys is None

    def issue(self, account_id: AccountId, *, now: datetime) -> str:
        claims: JsonObject = {
            "iss": OWN_ISSUER,
            "sub": str(account_id),
            "jti": new_uuid().hex,  # Two tokens of one second differ: one can be signed out.
            "iat": int(now.timestamp()),
            "exp": int((now + self._ttl).timestamp()),
        }
        if self._audience is not None:
            claims["aud"] = self._audience
        return hs256.sign_claims(claims, self._secret)

    async def verify(self, token: str, *, now: datetime) -> Identity:
        if hs256.read_algorithm(token) == hs256.ALGORITHM:
            claims = hs256.verify_token(token, self._secret, audience=self._audience)
            issuer = (
                None
                if claims.get("iss") == OWN_ISSUER
                else self._require_shared_secret_issuer(claims)
            )
        elif self._keys is not None:
            claims = await self._keys.verify(token, audience=self._audience, now=now)
            issuer = self._read_issuer(claims)
        else:
            raise Unauthenticated(INVALID)
        return _check_identity(claims, issuer, now)

    def _require_shared_secret_issuer(self, claims: JsonObject) -> str:
        """The issuer with which the operator shares the HS256 secret."""
        if not self._shares_secret:
            raise Unauthenticated(INVALID)
        return self._read_issuer(claims)

    def _read_issuer(self, claims: JsonObject) -> str:
        issuer = claims.get("iss")
        if self._issuer is not None and issuer != self._issuer:
            raise Unauthenticated("the token is from another issuer")
        return issuer if _is_storable(issuer) else "outside"


def build_tokens(settings: Settings) -> Tokens:
    """Tokens for the configured secret and issuer."""
    keys = _build_key_set(settings.jwks_url) if settings.jwks_url else None
    return Tokens(settings, secret=read_signing_secret(settings), keys=keys)


def _build_key_set(url: str) -> "KeySet":
    """Import PyJWT and cryptography (9 MB) only when an issuer is configured."""
    from yarrow.accounts.jwks import KeySet, make_key_fetcher  # noqa: PLC0415

    return KeySet(make_key_fetcher(url))


def _check_identity(claims: JsonObject, issuer: str | None, now: datetime) -> Identity:
    expires_at = _parse_time(claims["exp"])
    if expires_at + TOKEN_LEEWAY <= now:
        raise Unauthenticated("the token has expired")
    if "nbf" in claims and _parse_time(claims["nbf"]) - TOKEN_LEEWAY > now:
        raise Unauthenticated("the token is not valid yet")
    subject, email = claims["sub"], claims.get("email")
    if not _is_storable(subject):
        raise Unauthenticated(INVALID)
    if not _is_storable(email) or len(email) > EMAIL_MAX_CHARS:
        email = None
    return Identity(subject, issuer, email, expires_at)


def _is_storable(value: object) -> TypeGuard[str]:
    """Whether PostgreSQL can store it: a claim may hold NUL or a lone surrogate."""
    return isinstance(value, str) and bool(value.strip()) and value.isprintable()


def _parse_time(value: object) -> datetime:
    """Parse a NumericDate (RFC 7519); anything else makes the token invalid."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Unauthenticated(INVALID)
    try:
        return datetime.fromtimestamp(value, UTC)
    except (ValueError, OverflowError, OSError) as error:
        raise Unauthenticated(INVALID) from error
