"""Build authentication for the configured mode: token check, signup, login."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias, assert_never

from argon2 import PasswordHasher

from yarrow.accounts.errors import AuthDisabled
from yarrow.accounts.identify import TokenAuthenticator, ensure_local_account, identify_local
from yarrow.accounts.login import PasswordLogin
from yarrow.accounts.model import IssuedToken
from yarrow.accounts.passwords import Passwords
from yarrow.accounts.signup import PasswordSignup
from yarrow.accounts.tokens import build_tokens
from yarrow.clock import Clock
from yarrow.db.pool import Database
from yarrow.ids import AccountId
from yarrow.settings import AuthMode, Settings

Login: TypeAlias = Callable[[str, str], Awaitable[IssuedToken]]
"""Signup or login: an e-mail and a password for a token."""


@dataclass(frozen=True, slots=True)
class Authentication:
    """The account of a request's token, and how to get a token."""

    identify: Callable[[str | None], Awaitable[AccountId]]
    sign_up: Login
    log_in: Login


async def build_authentication(
    settings: Settings, database: Database, *, clock: Clock, hasher: PasswordHasher | None = None
) -> Authentication:
    match settings.auth:
        case AuthMode.OFF:
            await ensure_local_account(database)
            return Authentication(identify_local, refuse_login, refuse_login)
        case AuthMode.JWT:
            tokens = build_tokens(settings)
            passwords = Passwords(hasher or PasswordHasher())
            return Authentication(
                TokenAuthenticator(database, tokens, clock=clock),
                PasswordSignup(database, tokens, passwords=passwords, clock=clock),
                PasswordLogin(database, tokens, passwords=passwords, clock=clock),
            )
        case _:
            assert_never(settings.auth)


async def refuse_login(_email: str, _password: str) -> IssuedToken:
    """Signup and login of a server without accounts."""
    raise AuthDisabled
