"""Bodies of the profile and slot routes."""

from typing import Annotated

from pydantic import Field

from yarrow.kit.patch import UNCHANGED
from yarrow.protocols.tavern.generation.wire import GenerationParamsBody
from yarrow.protocols.tavern.prompts.wire import Name
from yarrow.protocols.tavern.wire import AS_TEXT, StrictBody
from yarrow.stories.model_endpoints.model import (
    ModelEndpointPatch,
    ModelProvider,
    ModelSlot,
    SlotConfig,
)

ProfileName = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\x00]*$")]
ModelName = Annotated[str, Field(min_length=1, max_length=500, pattern=r"^[^\x00]*$")]
Address = Annotated[str, Field(min_length=1, max_length=2_000, pattern=r"^[^\x00\s]*$")]
ApiKey = Annotated[str, Field(max_length=8_000, pattern=r"^[\x21-\x7e]*$")]


class EndpointBody(StrictBody):
    """An endpoint: of a stored profile, or described here."""

    profile_id: Name | None = None
    provider: Annotated[ModelProvider, AS_TEXT] | None = None
    base_url: Address | None = None
    api_key: ApiKey | None = None
    model: ModelName | None = None

    def to_patch(self) -> ModelEndpointPatch:
        return ModelEndpointPatch(
            provider=UNCHANGED if self.provider is None else self.provider,
            base_url=UNCHANGED if self.base_url is None else self.base_url,
            api_key=UNCHANGED if self.api_key is None else self.api_key,
            model=UNCHANGED if self.model is None else self.model,
        )


class ModelProfilePatchBody(StrictBody):
    """What is sent is changed; a null or empty key is removed."""

    name: ProfileName | None = None
    provider: Annotated[ModelProvider, AS_TEXT] | None = None
    model: ModelName | None = None
    base_url: Address | None = None
    api_key: ApiKey | None = None
    enabled: bool | None = None

    def to_patch(self) -> ModelEndpointPatch:
        has_key = "api_key" in self.model_fields_set
        return ModelEndpointPatch(
            name=UNCHANGED if self.name is None else self.name,
            provider=UNCHANGED if self.provider is None else self.provider,
            model=UNCHANGED if self.model is None else self.model,
            base_url=UNCHANGED if self.base_url is None else self.base_url,
            api_key=self.api_key if has_key else UNCHANGED,
            is_enabled=UNCHANGED if self.enabled is None else self.enabled,
        )


class ModelProfileBody(ModelProfilePatchBody):
    """A new profile; providers but `openai-compatible` have an address of their own."""

    name: ProfileName
    provider: Annotated[ModelProvider, AS_TEXT] = ModelProvider.COMPATIBLE
    model: ModelName


class ActivateBody(StrictBody):
    """The slot to bind, for one session or for all."""

    slot: Annotated[ModelSlot, AS_TEXT] = ModelSlot.ANY
    session_id: Name | None = None
    params: GenerationParamsBody = Field(default_factory=GenerationParamsBody)


class SlotConfigBody(StrictBody):
    """The configuration of a slot. PATCH: what is not sent stays; PUT: it gets its default."""

    enabled: bool | None = None
    params: GenerationParamsBody | None = None

    def to_config(self, slot: ModelSlot) -> SlotConfig:
        """The whole configuration; what was not sent has its default."""
        return SlotConfig(
            slot,
            is_enabled=self.enabled is not False,
            params={} if self.params is None else self.params.collect(),
        )
