"""Decisions about stories: values in, a value or an error out."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import TypeVar

from yarrow.accounts.model import UNCHANGED, Same, Unchanged
from yarrow.assets.errors import AssetNotFound
from yarrow.assets.model import Asset, AssetKind
from yarrow.errors import InvalidInput
from yarrow.ids import AssetId, SessionId, VersionId
from yarrow.prompting.policy import merge_patch as overlaid
from yarrow.sessions.errors import SessionArchived, SessionNotFound
from yarrow.stories.bindings.model import Binding, Bindings
from yarrow.stories.bindings.rules import (
    bound_to,
    follows_character,
    held_at,
    rebound,
    released,
)
from yarrow.stories.model import StoryHead, StoryPatch, StoryStatus

BRANCH_CHARS = 128

Value = TypeVar("Value")


def require_story(session_id: SessionId, head: StoryHead | None) -> StoryHead:
    """The story is there and the caller's own; another account's is as good as none."""
    if head is None:
        raise SessionNotFound(str(session_id))
    return head


def require_open(head: StoryHead) -> None:
    """The story can be changed."""
    if head.archived:
        raise SessionArchived(str(head.session_id))


def require_branch_name(name: str) -> None:
    """The name can stand in an address."""
    if not 1 <= len(name) <= BRANCH_CHARS or "/" in name or not name.isprintable():
        rule = f"branch_id must have 1 to {BRANCH_CHARS} printable characters and no slash"
        raise InvalidInput(rule, field="branch_id")
    if name != name.strip():
        raise InvalidInput("branch_id must not begin or end with a space", field="branch_id")


def allowed_on_archived(patch: StoryPatch) -> bool:
    """An archived story can be opened, with other changes or without, or archived once more."""
    return patch.status is StoryStatus.ACTIVE or patch == StoryPatch(status=StoryStatus.ARCHIVED)


def patched(
    bindings: Bindings,
    patch: StoryPatch,
    *,
    heads: Mapping[AssetId, Asset],
    versions: Mapping[VersionId, Binding],
    now: datetime,
) -> Bindings:
    """The bindings as the patch wants them; `heads` has every asset that is or will be bound."""
    result = _with_settings(bindings, patch, now)
    for kind, asset_id in patch.assets.items():
        held = kind is AssetKind.CHARACTER and not follows_character(result.sync_policy)
        found = None if asset_id is None else bound_to(kind, asset_id, heads, held=held)
        result = rebound(result, kind, found)
    if patch.deep_binding is True:
        result = held_at(result, heads)
    if patch.deep_binding is False:
        result = released(result)
    for kind, version_id in patch.versions.items():
        result = _at_version(result, kind, version_id, versions)
    return _with_character(result, heads)


def _with_settings(bindings: Bindings, patch: StoryPatch, now: datetime) -> Bindings:
    archived_at = bindings.archived_at
    if patch.status is not UNCHANGED:
        archived_at = archived_at or now if patch.status is StoryStatus.ARCHIVED else None
    return replace(
        bindings,
        archived_at=archived_at,
        sync_policy=_chosen(patch.sync_policy, bindings.sync_policy),
        prompt_mode=_chosen(patch.prompt_mode, bindings.prompt_mode),
        model=overlaid(bindings.model, patch.model),
        metadata=_chosen(patch.metadata, bindings.metadata),
    )


def _chosen(wanted: Value | Same, present: Value) -> Value:
    return present if isinstance(wanted, Unchanged) else wanted


def _at_version(
    bindings: Bindings,
    kind: AssetKind,
    version_id: VersionId | None,
    versions: Mapping[VersionId, Binding],
) -> Bindings:
    binding = bindings.assets.get(kind)
    if binding is None:
        if version_id is None:
            return bindings
        raise InvalidInput(f"no {kind} is bound that could be held at a version", field=str(kind))
    if version_id is None:
        return rebound(bindings, kind, Binding(binding.asset_id))
    found = versions.get(version_id)
    if found is None:
        raise AssetNotFound(f"version {version_id} of a {kind}")
    if found.asset_id != binding.asset_id:
        raise InvalidInput(f"{version_id} is no version of the bound {kind}", field=str(kind))
    return rebound(bindings, kind, found)


def _with_character(bindings: Bindings, heads: Mapping[AssetId, Asset]) -> Bindings:
    """A character that follows has no version of its own, any other one has."""
    binding = bindings.assets.get(AssetKind.CHARACTER)
    if binding is None:
        return bindings
    if follows_character(bindings.sync_policy):
        return rebound(bindings, AssetKind.CHARACTER, Binding(binding.asset_id))
    if binding.version is not None:
        return bindings
    held = bound_to(AssetKind.CHARACTER, binding.asset_id, heads, held=True)
    return rebound(bindings, AssetKind.CHARACTER, held)
