"""Bodies of the session routes."""

from typing import Annotated

from pydantic import Field

from yarrow.kit.json import JsonObject
from yarrow.prompting.model import PromptMode
from yarrow.protocols.tavern.wire import AS_TEXT, TITLE_CHARS, BatchIds, StrictBody
from yarrow.stories.model import StoryStatus, SyncPolicy


class DeepBinding(StrictBody):
    """Versions to pin the bound assets to."""

    character_version_id: str | None = None
    preset_version_id: str | None = None
    worldbook_version_id: str | None = None
    regex_profile_version_id: str | None = None


class SessionBody(StrictBody):
    """Title, status and bound assets. In a change, fields not sent stay and null unbinds."""

    title: Annotated[str, Field(max_length=TITLE_CHARS)] | None = None
    status: Annotated[StoryStatus, AS_TEXT] = StoryStatus.ACTIVE
    character_id: str | None = None
    character_version_id: str | None = None
    character_sync_policy: Annotated[SyncPolicy, AS_TEXT] = SyncPolicy.PIN
    character_snapshot: JsonObject | None = None
    user_id: str | None = None
    user_snapshot: JsonObject | None = None
    preset_id: str | None = None
    preset_version_id: str | None = None
    worldbook_profile_id: str | None = None
    worldbook_version_id: str | None = None
    regex_profile_id: str | None = None
    regex_profile_version_id: str | None = None
    deep_binding: bool | DeepBinding | None = None
    prompt_mode: Annotated[PromptMode, AS_TEXT] | None = None
    model_provider: str | None = None
    model_name: str | None = None
    model_params: JsonObject | None = None
    metadata: JsonObject | None = None


class SyncBody(StrictBody):
    """`force` updates a pinned character as well."""

    force: bool = False


class BatchStatusBody(StrictBody):
    ids: BatchIds
    status: Annotated[StoryStatus, AS_TEXT]


class BatchDeleteBody(StrictBody):
    ids: BatchIds
