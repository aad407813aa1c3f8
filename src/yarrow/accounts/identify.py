"""Find the account of a request's bearer token."""

from datetime import datetime, timedelta
from hashlib import sha256
from uuid import UUID

from yarrow.accounts import rules, store
from yarrow.accounts.model import Identity
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


async def sign_out_local(_token: str | None) -> None:
    """A server without accounts has no tokens to refuse."""


async def ensure_local_account(database: Database) -> AccountId:
    """Create the local account; a trigger adds its profile and points."""
    async with database.transaction() as tx:
        await store.insert_local_account(tx, LOCAL_ACCOUNT)
    return LOCAL_ACCOUNT


class TokenAuthenticator:
    """The account of a bearer token; called once per request.

    Verifying a signature costs more than the rest of a request, so verified tokens are cached:
    their digests, never the tokens.
    """

    def __init__(self, database: Database, tokens: Tokens, *, clock: Clock) -> None:
        self._database, self._tokens, self._clock = database, tokens, clock
        self._accounts: ExpiringCache[bytes, AccountId, datetime] = ExpiringCache(
            CACHED_TOKENS, clock=clock
        )

    async def __call__(self, token: str | None) -> AccountId:
        if token is None:
            raise Unauthenticated
        digest = sha256(token.encode()).digest()
        known = self._accounts.get(digest)
        if known is not None:
            return known
        now = self._clock()
        identity = await self._tokens.verify(token, now=now)
        account_id = await self._find_or_create(identity, digest)
        until = min(identity.expires_at, now + TRUSTED_FOR)
        self._accounts.put(digest, account_id, until=until)
        return account_id

    async def sign_out(self, token: str | None) -> None:
        """Refuse this token: here at once, in other processes after `TRUSTED_FOR` at the latest."""
        if token is None:
            raise Unauthenticated
        await self(token)
        digest = sha256(token.encode()).digest()
        identity = await self._tokens.verify(token, now=self._clock())
        async with self._database.transaction() as tx:
            await store.insert_signed_out_token(tx, digest, identity.expires_at)
        self._accounts.remove(digest)

    async def _find_or_create(self, identity: Identity, digest: bytes) -> AccountId:
        account_id = rules.derive_account_id(identity)
        async with self._database.transaction() as tx:
            if await store.is_signed_out(tx, digest):
                raise Unauthenticated("the token was signed out")
            account = await store.find_account(tx, account_id)
            if account is None and identity.issuer is not None:
                await store.insert_external_account(tx, account_id, identity)
                account = await store.find_account(tx, account_id)
        rules.require_same_issuer(identity, account)
        return account_id
