"""Values of accounts, tokens and profiles."""

from dataclasses import dataclass, field
from datetime import datetime

from yarrow.ids import AccountId
from yarrow.kit.json import JsonObject
from yarrow.kit.patch import UNCHANGED, UnchangedField


@dataclass(frozen=True, slots=True)
class Account:
    """A row of `auth.users`. `issuer` is None for accounts that signed up here."""

    id: AccountId
    email: str | None
    issuer: str | None


@dataclass(frozen=True, slots=True)
class Credentials:
    """An account and the hash of its password."""

    account: Account
    password_hash: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Identity:
    """The claims of a verified token. `issuer` is None for tokens that we issued."""

    subject: str
    issuer: str | None
    email: str | None
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class IssuedToken:
    """An account and a new access token for it."""

    account: Account
    access_token: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Preferences:
    """The settings of a profile that agents use."""

    ai_language: str
    timezone: str
    day_boundary: str
    script: str
    gender: str


@dataclass(frozen=True, slots=True)
class AccountProfile:
    """A row of `profiles`."""

    id: AccountId
    username: str
    avatar_url: str | None
    bio: str | None
    settings: JsonObject
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class ProfilePatch:
    """Changes of a profile. Settings are merged key by key."""

    username: str | UnchangedField = UNCHANGED
    avatar_url: str | UnchangedField | None = UNCHANGED
    bio: str | UnchangedField | None = UNCHANGED
    settings: JsonObject = field(default_factory=dict)
