"""Bodies of the session routes, as they travel."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from yarrow.kit.json import JsonObject
from yarrow.prompting.model import PromptMode
from yarrow.protocols.tavern.router import BATCH_MAX
from yarrow.stories.model import StoryStatus, SyncPolicy

TITLE_CHARS = 500

Loose = Field(strict=False)
"""Enums travel as text."""


class Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, protected_namespaces=())


class DeepBinding(Body):
    """Versions that bound assets are held at."""

    character_version_id: str | None = None
    preset_version_id: str | None = None
    worldbook_version_id: str | None = None
    regex_profile_version_id: str | None = None


class SessionBody(Body):
    """What a session is bound to. When it is changed, what is not sent stays and null looses."""

    title: Annotated[str, Field(max_length=TITLE_CHARS)] | None = None
    status: Annotated[StoryStatus, Loose] = StoryStatus.ACTIVE
    character_id: str | None = None
    character_version_id: str | None = None
    character_sync_policy: Annotated[SyncPolicy, Loose] = SyncPolicy.PIN
    user_id: str | None = None
    preset_id: str | None = None
    preset_version_id: str | None = None
    worldbook_profile_id: str | None = None
    worldbook_version_id: str | None = None
    regex_profile_id: str | None = None
    regex_profile_version_id: str | None = None
    deep_binding: bool | DeepBinding | None = None
    prompt_mode: Annotated[PromptMode, Loose] | None = None
    model_provider: str | None = None
    model_name: str | None = None
    model_params: JsonObject | None = None
    metadata: JsonObject | None = None


class SyncBody(Body):
    """Whether a pinned character is moved all the same."""

    force: bool = False


_Ids = Annotated[list[str], Field(min_length=1, max_length=BATCH_MAX)]


class BatchStatusBody(Body):
    ids: _Ids
    status: Annotated[StoryStatus, Loose]


class BatchDeleteBody(Body):
    ids: _Ids
