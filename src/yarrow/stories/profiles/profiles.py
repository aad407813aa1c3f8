"""Read and write model profiles, their bindings and the slots."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from yarrow.db import Database, Tx
from yarrow.errors import InvalidInput, NotFound
from yarrow.ids import AccountId, SessionId, new_uuid
from yarrow.kit.json import JsonObject
from yarrow.kit.patch import Unchanged
from yarrow.kit.secrets_box import SecretsBox
from yarrow.llm.client_models import ClientModels
from yarrow.llm.model import ChatModel
from yarrow.stories.profiles import store
from yarrow.stories.profiles.errors import ProfileDisabled, ProfileNotFound
from yarrow.stories.profiles.model import (
    DEFAULT_ADDRESSES,
    USED_SLOTS,
    ModelChoices,
    ModelProfile,
    ModelProfilePatch,
    ModelProvider,
    ModelSlot,
    SlotConfig,
)
from yarrow.stories.profiles.slots import SlotModel, SlotModels
from yarrow.stories.rules import require_open
from yarrow.stories.state import require_own_story

PROFILES_MAX = 100


@dataclass(frozen=True, slots=True)
class ModelProfiles:
    """The profiles of accounts. Keys are encrypted here and never read back."""

    database: Database
    box: SecretsBox
    client_models: ClientModels
    environment: ChatModel

    @property
    def slots(self) -> SlotModels:
        return SlotModels(self.box, self.client_models)

    async def list_profiles(self, account_id: AccountId) -> tuple[ModelProfile, ...]:
        async with self.database.connection() as tx:
            return await store.list_profiles(tx, account_id)

    async def read_profile(self, account_id: AccountId, profile_id: UUID) -> ModelProfile:
        async with self.database.connection() as tx:
            return await _find(tx, account_id, profile_id)

    async def create(self, account_id: AccountId, patch: ModelProfilePatch) -> ModelProfile:
        """Store a profile, its key encrypted; raises if its address is not allowed."""
        blank = ModelProfile(new_uuid(), "", ModelProvider.COMPATIBLE, "", "")
        profile = self._apply(blank, patch)
        require_address(self.client_models, profile.base_url)
        async with self.database.transaction() as tx:
            await store.lock_profiles(tx, account_id)
            if len(await store.list_profiles(tx, account_id)) >= PROFILES_MAX:
                raise InvalidInput(f"an account has at most {PROFILES_MAX} profiles")
            await store.save_profile(tx, account_id, profile)
            return await _find(tx, account_id, profile.id)

    async def change(
        self, account_id: AccountId, profile_id: UUID, patch: ModelProfilePatch
    ) -> ModelProfile:
        """Change a profile. A key is not sent to another address than the one it was given for.

        One whose address is no longer allowed can still be renamed, disabled or lose its key.
        """
        async with self.database.transaction() as tx:
            old = await _find(tx, account_id, profile_id)
            new = self._apply(old, patch)
            if new.base_url != old.base_url or new.secret not in {None, old.secret}:
                require_address(self.client_models, new.base_url)
            if new.base_url != old.base_url and isinstance(patch.api_key, Unchanged):
                new = replace(new, secret=None)
            await store.save_profile(tx, account_id, new)
            return await _find(tx, account_id, profile_id)

    def _apply(self, profile: ModelProfile, patch: ModelProfilePatch) -> ModelProfile:
        changes = {
            name: value
            for name in ("name", "provider", "model", "is_enabled")
            if not isinstance(value := getattr(patch, name), Unchanged)
        }
        profile = replace(profile, **changes)
        if not isinstance(patch.base_url, Unchanged):
            profile = replace(profile, base_url=patch.base_url or "")
        if not profile.base_url:
            profile = replace(profile, base_url=DEFAULT_ADDRESSES.get(profile.provider, ""))
        if not isinstance(patch.api_key, Unchanged):
            key = patch.api_key
            secret = self.box.encrypt(key.encode()) if key else None
            profile = replace(profile, secret=secret)
        return profile

    async def delete(self, account_id: AccountId, profile_id: UUID) -> None:
        async with self.database.transaction() as tx:
            if not await store.delete_profile(tx, account_id, profile_id):
                raise NotFound(f"no model profile {profile_id}")

    async def activate(
        self,
        account_id: AccountId,
        profile_id: UUID | None,
        slot: ModelSlot,
        *,
        session_id: SessionId | None,
        params: JsonObject,
    ) -> ModelProfile:
        """Bind a profile to a slot of one story, or of all."""
        async with self.database.transaction() as tx:
            if session_id is not None:
                require_open(await require_own_story(tx, account_id, session_id))
            profile = None
            if profile_id is not None:
                profile = await store.find_profile(tx, account_id, profile_id)
            if profile is None:
                raise ProfileNotFound(str(profile_id))
            if not profile.is_enabled:
                raise ProfileDisabled(profile.name)
            await store.save_binding(
                tx, account_id, slot, profile.id, session_id=session_id, params=params
            )
        return profile

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

    async def save_slot(self, account_id: AccountId, config: SlotConfig) -> SlotConfig:
        async with self.database.transaction() as tx:
            await store.save_slot(tx, account_id, config)
        return config

    async def reset_slot(self, account_id: AccountId, slot: ModelSlot) -> None:
        async with self.database.transaction() as tx:
            await store.delete_slot(tx, account_id, slot)

    async def open_endpoint(
        self, account_id: AccountId, profile_id: UUID | None, patch: ModelProfilePatch
    ) -> tuple[ModelProfile, str]:
        """A profile that is stored or only described, and its key."""
        profile = ModelProfile(new_uuid(), "", ModelProvider.COMPATIBLE, "", "")
        if profile_id is not None:
            profile = await self.read_profile(account_id, profile_id)
        changed = self._apply(profile, patch)
        require_address(self.client_models, changed.base_url)
        if changed.base_url != profile.base_url and isinstance(patch.api_key, Unchanged):
            changed = replace(changed, secret=None)
        key = None if changed.secret is None else self.box.decrypt(changed.secret)
        return changed, "" if key is None else key.decode()


def require_address(client_models: ClientModels, base_url: str) -> None:
    """Raise unless the address is an HTTP address that this server may ask."""
    if not base_url.startswith(("http://", "https://")):
        raise InvalidInput("base_url must be the address of an endpoint", field="base_url")
    try:
        client_models.require_allowed(base_url)
    except InvalidInput:
        rule = "base_url is not an address that this server allows (YARROW_LLM_ALLOWED_BASES)"
        raise InvalidInput(rule, field="base_url") from None


async def _find(tx: Tx, account_id: AccountId, profile_id: UUID) -> ModelProfile:
    profile = await store.find_profile(tx, account_id, profile_id)
    if profile is None:
        raise NotFound(f"no model profile {profile_id}")
    return profile
