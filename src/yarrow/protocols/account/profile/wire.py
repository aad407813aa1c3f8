"""Bodies of the profile."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from yarrow.accounts.preferences import SETTINGS_SCHEMA
from yarrow.kit.json import JsonObject
from yarrow.protocols.account.strict_request import StrictRequest

_Settings = Annotated[JsonObject, Field(json_schema_extra=SETTINGS_SCHEMA)]


class ProfilePatchBody(StrictRequest):
    """Only fields that are sent change; null clears `avatar_url` and `bio`."""

    username: str = ""
    avatar_url: str | None = None
    bio: str | None = None
    settings: _Settings = {}  # noqa: RUF012 - pydantic copies it


class ProfileOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: UUID
    username: str
    avatar_url: str | None
    bio: str | None
    settings: _Settings
    created_at: datetime
    updated_at: datetime
