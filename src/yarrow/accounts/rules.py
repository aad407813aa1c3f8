"""Rules for accounts and profiles, and for the addresses a server without accounts may use."""

import re
from ipaddress import ip_address
from uuid import NAMESPACE_URL, UUID, uuid5

from msgspec.structs import replace

from yarrow.accounts.model import Account, AccountProfile, Identity, ProfilePatch
from yarrow.accounts.preferences import require_settings
from yarrow.errors import InvalidInput, Misconfigured, Unauthenticated
from yarrow.ids import AccountId
from yarrow.kit.patch import UNCHANGED
from yarrow.settings import AuthMode

EMAIL_MAX_CHARS = 254
PASSWORD_MIN_CHARS = 8
PASSWORD_MAX_CHARS = 128
USERNAME_MAX_CHARS = 64
AVATAR_URL_MAX_CHARS = 2048
BIO_MAX_CHARS = 500

_EMAIL = re.compile(r"[^@\s\x00-\x20\x7f]{1,64}@(?:[^@\s.]{1,63}\.)+[^@\s.]{2,63}")
_WEB_URL = re.compile(r"https?://[^\s/?#@]+(?:[/?#]\S*)?", re.IGNORECASE)


def clean_email(email: str) -> str:
    """Strip and validate an e-mail address."""
    email = email.strip()
    if len(email) > EMAIL_MAX_CHARS or not _EMAIL.fullmatch(email) or not email.isprintable():
        raise InvalidInput("email must be an e-mail address", field="email")
    return email


def require_password(password: str) -> None:
    if not PASSWORD_MIN_CHARS <= len(password) <= PASSWORD_MAX_CHARS:
        raise InvalidInput(
            f"password must have {PASSWORD_MIN_CHARS} to {PASSWORD_MAX_CHARS} characters",
            field="password",
        )


def derive_account_id(identity: Identity) -> AccountId:
    """The account id of a token: its subject if that is a UUID, else a UUID derived from it."""
    try:
        return AccountId(UUID(identity.subject))
    except ValueError:
        if identity.issuer is None:
            raise Unauthenticated("the token is not valid") from None
        return AccountId(uuid5(NAMESPACE_URL, f"{identity.issuer}\n{identity.subject}"))


def require_same_issuer(identity: Identity, account: Account | None) -> None:
    """Refuse a subject that is an account of another issuer."""
    if account is None or account.issuer != identity.issuer:
        raise Unauthenticated("the token is for an account that does not exist here")


def require_safe_binding(auth: AuthMode, host: str) -> None:
    """Allow only loopback addresses without accounts: whoever connects is the local user."""
    if auth is AuthMode.OFF and not is_loopback(host):
        raise Misconfigured(
            "YARROW_AUTH=off serves one local user and must not listen on"
            f" {host or 'all addresses'}: use --host 127.0.0.1, or set YARROW_AUTH=jwt"
        )


def is_loopback(host: str) -> bool:
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def apply_patch(profile: AccountProfile, patch: ProfilePatch) -> AccountProfile:
    """The patched profile; `InvalidInput` for the first rule that the patch breaks."""
    if patch.username is not UNCHANGED:
        profile = replace(profile, username=_clean_username(patch.username))
    if patch.avatar_url is not UNCHANGED:
        _require_avatar_url(patch.avatar_url)
        profile = replace(profile, avatar_url=patch.avatar_url)
    if patch.bio is not UNCHANGED:
        _require_bio(patch.bio)
        profile = replace(profile, bio=patch.bio)
    require_settings(patch.settings)
    return replace(profile, settings=profile.settings | patch.settings)


def _clean_username(username: str) -> str:
    username = username.strip()
    if not username:
        raise InvalidInput("username must not be empty", field="username")
    if len(username) > USERNAME_MAX_CHARS:
        raise InvalidInput(
            f"username must have at most {USERNAME_MAX_CHARS} characters", field="username"
        )
    if not username.isprintable():
        raise InvalidInput("username must be printable", field="username")
    return username


def _require_avatar_url(url: str | None) -> None:
    if url is None:
        return
    if len(url) > AVATAR_URL_MAX_CHARS:
        raise InvalidInput(
            f"avatar_url must have at most {AVATAR_URL_MAX_CHARS} characters", field="avatar_url"
        )
    if not _WEB_URL.fullmatch(url):
        raise InvalidInput("avatar_url must be an http or https URL", field="avatar_url")


def _require_bio(bio: str | None) -> None:
    if bio is not None and len(bio) > BIO_MAX_CHARS:
        raise InvalidInput(f"bio must have at most {BIO_MAX_CHARS} characters", field="bio")
