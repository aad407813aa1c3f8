"""Choose and open the model of a slot: of the session, of the account, else of the environment."""

import base64
from collections.abc import Iterator, Sequence
from enum import StrEnum

from msgspec import Struct

from yarrow.errors import InvalidInput
from yarrow.kit.json import JsonObject
from yarrow.kit.secrets_box import SecretsBox
from yarrow.llm.client_models import ClientModels
from yarrow.llm.errors import ModelAddressDenied
from yarrow.llm.model import ChatModel
from yarrow.stories.model_endpoints.errors import EndpointDisabled, RequiredSlotDisabled
from yarrow.stories.model_endpoints.model import BoundEndpoint, ModelChoices, ModelSlot


class BindingSkip(StrEnum):
    """Why a binding is not used."""

    KEY_UNREADABLE = "key_unreadable"
    ADDRESS_DENIED = "address_not_allowed"


class SkippedBinding(Struct, frozen=True):
    """A binding that cannot be used, and why."""

    binding: BoundEndpoint
    reason: BindingSkip


class SlotModel(Struct, frozen=True):
    """The model of a slot; no binding: that of the environment."""

    model: ChatModel
    binding: BoundEndpoint | None
    params: Sequence[JsonObject]
    skipped: tuple[SkippedBinding, ...] = ()


def require_narrator(choices: ModelChoices) -> None:
    """Raise if the narrator, whom every turn needs, is disabled or bound to a disabled endpoint."""
    if not choices.find_slot(ModelSlot.NARRATOR).is_enabled:
        raise RequiredSlotDisabled(ModelSlot.NARRATOR)
    binding = next(_iter_by_precedence(choices, ModelSlot.NARRATOR), None)
    if binding is not None and not binding.is_enabled:
        raise EndpointDisabled(binding.name)


def _iter_by_precedence(choices: ModelChoices, slot: ModelSlot) -> Iterator[BoundEndpoint]:
    """The bindings of a slot: the session's before the account's, the slot's own before `*`."""
    for is_of_session in (True, False):
        for name in (slot, ModelSlot.ANY):
            for binding in choices.bindings or ():
                if binding.slot is name and binding.is_of_session is is_of_session:
                    yield binding


class SlotModels(Struct, frozen=True):
    """Opens models of endpoints: decrypts their keys and checks their addresses."""

    box: SecretsBox
    client_models: ClientModels

    def open_slot(self, choices: ModelChoices, slot: ModelSlot, default: ChatModel) -> SlotModel:
        """The first binding that can be used; a broken one is skipped, never an error."""
        skipped: list[SkippedBinding] = []
        for binding in _iter_by_precedence(choices, slot):
            if not binding.is_enabled:
                continue
            opened = self._open_endpoint(binding)
            if not isinstance(opened, BindingSkip):
                params = choices.list_params(slot, binding)
                return SlotModel(opened, binding, params, tuple(skipped))
            skipped.append(SkippedBinding(binding, opened))
        return SlotModel(default, None, choices.list_params(slot, None), tuple(skipped))

    def _open_endpoint(self, binding: BoundEndpoint) -> ChatModel | BindingSkip:
        key = ""
        if binding.secret is not None:
            decrypted = self.box.decrypt(base64.b64decode(binding.secret))
            if decrypted is None:
                return BindingSkip.KEY_UNREADABLE
            key = decrypted.decode()
        try:
            return self.client_models.connect(
                base_url=binding.base_url, model=binding.model, api_key=key
            )
        except (InvalidInput, ModelAddressDenied):
            return BindingSkip.ADDRESS_DENIED
