"""Read and write model endpoints, their bindings and the slots."""

import time
from collections.abc import Sequence
from contextlib import aclosing
from uuid import UUID

from msgspec import Struct
from msgspec.structs import replace

from yarrow.db import Database, Tx
from yarrow.errors import InvalidInput, NotFound
from yarrow.ids import AccountId, SessionId, new_uuid
from yarrow.kit.json import JsonObject
from yarrow.kit.patch import Unchanged
from yarrow.kit.secrets_box import SecretsBox, is_secret_length
from yarrow.llm.client_models import ClientModels
from yarrow.llm.errors import ModelError
from yarrow.llm.model import ChatMessage, ChatModel, ChatRequest, ChatRole
from yarrow.stories.model_endpoints import store
from yarrow.stories.model_endpoints.errors import (
    EndpointDisabled,
    EndpointKeyDamaged,
    EndpointKeyUnreadable,
    EndpointNotFound,
)
from yarrow.stories.model_endpoints.model import (
    DEFAULT_ADDRESSES,
    USED_SLOTS,
    ModelChoices,
    ModelEndpoint,
    ModelEndpointPatch,
    ModelProvider,
    ModelSlot,
    SlotConfig,
)
from yarrow.stories.model_endpoints.slots import SlotModel, SlotModels
from yarrow.stories.story_access import require_open
from yarrow.stories.story_state import require_own_story

ENDPOINTS_MAX = 100
TEST_MESSAGE = "Answer with the word: ready"


class ModelTrial(Struct, frozen=True):
    """What came of asking a model for one word."""

    model: str
    error: str | None
    """The reason of the failure."""
    latency_ms: int


class ModelEndpoints(Struct, frozen=True):
    """The endpoints of accounts. Keys are encrypted here and never read back."""

    database: Database
    box: SecretsBox
    client_models: ClientModels
    environment: ChatModel

    @property
    def slots(self) -> SlotModels:
        return SlotModels(self.box, self.client_models)

    async def list_endpoints(self, account_id: AccountId) -> tuple[ModelEndpoint, ...]:
        async with self.database.connection() as tx:
            return await store.list_endpoints(tx, account_id)

    async def read_endpoint(self, account_id: AccountId, endpoint_id: UUID) -> ModelEndpoint:
        async with self.database.connection() as tx:
            return await _find_endpoint(tx, account_id, endpoint_id)

    async def create(self, account_id: AccountId, patch: ModelEndpointPatch) -> ModelEndpoint:
        """Store an endpoint, its key encrypted; raises if its address is not allowed."""
        blank = ModelEndpoint(new_uuid(), "", ModelProvider.COMPATIBLE, "", "")
        endpoint = self._apply_patch(blank, patch)
        require_address(self.client_models, endpoint.base_url)
        async with self.database.transaction() as tx:
            await store.lock_endpoints(tx, account_id)
            if len(await store.list_endpoints(tx, account_id)) >= ENDPOINTS_MAX:
                raise InvalidInput(f"an account has at most {ENDPOINTS_MAX} profiles")
            await store.save_endpoint(tx, account_id, endpoint)
            return await _find_endpoint(tx, account_id, endpoint.id)

    async def change(
        self, account_id: AccountId, endpoint_id: UUID, patch: ModelEndpointPatch
    ) -> ModelEndpoint:
        """Change an endpoint. A key is not sent to another address than the one it was given for.

        One whose address is no longer allowed can still be renamed, disabled or lose its key.
        """
        async with self.database.transaction() as tx:
            old = await _find_endpoint(tx, account_id, endpoint_id)
            new = self._apply_patch(old, patch)
            if new.base_url != old.base_url or new.secret not in {None, old.secret}:
                require_address(self.client_models, new.base_url)
            if new.base_url != old.base_url and isinstance(patch.api_key, Unchanged):
                new = replace(new, secret=None)
            await store.save_endpoint(tx, account_id, new)
            return await _find_endpoint(tx, account_id, endpoint_id)

    def _apply_patch(self, endpoint: ModelEndpoint, patch: ModelEndpointPatch) -> ModelEndpoint:
        changes = {
            name: value
            for name in ("name", "provider", "model", "is_enabled")
            if not isinstance(value := getattr(patch, name), Unchanged)
        }
        endpoint = replace(endpoint, **changes)
        if not isinstance(patch.base_url, Unchanged):
            endpoint = replace(endpoint, base_url=patch.base_url or "")
        if not endpoint.base_url:
            endpoint = replace(endpoint, base_url=DEFAULT_ADDRESSES.get(endpoint.provider, ""))
        if not isinstance(patch.api_key, Unchanged):
            key = patch.api_key
            secret = self.box.encrypt(key.encode()) if key else None
            endpoint = replace(endpoint, secret=secret)
        return endpoint

    async def delete(self, account_id: AccountId, endpoint_id: UUID) -> None:
        async with self.database.transaction() as tx:
            if not await store.delete_endpoint(tx, account_id, endpoint_id):
                raise NotFound(f"no model profile {endpoint_id}")

    async def activate(
        self,
        account_id: AccountId,
        endpoint_id: UUID | None,
        slot: ModelSlot,
        *,
        session_id: SessionId | None,
        params: JsonObject,
    ) -> ModelEndpoint:
        """Bind an endpoint to a slot of one story, or of all."""
        async with self.database.transaction() as tx:
            if session_id is not None:
                require_open(await require_own_story(tx, account_id, session_id))
            endpoint = None
            if endpoint_id is not None:
                endpoint = await store.find_endpoint(tx, account_id, endpoint_id)
            if endpoint is None:
                raise EndpointNotFound(str(endpoint_id))
            if not endpoint.is_enabled:
                raise EndpointDisabled(endpoint.name)
            await store.save_binding(
                tx, account_id, slot, endpoint.id, session_id=session_id, params=params
            )
        return endpoint

    async def unbind(
        self, account_id: AccountId, slot: ModelSlot, *, session_id: SessionId | None
    ) -> bool:
        """Remove the binding of a slot; False if there was none."""
        async with self.database.transaction() as tx:
            if session_id is not None:
                await require_own_story(tx, account_id, session_id)
            return await store.delete_binding(tx, account_id, slot, session_id=session_id)

    async def list_bindings(self, account_id: AccountId) -> Sequence[JsonObject]:
        async with self.database.connection() as tx:
            return await store.list_bindings(tx, account_id)

    async def read_choices(
        self, account_id: AccountId, session_id: SessionId | None
    ) -> ModelChoices:
        """The bindings and slots that apply to a story, or to all."""
        async with self.database.connection() as tx:
            if session_id is not None:
                return (await require_own_story(tx, account_id, session_id)).models
            return await store.read_account_choices(tx, account_id)

    async def resolve(
        self, account_id: AccountId, session_id: SessionId | None
    ) -> tuple[tuple[SlotConfig, SlotModel], ...]:
        """Which model each slot would use now, and what was skipped."""
        choices = await self.read_choices(account_id, session_id)
        return tuple(
            (
                SlotConfig(slot, choices.find_slot(slot).is_enabled),
                self.slots.open_slot(choices, slot, self.environment),
            )
            for slot in USED_SLOTS
        )

    async def choose_memory_model(
        self, account_id: AccountId, session_id: SessionId
    ) -> SlotModel | None:
        """The model that consolidates and compacts memories; None if its slot is disabled."""
        choices = await self.read_choices(account_id, session_id)
        if not choices.find_slot(ModelSlot.MEMORY).is_enabled:
            return None
        return self.slots.open_slot(choices, ModelSlot.MEMORY, self.environment)

    async def list_slots(self, account_id: AccountId) -> tuple[SlotConfig, ...]:
        """The configuration that applies to every slot, also to those that have none."""
        choices = await self.read_choices(account_id, None)
        return tuple(choices.find_slot(slot) for slot in ModelSlot)

    async def read_slot(self, account_id: AccountId, slot: ModelSlot) -> SlotConfig:
        return next(each for each in await self.list_slots(account_id) if each.slot is slot)

    async def replace_slot(self, account_id: AccountId, config: SlotConfig) -> SlotConfig:
        """Store the whole configuration of a slot."""
        async with self.database.transaction() as tx:
            return await store.save_slot(tx, account_id, config)

    async def change_slot(
        self,
        account_id: AccountId,
        slot: ModelSlot,
        *,
        is_enabled: bool | None,
        params: JsonObject | None,
    ) -> SlotConfig:
        """Change what is not None; the rest of the configuration stays."""
        async with self.database.transaction() as tx:
            return await store.change_slot(
                tx, account_id, slot, is_enabled=is_enabled, params=params
            )

    async def reset_slot(self, account_id: AccountId, slot: ModelSlot) -> SlotConfig:
        """Remove the configuration of a slot; returns the one that applies then."""
        async with self.database.transaction() as tx:
            await store.delete_slot(tx, account_id, slot)
            return (await store.read_account_choices(tx, account_id)).find_slot(slot)

    async def discover_models(
        self, account_id: AccountId, endpoint_id: UUID | None, patch: ModelEndpointPatch
    ) -> Sequence[str]:
        """The models that an endpoint lists; raises `ModelError`."""
        endpoint, key = await self._open_endpoint(account_id, endpoint_id, patch)
        return await self.client_models.list_models(base_url=endpoint.base_url, api_key=key)

    async def try_model(
        self, account_id: AccountId, endpoint_id: UUID | None, patch: ModelEndpointPatch
    ) -> ModelTrial:
        """Ask the model of an endpoint for one word."""
        endpoint, key = await self._open_endpoint(account_id, endpoint_id, patch)
        name = endpoint.model or "default"
        model = self.client_models.connect(base_url=endpoint.base_url, model=name, api_key=key)
        began = time.monotonic()
        error = await _ask_for_a_word(model)
        return ModelTrial(name, error, round((time.monotonic() - began) * 1000))

    async def _open_endpoint(
        self, account_id: AccountId, endpoint_id: UUID | None, patch: ModelEndpointPatch
    ) -> tuple[ModelEndpoint, str]:
        """An endpoint that is stored or only described, and its key."""
        endpoint = ModelEndpoint(new_uuid(), "", ModelProvider.COMPATIBLE, "", "")
        if endpoint_id is not None:
            endpoint = await self.read_endpoint(account_id, endpoint_id)
        changed = self._apply_patch(endpoint, patch)
        require_address(self.client_models, changed.base_url)
        if changed.base_url != endpoint.base_url and isinstance(patch.api_key, Unchanged):
            changed = replace(changed, secret=None)
        return changed, self._decrypt_key(changed)

    def _decrypt_key(self, endpoint: ModelEndpoint) -> str:
        """The key to ask the endpoint with; it is never asked without the key that it has."""
        if endpoint.secret is None:
            return ""
        if not is_secret_length(endpoint.secret):
            raise EndpointKeyDamaged(endpoint.name)
        key = self.box.decrypt(endpoint.secret)
        if key is None:
            raise EndpointKeyUnreadable(endpoint.name)
        return key.decode()


def require_address(client_models: ClientModels, base_url: str) -> None:
    """Raise unless the address is an HTTP address that this server may ask."""
    if not base_url.startswith(("http://", "https://")):
        raise InvalidInput("base_url must be the address of an endpoint", field="base_url")
    try:
        client_models.require_allowed(base_url)
    except InvalidInput:
        rule = "base_url is not an address that this server allows (YARROW_LLM_ALLOWED_BASES)"
        raise InvalidInput(rule, field="base_url") from None


async def _ask_for_a_word(model: ChatModel) -> str | None:
    """Ask for one word; returns the reason of a failure."""
    request = ChatRequest((ChatMessage(ChatRole.USER, TEST_MESSAGE),), sampler={"max_tokens": 16})
    try:
        async with aclosing(model.stream(request)) as chunks:
            async for _ in chunks:
                pass
    except ModelError as error:
        return error.reason
    return None


async def _find_endpoint(tx: Tx, account_id: AccountId, endpoint_id: UUID) -> ModelEndpoint:
    endpoint = await store.find_endpoint(tx, account_id, endpoint_id)
    if endpoint is None:
        raise NotFound(f"no model profile {endpoint_id}")
    return endpoint
