"""Log in with e-mail and password."""

from yarrow.accounts import store
from yarrow.accounts.credential_rules import PASSWORD_MAX_CHARS
from yarrow.accounts.errors import WrongCredentials
from yarrow.accounts.login_limits import LoginLimits
from yarrow.accounts.model import Credentials, IssuedToken
from yarrow.accounts.passwords import Passwords
from yarrow.accounts.tokens import Tokens
from yarrow.clock import Clock
from yarrow.db.pool import Database


class PasswordLogin:
    """Checks an e-mail and a password, and issues a token."""

    def __init__(
        self,
        database: Database,
        tokens: Tokens,
        *,
        passwords: Passwords,
        clock: Clock,
        limits: LoginLimits,
    ) -> None:
        self._database, self._tokens = database, tokens
        self._passwords, self._clock, self._limits = passwords, clock, limits

    async def __call__(self, email: str, password: str, address: str) -> IssuedToken:
        async with self._limits.count(email, address):
            return await self._check_password(email, password)

    async def _check_password(self, email: str, password: str) -> IssuedToken:
        if len(password) > PASSWORD_MAX_CHARS:
            raise WrongCredentials
        async with self._database.connection() as tx:
            credentials = await store.find_credentials(tx, email.strip())
        password_hash = None if credentials is None else credentials.password_hash
        if not await self._passwords.matches(password, password_hash) or credentials is None:
            raise WrongCredentials
        account = credentials.account
        if self._passwords.is_outdated(credentials.password_hash):
            await self._replace_hash(credentials, password)
        return IssuedToken(account, self._tokens.issue(account.id, now=self._clock()))

    async def _replace_hash(self, credentials: Credentials, password: str) -> None:
        new_hash = await self._passwords.hash(password)
        async with self._database.connection() as tx:
            await store.replace_password_hash(tx, credentials, new_hash)
