"""Build authentication for the configured mode: token check, signup, login, sign-out."""

from collections.abc import Awaitable, Callable
from typing import TypeAlias, assert_never

from argon2 import PasswordHasher
from msgspec import Struct

from yarrow.accounts.errors import AuthDisabled
from yarrow.accounts.identify import TokenAuthenticator, ensure_local_account, identify_local
from yarrow.accounts.login import PasswordLogin
from yarrow.accounts.login_limits import LoginLimits
from yarrow.accounts.model import IssuedToken
from yarrow.accounts.passwords import Passwords, make_hasher
from yarrow.accounts.sign_out import TokenSignOut, sign_out_local
from yarrow.accounts.signup import PasswordSignup
from yarrow.accounts.tokens import build_tokens
from yarrow.clock import Clock
from yarrow.db.pool import Database
from yarrow.ids import AccountId
from yarrow.settings import AuthMode, Settings

GetToken: TypeAlias = Callable[[str, str, str], Awaitable[IssuedToken]]
"""An e-mail, a password and the client's address for a token."""


class Authentication(Struct, frozen=True):
    """The account of a request's token, and how to get a token."""

    identify: Callable[[str | None], Awaitable[AccountId]]
    sign_up: GetToken
    log_in: GetToken
    sign_out: Callable[[str | None], Awaitable[None]]
    """Refuse a token from now on."""


async def build_authentication(
    settings: Settings, database: Database, *, clock: Clock, hasher: PasswordHasher | None = None
) -> Authentication:
    match settings.auth:
        case AuthMode.OFF:
            await ensure_local_account(database)
            return Authentication(identify_local, refuse_signup, refuse_login, sign_out_local)
        case AuthMode.JWT:
            tokens = build_tokens(settings)
            passwords = Passwords(hasher or make_hasher())
            authenticator = TokenAuthenticator(database, tokens, clock=clock)
            return Authentication(
                authenticator,
                PasswordSignup(
                    database,
                    tokens,
                    passwords=passwords,
                    clock=clock,
                    per_hour=settings.signups_per_hour,
                ),
                PasswordLogin(
                    database,
                    tokens,
                    passwords=passwords,
                    clock=clock,
                    limits=LoginLimits(clock),
                ),
                TokenSignOut(database, tokens, authenticator=authenticator, clock=clock),
            )
        case _:
            assert_never(settings.auth)


async def refuse_signup(_email: str, _password: str, _address: str) -> IssuedToken:
    """Signup of a server without accounts."""
    raise AuthDisabled


async def refuse_login(_email: str, _password: str, _address: str) -> IssuedToken:
    """Login of a server without accounts."""
    raise AuthDisabled
