"""The doors of the product as the settings want them: who calls, signing up, logging in."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias, assert_never

from argon2 import PasswordHasher

from yarrow.accounts.errors import AuthDisabled
from yarrow.accounts.identify import IdentifyByToken, ensure_local_account, identify_local
from yarrow.accounts.login import LogIn
from yarrow.accounts.model import LoggedIn
from yarrow.accounts.passwords import Passwords
from yarrow.accounts.signup import SignUp
from yarrow.accounts.tokens import open_tokens
from yarrow.clock import Clock
from yarrow.db.pool import Database
from yarrow.ids import AccountId
from yarrow.settings import AuthMode, Settings

Enter: TypeAlias = Callable[[str, str], Awaitable[LoggedIn]]


@dataclass(frozen=True, slots=True)
class Entrance:
    """`identify` goes on `app.state`; the other two go to the account routes."""

    identify: Callable[[str | None], Awaitable[AccountId]]
    sign_up: Enter
    log_in: Enter


async def open_entrance(
    settings: Settings, database: Database, *, clock: Clock, hasher: PasswordHasher | None = None
) -> Entrance:
    match settings.auth:
        case AuthMode.OFF:
            await ensure_local_account(database)
            return Entrance(identify_local, refuse_entry, refuse_entry)
        case AuthMode.JWT:
            tokens = open_tokens(settings)
            passwords = Passwords(hasher or PasswordHasher())
            return Entrance(
                IdentifyByToken(database, tokens, clock=clock),
                SignUp(database, tokens, passwords=passwords, clock=clock),
                LogIn(database, tokens, passwords=passwords, clock=clock),
            )
        case _:
            assert_never(settings.auth)


async def refuse_entry(_email: str, _password: str) -> LoggedIn:
    """Without accounts there is nothing to enter."""
    raise AuthDisabled
