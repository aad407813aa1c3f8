"""Sign up: a new account with a password, its profile and its first points."""

import logging

from yarrow.accounts import rules, store
from yarrow.accounts.model import LoggedIn
from yarrow.accounts.passwords import Passwords
from yarrow.accounts.tokens import Tokens
from yarrow.clock import Clock
from yarrow.db.pool import Database

log = logging.getLogger(__name__)


class SignUp:
    """The verb with what it needs; called with an e-mail and a password."""

    def __init__(
        self, database: Database, tokens: Tokens, *, passwords: Passwords, clock: Clock
    ) -> None:
        self._database, self._tokens = database, tokens
        self._passwords, self._clock = passwords, clock

    async def __call__(self, email: str, password: str) -> LoggedIn:
        email = rules.clean_email(email)
        rules.require_password(password)
        # Hashed before the transaction: no connection waits for it.
        password_hash = await self._passwords.hash(password)
        async with self._database.transaction() as tx:
            account = await store.insert_account(tx, email, password_hash)
        log.info("account.created", extra={"account_id": str(account.id)})
        return LoggedIn(account, self._tokens.issue(account.id, now=self._clock()))
