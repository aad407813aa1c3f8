"""Sign up with e-mail and password.

The user name, the profile and the first 100 points come from the database's trigger
`initialize_profile_and_points_on_signup`
(`migrations/versions/0001_accounts_points_sessions_runs.sql`).
"""

import logging

from yarrow.accounts import store
from yarrow.accounts.credential_rules import clean_email, require_password
from yarrow.accounts.errors import TooManySignups
from yarrow.accounts.listen_address import is_loopback
from yarrow.accounts.model import IssuedToken
from yarrow.accounts.passwords import Passwords
from yarrow.accounts.tokens import Tokens
from yarrow.clock import Clock
from yarrow.db.pool import Database
from yarrow.kit.ip_addresses import find_client_network
from yarrow.kit.rate_limit import RateLimit

log = logging.getLogger(__name__)


class PasswordSignup:
    """Creates an account and issues a token."""

    def __init__(
        self,
        database: Database,
        tokens: Tokens,
        *,
        passwords: Passwords,
        clock: Clock,
        per_hour: int,
    ) -> None:
        self._database, self._tokens = database, tokens
        self._passwords, self._clock = passwords, clock
        self._addresses = RateLimit(burst=per_hour, per_s=per_hour / 3600)

    async def __call__(self, email: str, password: str, address: str) -> IssuedToken:
        email = clean_email(email)
        require_password(password)
        self._count_signup(address)
        # Before the transaction, so that no connection is held while hashing.
        password_hash = await self._passwords.hash(password)
        async with self._database.transaction() as tx:
            account = await store.insert_account(tx, email, password_hash)
        log.info("account.created", extra={"account_id": str(account.id)})
        return IssuedToken(account, self._tokens.issue(account.id, now=self._clock()))

    def _count_signup(self, address: str) -> None:
        """Count a signup of the address; not of loopback, where the operator's programs are."""
        if is_loopback(address):
            return
        now = self._clock().timestamp()
        if wait_s := self._addresses.take(find_client_network(address), now=now):
            raise TooManySignups(wait_s)
