"""Values of an account: who it is, what its token says, and its profile."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum, auto
from typing import Final, Literal, TypeAlias

from yarrow.ids import AccountId
from yarrow.kit.json import JsonObject


@dataclass(frozen=True, slots=True)
class Account:
    """A row of `auth.users`. `issuer` is None for accounts that signed up here."""

    id: AccountId
    email: str | None
    issuer: str | None


@dataclass(frozen=True, slots=True)
class Credentials:
    """What a login is checked against."""

    account: Account
    password_hash: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Identity:
    """What a verified token says. `issuer` is None for tokens of our own."""

    subject: str
    issuer: str | None
    email: str | None
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class LoggedIn:
    """An account and a fresh token for it."""

    account: Account
    access_token: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Preferences:
    """The settings that agents read."""

    ai_language: str
    timezone: str
    day_boundary: str
    script: str


@dataclass(frozen=True, slots=True)
class Profile:
    """How a user appears, and what they prefer."""

    id: AccountId
    username: str
    avatar_url: str | None
    bio: str | None
    settings: JsonObject
    created_at: datetime
    updated_at: datetime


class Unchanged(Enum):
    """A field that a patch leaves alone; None would mean that it is cleared."""

    UNCHANGED = auto()


UNCHANGED: Final = Unchanged.UNCHANGED
Same: TypeAlias = Literal[Unchanged.UNCHANGED]


@dataclass(frozen=True, slots=True)
class ProfilePatch:
    """What a client wants to change. Settings are merged key by key."""

    username: str | Same = UNCHANGED
    avatar_url: str | Same | None = UNCHANGED
    bio: str | Same | None = UNCHANGED
    settings: JsonObject = field(default_factory=dict)
