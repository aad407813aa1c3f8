"""Policy, mode and assets of a session's prompts, and the capabilities of this server."""

from typing import get_args

from yarrow.assets.model import AssetKind
from yarrow.kit.json import JsonObject
from yarrow.prompting.formats.chats import LINES_MAX, TEXTS_MAX
from yarrow.prompting.model import PromptMode
from yarrow.protocols.tavern.chats.wire import FILE_BYTES
from yarrow.protocols.tavern.envelope import to_milliseconds
from yarrow.protocols.tavern.policies.wire import PolicyBody, Structure
from yarrow.stories.model import DEFAULT_MODE, BoundAsset, StorySession, SyncPolicy
from yarrow.variables.model import (
    KEY_CHARS,
    NARROWEST_FIRST,
    SCOPE_MAX,
    VALUE_BYTES,
)

_ASSET_FIELDS = {
    AssetKind.CHARACTER: "character",
    AssetKind.PERSONA: "user",
    AssetKind.PRESET: "preset",
    AssetKind.WORLDBOOK: "worldbook",
    AssetKind.REGEX_PROFILE: "regex_profile",
}


def encode_policy_choices() -> JsonObject:
    """The available choices and the limits."""
    structures = get_args(get_args(Structure.model_fields["mode"].annotation)[0])
    return {
        "prompt_modes": list(PromptMode),
        "default_prompt_mode": DEFAULT_MODE,
        "structure_modes": list(structures),
        "policy_sections": list(PolicyBody.model_fields),
        "policy_layers": ["default", "preset", "session", "request"],
        "asset_kinds": list(AssetKind),
        "character_sync_policies": list(SyncPolicy),
        "variable_scopes": list(NARROWEST_FIRST),
        "limits": {
            "variable_key_characters": KEY_CHARS,
            "variable_value_bytes": VALUE_BYTES,
            "variables_per_scope": SCOPE_MAX,
            "chat_file_bytes": FILE_BYTES,
            "chat_lines": LINES_MAX,
            "chat_texts": TEXTS_MAX,
        },
    }


def encode_policy(story: StorySession) -> JsonObject:
    return {"session_id": str(story.session_id), "policy": story.bindings.policy}


def encode_prompt_mode(story: StorySession) -> JsonObject:
    chosen = story.bindings.prompt_mode
    mode = chosen or DEFAULT_MODE
    return {
        "session_id": str(story.session_id),
        "mode": mode,
        "prompt_mode": mode,
        "source": "default" if chosen is None else "session",
    }


def encode_assets(story: StorySession) -> JsonObject:
    """The bound version of each kind of asset, or null."""
    return {name: _encode_asset(story.bound.get(kind)) for kind, name in _ASSET_FIELDS.items()}


def _encode_asset(bound: BoundAsset | None) -> JsonObject | None:
    if bound is None:
        return None
    return {
        "id": str(bound.asset_id),
        "name": bound.name,
        "version": bound.version,
        "version_id": str(bound.version_id),
        "pinned": bound.pinned,
        "deleted": bound.deleted,
        "updated_at": to_milliseconds(bound.updated_at),
    }
