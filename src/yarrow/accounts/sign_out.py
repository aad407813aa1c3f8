"""Sign out: refuse a token before it expires."""

from yarrow.accounts import store
from yarrow.accounts.identify import TokenAuthenticator, digest_signed_part
from yarrow.accounts.tokens import TOKEN_LEEWAY, Tokens
from yarrow.clock import Clock
from yarrow.db.pool import Database
from yarrow.errors import Unauthenticated


async def sign_out_local(_token: str | None) -> None:
    """A server without accounts has no tokens to refuse."""


class TokenSignOut:
    """Refuses a token: here at once, in other processes after `TRUSTED_FOR` at the latest."""

    def __init__(
        self, database: Database, tokens: Tokens, *, authenticator: TokenAuthenticator, clock: Clock
    ) -> None:
        self._database, self._tokens, self._clock = database, tokens, clock
        self._authenticator = authenticator

    async def __call__(self, token: str | None) -> None:
        if token is None:
            raise Unauthenticated
        await self._authenticator(token)
        identity = await self._tokens.verify(token, now=self._clock())
        until = identity.expires_at + TOKEN_LEEWAY
        async with self._database.transaction() as tx:
            await store.insert_signed_out_token(tx, digest_signed_part(token), until)
        self._authenticator.forget(token)
