"""Sign up with e-mail and password; a trigger adds the profile and the first points."""

import logging

from yarrow.accounts import rules, store
from yarrow.accounts.model import IssuedToken
from yarrow.accounts.passwords import Passwords
from yarrow.accounts.tokens import Tokens
from yarrow.clock import Clock
from yarrow.db.pool import Database

log = logging.getLogger(__name__)


class PasswordSignup:
    """Creates an account and issues a token."""

    def __init__(
        self, database: Database, tokens: Tokens, *, passwords: Passwords, clock: Clock
    ) -> None:
        self._database, self._tokens = database, tokens
        self._passwords, self._clock = passwords, clock

    async def __call__(self, email: str, password: str) -> IssuedToken:
        email = rules.clean_email(email)
        rules.require_password(password)
        # Before the transaction, so that no connection is held while hashing.
        password_hash = await self._passwords.hash(password)
        async with self._database.transaction() as tx:
            account = await store.insert_account(tx, email, password_hash)
        log.info("account.created", extra={"account_id": str(account.id)})
        return IssuedToken(account, self._tokens.issue(account.id, now=self._clock()))
