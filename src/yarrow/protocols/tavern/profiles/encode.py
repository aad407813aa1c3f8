"""Profiles and slots as JSON. No key is in any of them."""

from yarrow.kit.json import JsonObject
from yarrow.protocols.tavern.envelope import to_milliseconds
from yarrow.stories.model_endpoints.endpoints import ModelTrial
from yarrow.stories.model_endpoints.model import ModelEndpoint, SlotConfig
from yarrow.stories.model_endpoints.slots import SlotModel


def encode_profile(endpoint: ModelEndpoint) -> JsonObject:
    created, updated = endpoint.created_at, endpoint.updated_at
    return {
        "id": str(endpoint.id),
        "name": endpoint.name,
        "provider": endpoint.provider,
        "model": endpoint.model,
        "base_url": endpoint.base_url,
        "has_api_key": endpoint.secret is not None,
        "enabled": endpoint.is_enabled,
        "created_at": None if created is None else to_milliseconds(created),
        "updated_at": None if updated is None else to_milliseconds(updated),
    }


def encode_trial(trial: ModelTrial) -> JsonObject:
    return {
        "ok": trial.error is None,
        "model": trial.model,
        "latency_ms": trial.latency_ms,
        "error": trial.error,
    }


def encode_slot(config: SlotConfig) -> JsonObject:
    updated = config.updated_at
    return {
        "slot": config.slot,
        "enabled": config.is_enabled,
        "params": config.params,
        "updated_at": None if updated is None else to_milliseconds(updated),
    }


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
        "profile_id": None if binding is None else binding.endpoint_id,
        "profile_name": None if binding is None else binding.name,
        "model": opened.model.name,
        "params": params,
        "skipped": [
            {
                "profile_id": each.binding.endpoint_id,
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
