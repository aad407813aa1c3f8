"""From a token to an account, on the path of every request."""

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
"""The one account of a server without accounts."""

TRUSTED_FOR = timedelta(minutes=5)
"""How long a verified token is not verified again: the longest a deleted account or a revoked
key goes unnoticed."""

CACHED_TOKENS = 10_000


async def identify_local(_token: str | None) -> AccountId:
    """Without accounts, whoever reaches the server is the local account."""
    return LOCAL_ACCOUNT


async def ensure_local_account(database: Database) -> AccountId:
    """Make the local account on first start; the signup trigger does the rest."""
    async with database.transaction() as tx:
        await store.insert_local_account(tx, LOCAL_ACCOUNT)
    return LOCAL_ACCOUNT


class IdentifyByToken:
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
        account_id = await self._account(identity)
        until = min(identity.expires_at, now + TRUSTED_FOR)
        self._accounts.put(digest, account_id, until=until)
        return account_id

    async def _account(self, identity: Identity) -> AccountId:
        account_id = rules.account_id_of(identity)
        async with self._database.transaction() as tx:
            found = await store.find_account(tx, account_id)
            if found is None and identity.issuer is not None:
                await store.insert_outside_account(tx, account_id, identity)
                found = await store.find_account(tx, account_id)
        rules.require_same_issuer(identity, found)
        return account_id
