"""Values of accounts, tokens and profiles."""

from datetime import datetime

from msgspec import Struct, field

from yarrow.ids import AccountId
from yarrow.kit.json import JsonObject
from yarrow.kit.patch import UNCHANGED, UnchangedField
from yarrow.kit.secret_repr import format_without_secret


class Account(Struct, frozen=True):
    """A row of `auth.users`. `issuer` is None for accounts that signed up here."""

    id: AccountId
    email: str | None
    issuer: str | None


class Credentials(Struct, frozen=True):
    """An account and the hash of its password."""

    account: Account
    password_hash: str

    def __repr__(self) -> str:
        return format_without_secret(self, "password_hash")


class Identity(Struct, frozen=True):
    """The claims of a verified token. `issuer` is None for tokens that we issued."""

    subject: str
    issuer: str | None
    email: str | None
    expires_at: datetime


class IssuedToken(Struct, frozen=True):
    """An account and a new access token for it."""

    account: Account
    access_token: str

    def __repr__(self) -> str:
        return format_without_secret(self, "access_token")


class Preferences(Struct, frozen=True):
    """The settings of a profile that agents use."""

    ai_language: str
    timezone: str
    day_boundary: str
    script: str
    gender: str


class AccountProfile(Struct, frozen=True):
    """A row of `profiles`."""

    id: AccountId
    username: str
    avatar_url: str | None
    bio: str | None
    settings: JsonObject
    created_at: datetime
    updated_at: datetime


class ProfilePatch(Struct, frozen=True):
    """Changes of a profile. Settings are merged key by key."""

    username: str | UnchangedField = UNCHANGED
    avatar_url: str | UnchangedField | None = UNCHANGED
    bio: str | UnchangedField | None = UNCHANGED
    settings: JsonObject = field(default_factory=dict)
