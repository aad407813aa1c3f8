"""From values to the wire."""

from collections.abc import Collection, Sequence
from uuid import UUID

from yarrow.assets.model import AssetKind
from yarrow.kit.json import JsonObject
from yarrow.protocols.tavern.assets.encode import milliseconds
from yarrow.protocols.tavern.ids import uuid_of
from yarrow.protocols.tavern.sessions.intake import ASSET_FIELDS, MODEL_FIELDS, VERSION_FIELDS
from yarrow.stories.model import BoundAsset, StorySession


def session_shape(story: StorySession) -> JsonObject:
    """A session as this dialect shows it. A version id is there where a version is held."""
    bindings, bound = story.bindings, story.bound
    character = bound.get(AssetKind.CHARACTER)
    held = {kind: binding.asset_id for kind, binding in bindings.assets.items()}
    return {
        "id": str(story.session_id),
        "title": story.title,
        "status": story.status,
        **{name: _text(held.get(kind)) for kind, name in ASSET_FIELDS.items()},
        **{name: _held_version(bound.get(kind)) for kind, name in VERSION_FIELDS.items()},
        "character_version": character and character.version,
        "character_sync_policy": bindings.sync_policy,
        "deep_binding": _is_deep(story),
        "prompt_mode": bindings.prompt_mode,
        **{name: bindings.model.get(ours) for name, ours in MODEL_FIELDS.items()},
        "metadata": bindings.metadata,
        "message_count": story.message_count,
        "created_at": milliseconds(story.created_at),
        "updated_at": milliseconds(story.updated_at),
    }


def _is_deep(story: StorySession) -> bool:
    """Whether anything but the character is held at a version."""
    others = (each for kind, each in story.bound.items() if kind is not AssetKind.CHARACTER)
    return any(each.pinned for each in others)


def _held_version(bound: BoundAsset | None) -> str | None:
    return str(bound.version_id) if bound is not None and bound.pinned else None


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def batch_shape(ids: Sequence[str], done: Collection[UUID], *, action: str) -> JsonObject:
    """What became of each id of a batch."""
    found = [uuid_of(each) in done for each in ids]
    results = [
        {"index": index, "id": each, "action": action if is_done else "not_found"}
        for index, (each, is_done) in enumerate(zip(ids, found, strict=True))
    ]
    counted = sum(found)
    meta = {"total": len(ids), action: counted, "not_found": len(ids) - counted}
    return {"results": results, "meta": meta}
