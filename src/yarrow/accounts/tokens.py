"""Tokens: issuing our own, verifying our own and an outside issuer's."""

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, TypeGuard

from yarrow.accounts import hs256
from yarrow.accounts.hs256 import INVALID
from yarrow.accounts.model import Identity
from yarrow.accounts.rules import EMAIL_MAX_CHARS, TOKEN_LEEWAY
from yarrow.accounts.secret import signing_secret
from yarrow.errors import Unauthenticated
from yarrow.ids import AccountId
from yarrow.kit.json import JsonObject
from yarrow.settings import Settings

if TYPE_CHECKING:
    from yarrow.accounts.jwks import KeySet

OWN_ISSUER = "yarrow"


class Tokens:
    """Verifies by what the header names: our secret for HS256, the issuer's keys for the rest.

    Whose token it is follows from the key that verified it: a token signed with an outside
    key is never ours, whatever it claims.
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
            "iat": int(now.timestamp()),
            "exp": int((now + self._ttl).timestamp()),
        }
        if self._audience is not None:
            claims["aud"] = self._audience
        return hs256.sign(claims, self._secret)

    async def verify(self, token: str, *, now: datetime) -> Identity:
        if hs256.algorithm_of(token) == hs256.ALGORITHM:
            claims = hs256.verify(token, self._secret, audience=self._audience)
            issuer = None if claims.get("iss") == OWN_ISSUER else self._sharer(claims)
        elif self._keys is not None:
            claims = await self._keys.verify(token, audience=self._audience, now=now)
            issuer = self._outside_issuer(claims)
        else:
            raise Unauthenticated(INVALID)
        return _identity(claims, issuer, now)

    def _sharer(self, claims: JsonObject) -> str:
        if not self._shares_secret:
            raise Unauthenticated(INVALID)
        return self._outside_issuer(claims)

    def _outside_issuer(self, claims: JsonObject) -> str:
        claimed = claims.get("iss")
        if self._issuer is not None and claimed != self._issuer:
            raise Unauthenticated("the token is from another issuer")
        return claimed if _is_plain(claimed) else "outside"


def open_tokens(settings: Settings) -> Tokens:
    """Tokens as the settings want them."""
    keys = _outside_keys(settings.jwks_url) if settings.jwks_url else None
    return Tokens(settings, secret=signing_secret(settings), keys=keys)


def _outside_keys(url: str) -> "KeySet":
    """Loaded where an issuer is configured: what verifies its signatures weighs 9 MB."""
    from yarrow.accounts.jwks import KeySet, fetch_from  # noqa: PLC0415

    return KeySet(fetch_from(url))


def _identity(claims: JsonObject, issuer: str | None, now: datetime) -> Identity:
    expires_at = _moment(claims["exp"])
    if expires_at + TOKEN_LEEWAY <= now:
        raise Unauthenticated("the token has expired")
    if "nbf" in claims and _moment(claims["nbf"]) - TOKEN_LEEWAY > now:
        raise Unauthenticated("the token is not valid yet")
    subject, email = claims["sub"], claims.get("email")
    if not _is_plain(subject):
        raise Unauthenticated(INVALID)
    keep_email = _is_plain(email) and len(email) <= EMAIL_MAX_CHARS
    return Identity(subject, issuer, email if keep_email else None, expires_at)


def _is_plain(value: object) -> TypeGuard[str]:
    """Text that PostgreSQL can keep: a claim may hold NUL or half a character."""
    return isinstance(value, str) and bool(value.strip()) and value.isprintable()


def _moment(value: object) -> datetime:
    """A NumericDate; whatever is none, or beyond the calendar, makes the token invalid."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Unauthenticated(INVALID)
    try:
        return datetime.fromtimestamp(value, UTC)
    except (ValueError, OverflowError, OSError) as beyond:
        raise Unauthenticated(INVALID) from beyond
