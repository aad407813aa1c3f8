"""Request and response bodies."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from yarrow.accounts.preferences import SETTINGS_SCHEMA
from yarrow.kit.json import JsonObject

_Settings = Annotated[JsonObject, Field(json_schema_extra=SETTINGS_SCHEMA)]


class StrictRequest(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class CredentialsBody(StrictRequest):
    """The body of signup and login."""

    email: str
    password: Annotated[str, Field(repr=False)]


class ProfilePatchBody(StrictRequest):
    """Only fields that are sent change; null clears `avatar_url` and `bio`."""

    username: str = ""
    avatar_url: str | None = None
    bio: str | None = None
    settings: _Settings = {}


class UserOut(BaseModel):
    id: UUID
    email: str | None


class TokenOut(BaseModel):
    access_token: str
    token_type: Literal["bearer"]
    user: UserOut


class PointsOut(BaseModel):
    balance: int
    frozen_balance: int
    available: int
    lifetime_earned: int
    lifetime_spent: int


class LedgerEntryOut(BaseModel):
    """A row of `points_ledger`, with its column names."""

    model_config = ConfigDict(from_attributes=True)

    id: UUID
    user_id: UUID
    direction: Literal[1, -1]
    amount: int
    balance_after: int
    change_type: Literal["register", "consume", "grant", "adjust"]
    biz_type: Literal["chat"] | None
    biz_id: UUID | None
    event_id: str
    operator_id: UUID | None
    metadata: JsonObject
    created_at: datetime
    updated_at: datetime


class LedgerOut(BaseModel):
    """Newest first. `next` is present if there are more: send it as `before`."""

    entries: list[LedgerEntryOut]
    next: UUID | None = None


class ProfileOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: UUID
    username: str
    avatar_url: str | None
    bio: str | None
    settings: _Settings
    created_at: datetime
    updated_at: datetime
