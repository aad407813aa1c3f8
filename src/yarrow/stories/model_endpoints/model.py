"""Values of model endpoints and of slots."""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from msgspec import Struct
from msgspec.structs import replace

from yarrow.kit.json import JsonObject
from yarrow.kit.patch import UNCHANGED, UnchangedField
from yarrow.kit.secret_repr import format_without_secret


class ModelSlot(StrEnum):
    """What a model is used for; `ANY` applies to every slot without its own binding."""

    ANY = "*"
    NARRATOR = "narrator"
    DIRECTOR = "director"
    VERIFIER = "verifier"
    MEMORY = "memory"


USED_SLOTS = (ModelSlot.NARRATOR, ModelSlot.DIRECTOR, ModelSlot.VERIFIER, ModelSlot.MEMORY)


class ModelProvider(StrEnum):
    """Who runs an endpoint; all of them are asked by `chat/completions`."""

    OPENAI = "openai"
    ANTHROPIC = "anthropic"
    GOOGLE = "google"
    DEEPSEEK = "deepseek"
    XAI = "xai"
    COMPATIBLE = "openai-compatible"


DEFAULT_ADDRESSES = {
    ModelProvider.OPENAI: "https://api.openai.com/v1",
    ModelProvider.ANTHROPIC: "https://api.anthropic.com/v1",
    ModelProvider.GOOGLE: "https://generativelanguage.googleapis.com/v1beta/openai",
    ModelProvider.DEEPSEEK: "https://api.deepseek.com/v1",
    ModelProvider.XAI: "https://api.x.ai/v1",
}


class BoundEndpoint(Struct, frozen=True, array_like=True):
    """A binding with its endpoint, as the statement that reads a story returns it."""

    slot: ModelSlot
    is_of_session: bool
    endpoint_id: str
    name: str
    provider: str
    model: str
    base_url: str
    secret: str | None
    """The encrypted key in base64."""
    is_enabled: bool
    params: JsonObject


class SlotConfig(Struct, frozen=True, array_like=True):
    """The configuration of a slot; `updated_at` is None for one that has none of its own."""

    slot: ModelSlot
    is_enabled: bool = True
    params: JsonObject = {}
    updated_at: datetime | None = None


class ModelChoices(Struct, frozen=True):
    """All bindings and slot configurations that apply to a story."""

    bindings: tuple[BoundEndpoint, ...] | None = None
    slots: tuple[SlotConfig, ...] | None = None

    def find_slot(self, slot: ModelSlot) -> SlotConfig:
        """The configuration of a slot, else that of all slots."""
        by_slot = {config.slot: config for config in self.slots or ()}
        shared = by_slot.get(ModelSlot.ANY, SlotConfig(slot))
        return by_slot.get(slot) or replace(shared, slot=slot, updated_at=None)

    def list_params(self, slot: ModelSlot, binding: BoundEndpoint | None) -> Sequence[JsonObject]:
        """Generation parameters: of the binding, then of the slot."""
        own = () if binding is None else (binding.params,)
        return (*own, self.find_slot(slot).params)


NO_CHOICES = ModelChoices()


class ModelEndpoint(Struct, frozen=True):
    """A stored endpoint; the key is encrypted."""

    id: UUID
    name: str
    provider: ModelProvider
    model: str
    base_url: str
    secret: bytes | None = None
    is_enabled: bool = True
    created_at: datetime | None = None
    updated_at: datetime | None = None

    def __repr__(self) -> str:
        return format_without_secret(self, "secret")


class ModelEndpointPatch(Struct, frozen=True):
    """Changes to an endpoint; what is not named stays, an empty key is removed."""

    name: str | UnchangedField = UNCHANGED
    provider: ModelProvider | UnchangedField = UNCHANGED
    model: str | UnchangedField = UNCHANGED
    base_url: str | UnchangedField | None = UNCHANGED
    api_key: str | UnchangedField | None = UNCHANGED
    is_enabled: bool | UnchangedField = UNCHANGED

    def __repr__(self) -> str:
        return format_without_secret(self, "api_key")
