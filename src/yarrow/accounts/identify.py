"""Find the account of a request's bearer token."""

from datetime import datetime, timedelta
from hashlib import sha256
from typing import NamedTuple
from uuid import UUID

from yarrow.accounts import store
from yarrow.accounts.model import Identity
from yarrow.accounts.token_accounts import derive_account_id, require_same_issuer
from yarrow.accounts.tokens import Tokens
from yarrow.clock import Clock
from yarrow.db.pool import Database
from yarrow.errors import Unauthenticated
from yarrow.ids import AccountId
from yarrow.kit.cache import ExpiringCache

LOCAL_ACCOUNT = AccountId(UUID(int=1))
"""The account of all requests when `YARROW_AUTH=off`."""

TRUSTED_FOR = timedelta(minutes=5)
"""How long a verified token is not verified again: the longest a deleted account or a revoked
key goes unnoticed."""

CACHED_TOKENS = 10_000


async def identify_local(_token: str | None) -> AccountId:
    """The account of a server without accounts, whatever the token."""
    return LOCAL_ACCOUNT


async def ensure_local_account(database: Database) -> AccountId:
    """Create the local account; a trigger adds its profile and points."""
    async with database.transaction() as tx:
        await store.insert_local_account(tx, LOCAL_ACCOUNT)
    return LOCAL_ACCOUNT


class _VerifiedToken(NamedTuple):
    spelling: bytes
    """The digest of the token's text, signature included."""
    account_id: AccountId


def digest_signed_part(token: str) -> bytes:
    """A digest of all but the signature."""
    return sha256(token.rpartition(".")[0].encode()).digest()


class TokenAuthenticator:
    """The account of a bearer token; called once per request.

    Verifying a signature costs more than the rest of a request, so verified tokens are cached:
    their digests, never the tokens. A token is known by what it signs, because one signature has
    many valid spellings: padded base64, and for some algorithms another number.
    """

    def __init__(self, database: Database, tokens: Tokens, *, clock: Clock) -> None:
        self._database, self._tokens, self._clock = database, tokens, clock
        self._verified: ExpiringCache[bytes, _VerifiedToken, datetime] = ExpiringCache(
            CACHED_TOKENS, clock=clock
        )
        self._forgotten = 0

    async def __call__(self, token: str | None) -> AccountId:
        if token is None:
            raise Unauthenticated
        signed, spelling = digest_signed_part(token), sha256(token.encode()).digest()
        known = self._verified.get(signed)
        if known is not None and known.spelling == spelling:
            return known.account_id
        now, forgotten = self._clock(), self._forgotten
        identity = await self._tokens.verify(token, now=now)
        account_id = await self._find_or_create(identity, signed)
        until = min(identity.expires_at, now + TRUSTED_FOR)
        if forgotten == self._forgotten:  # else it may have been signed out since it was read
            self._verified.put(signed, _VerifiedToken(spelling, account_id), until=until)
        return account_id

    def forget(self, token: str) -> None:
        """Verify this token again when it comes next."""
        self._forgotten += 1
        self._verified.remove(digest_signed_part(token))

    async def _find_or_create(self, identity: Identity, signed: bytes) -> AccountId:
        account_id = derive_account_id(identity)
        async with self._database.transaction() as tx:
            if await store.is_signed_out(tx, signed):
                raise Unauthenticated("the token was signed out")
            account = await store.find_account(tx, account_id)
            if account is None and identity.issuer is not None:
                await store.insert_external_account(tx, account_id, identity)
                account = await store.find_account(tx, account_id)
        require_same_issuer(identity, account)
        return account_id
