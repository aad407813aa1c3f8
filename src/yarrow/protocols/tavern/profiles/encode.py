"""Profiles and slots as JSON. No key is in any of them."""

from yarrow.kit.json import JsonObject
from yarrow.protocols.tavern.envelope import to_milliseconds
from yarrow.stories.profiles.model import ModelProfile, SlotConfig
from yarrow.stories.profiles.slots import SlotModel


def encode_profile(profile: ModelProfile) -> JsonObject:
    created, updated = profile.created_at, profile.updated_at
    return {
        "id": str(profile.id),
        "name": profile.name,
        "provider": profile.provider,
        "model": profile.model,
        "base_url": profile.base_url,
        "has_api_key": profile.secret is not None,
        "enabled": profile.is_enabled,
        "created_at": None if created is None else to_milliseconds(created),
        "updated_at": None if updated is None else to_milliseconds(updated),
    }


def encode_slot(config: SlotConfig) -> JsonObject:
    return {"slot": config.slot, "enabled": config.is_enabled, "params": config.params}


def encode_runtime(config: SlotConfig, opened: SlotModel) -> JsonObject:
    """Which model a slot would use, where it comes from, and which bindings were skipped."""
    binding = opened.binding
    params: JsonObject = {}
    for layer in reversed(opened.params):
        params |= layer
    return {
        "slot": config.slot,
        "enabled": config.is_enabled,
        "source": _name_source(opened),
        "bound_slot": None if binding is None else binding.slot,
        "profile_id": None if binding is None else binding.profile_id,
        "profile_name": None if binding is None else binding.name,
        "model": opened.model.name,
        "params": params,
        "skipped": [
            {
                "profile_id": each.binding.profile_id,
                "profile_name": each.binding.name,
                "reason": each.reason,
            }
            for each in opened.skipped
        ],
    }


def _name_source(opened: SlotModel) -> str:
    if opened.binding is None:
        return "environment"
    return "session" if opened.binding.is_of_session else "account"
