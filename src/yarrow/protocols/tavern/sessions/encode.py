"""From stories to sessions of this protocol."""

from yarrow.assets.model import AssetKind
from yarrow.kit.json import JsonObject
from yarrow.protocols.tavern.envelope import to_milliseconds
from yarrow.protocols.tavern.sessions.intake import ASSET_FIELDS, MODEL_FIELDS, VERSION_FIELDS
from yarrow.stories.model import BoundAsset, StorySession


def encode_session(story: StorySession) -> JsonObject:
    """A version id is present only if the asset is pinned to that version."""
    bindings, bound = story.bindings, story.bound
    character = bound.get(AssetKind.CHARACTER)
    asset_ids = {kind: binding.asset_id for kind, binding in bindings.assets.items()}
    return {
        "id": str(story.session_id),
        "title": story.title,
        "status": story.status,
        **{name: _to_text(asset_ids.get(kind)) for kind, name in ASSET_FIELDS.items()},
        **{name: _find_pinned_version(bound.get(kind)) for kind, name in VERSION_FIELDS.items()},
        "character_version": None if character is None else character.version,
        "character_sync_policy": bindings.sync_policy,
        "deep_binding": _is_deep(story),
        "prompt_mode": bindings.prompt_mode,
        **{name: bindings.model.get(stored) for name, stored in MODEL_FIELDS.items()},
        "metadata": bindings.metadata,
        "message_count": story.message_count,
        "created_at": to_milliseconds(story.created_at),
        "updated_at": to_milliseconds(story.updated_at),
    }


def _is_deep(story: StorySession) -> bool:
    """Whether any asset but the character is pinned to a version."""
    others = (each for kind, each in story.bound.items() if kind is not AssetKind.CHARACTER)
    return any(each.pinned for each in others)


def _find_pinned_version(bound: BoundAsset | None) -> str | None:
    return str(bound.version_id) if bound is not None and bound.pinned else None


def _to_text(value: object) -> str | None:
    return None if value is None else str(value)
