"""Errors of accounts, signup, login and tokens."""

from yarrow.errors import Conflict, NotFound, TooManyRequests, Unauthenticated, Unavailable


class WrongCredentials(Unauthenticated):
    """E-mail and password do not match an account."""

    def __init__(self) -> None:
        super().__init__("e-mail or password is wrong")


class TooManyLogins(TooManyRequests):
    """Too many failed logins with this e-mail or from this address; nothing was checked."""

    def __init__(self, retry_after_s: float) -> None:
        super().__init__("too many failed logins; try again later", retry_after_s=retry_after_s)


class TooManySignups(TooManyRequests):
    """Too many accounts were created from this address; nothing was created."""

    def __init__(self, retry_after_s: float) -> None:
        super().__init__("too many new accounts; try again later", retry_after_s=retry_after_s)


class AccountNotFound(NotFound):
    """No account has this id or e-mail."""

    def __init__(self, who: str) -> None:
        super().__init__(f"no account {who}")
        self.who = who


class EmailTaken(Conflict):
    """Another account has this e-mail."""

    def __init__(self) -> None:
        super().__init__("an account with this e-mail exists; log in instead")


class AuthDisabled(Conflict):
    """Signup and login are off: `YARROW_AUTH=off` serves one local account."""

    def __init__(self) -> None:
        super().__init__("this server runs without accounts; call it without a token")


class KeysUnavailable(Unavailable):
    """The token issuer's keys (JWKS) cannot be fetched."""

    def __init__(self) -> None:
        super().__init__("the token issuer's keys cannot be fetched; try again")
