"""Log in: e-mail and password for a token."""

from yarrow.accounts import store
from yarrow.accounts.errors import WrongCredentials
from yarrow.accounts.model import LoggedIn
from yarrow.accounts.passwords import Passwords
from yarrow.accounts.rules import PASSWORD_MAX_CHARS
from yarrow.accounts.tokens import Tokens
from yarrow.clock import Clock
from yarrow.db.pool import Database


class LogIn:
    """The verb with what it needs; called with an e-mail and a password."""

    def __init__(
        self, database: Database, tokens: Tokens, *, passwords: Passwords, clock: Clock
    ) -> None:
        self._database, self._tokens = database, tokens
        self._passwords, self._clock = passwords, clock

    async def __call__(self, email: str, password: str) -> LoggedIn:
        if len(password) > PASSWORD_MAX_CHARS:
            raise WrongCredentials
        async with self._database.connection() as tx:
            found = await store.find_credentials(tx, email.strip())
        stored = None if found is None else found.password_hash
        if not await self._passwords.matches(password, stored) or found is None:
            raise WrongCredentials
        return LoggedIn(found.account, self._tokens.issue(found.account.id, now=self._clock()))
