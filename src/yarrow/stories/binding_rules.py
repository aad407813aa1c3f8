"""Which version of which asset a story uses, after each change."""

from collections.abc import Mapping
from datetime import datetime
from typing import TypeVar

from msgspec.structs import replace

from yarrow.assets.errors import AssetNotFound
from yarrow.assets.model import Asset, AssetKind
from yarrow.errors import InvalidInput
from yarrow.ids import AssetId, VersionId
from yarrow.kit.patch import UNCHANGED, Unchanged, UnchangedField
from yarrow.prompting.policy import merge_patch
from yarrow.stories.errors import WrongState
from yarrow.stories.model import (
    PINNABLE,
    AssetBinding,
    SessionBindings,
    StoryPatch,
    StoryStatus,
    SyncPolicy,
)

Value = TypeVar("Value")


def apply_patch(
    bindings: SessionBindings,
    patch: StoryPatch,
    *,
    assets: Mapping[AssetId, Asset],
    versions: Mapping[VersionId, AssetBinding],
    now: datetime,
) -> SessionBindings:
    """Change the bindings; `assets` has every asset that is bound before or after."""
    result = _apply_settings(bindings, patch, now)
    for kind, asset_id in patch.assets.items():
        pinned = kind is AssetKind.CHARACTER and not follows_character(result.sync_policy)
        binding = None if asset_id is None else make_binding(kind, asset_id, assets, pinned=pinned)
        result = replace_binding(result, kind, binding)
    if patch.deep_binding is True:
        result = _pin_versions(result, assets)
    if patch.deep_binding is False:
        result = _unpin_versions(result)
    for kind, version_id in patch.versions.items():
        result = _bind_version(result, kind, version_id, versions)
    return _pin_character(result, assets)


def make_binding(
    kind: AssetKind, asset_id: AssetId, assets: Mapping[AssetId, Asset], *, pinned: bool
) -> AssetBinding:
    """Bind an asset, pinned at its newest version or following it."""
    asset = assets.get(asset_id)
    if asset is None:
        raise AssetNotFound(f"{kind} {asset_id}")
    if asset.kind is not kind:
        raise InvalidInput(f"{asset_id} is a {asset.kind}, not a {kind}", field=str(kind))
    return AssetBinding(asset_id, asset.version if pinned else None)


def follows_character(policy: SyncPolicy) -> bool:
    """Whether the session always has its character's newest version."""
    return policy is SyncPolicy.FORCE


def require_syncable(bindings: SessionBindings, *, forced: bool) -> AssetBinding:
    """Return the character's binding, or raise if it may not take a newer version now."""
    binding = bindings.assets.get(AssetKind.CHARACTER)
    if binding is None:
        raise WrongState("this session has no character")
    if bindings.sync_policy is SyncPolicy.PIN and not forced:
        raise WrongState("the character is pinned; send force, or change character_sync_policy")
    return binding


def replace_binding(
    bindings: SessionBindings, kind: AssetKind, binding: AssetBinding | None
) -> SessionBindings:
    """Replace the binding of one kind; None unbinds it."""
    others = {other: value for other, value in bindings.assets.items() if other is not kind}
    return replace(bindings, assets=others if binding is None else {**others, kind: binding})


def _unpin_versions(bindings: SessionBindings) -> SessionBindings:
    """Let every asset but the character follow its newest version."""
    unpinned = {
        kind: binding if kind is AssetKind.CHARACTER else AssetBinding(binding.asset_id)
        for kind, binding in bindings.assets.items()
    }
    return replace(bindings, assets=unpinned)


def _pin_versions(bindings: SessionBindings, assets: Mapping[AssetId, Asset]) -> SessionBindings:
    """Pin every asset that can be pinned at the version it has now."""
    pinned = {
        kind: AssetBinding(
            binding.asset_id, binding.version or _find_newest_version(binding, assets)
        )
        if kind in PINNABLE
        else binding
        for kind, binding in bindings.assets.items()
    }
    return replace(bindings, assets=pinned)


def _find_newest_version(binding: AssetBinding, assets: Mapping[AssetId, Asset]) -> int | None:
    asset = assets.get(binding.asset_id)
    return None if asset is None else asset.version


def _apply_settings(bindings: SessionBindings, patch: StoryPatch, now: datetime) -> SessionBindings:
    archived_at = bindings.archived_at
    if patch.status is not UNCHANGED:
        archived_at = archived_at or now if patch.status is StoryStatus.ARCHIVED else None
    return replace(
        bindings,
        archived_at=archived_at,
        sync_policy=_choose_value(patch.sync_policy, bindings.sync_policy),
        prompt_mode=_choose_value(patch.prompt_mode, bindings.prompt_mode),
        model=merge_patch(bindings.model, patch.model),
        metadata=_choose_value(patch.metadata, bindings.metadata),
    )


def _choose_value(new: Value | UnchangedField, present: Value) -> Value:
    return present if isinstance(new, Unchanged) else new


def _bind_version(
    bindings: SessionBindings,
    kind: AssetKind,
    version_id: VersionId | None,
    versions: Mapping[VersionId, AssetBinding],
) -> SessionBindings:
    """Pin the bound asset of a kind at a version; None unpins it."""
    binding = bindings.assets.get(kind)
    if binding is None:
        if version_id is None:
            return bindings
        raise InvalidInput(f"no {kind} is bound that could be held at a version", field=str(kind))
    if version_id is None:
        return replace_binding(bindings, kind, AssetBinding(binding.asset_id))
    pinned = versions.get(version_id)
    if pinned is None:
        raise AssetNotFound(f"version {version_id} of a {kind}")
    if pinned.asset_id != binding.asset_id:
        raise InvalidInput(f"{version_id} is no version of the bound {kind}", field=str(kind))
    return replace_binding(bindings, kind, pinned)


def _pin_character(bindings: SessionBindings, assets: Mapping[AssetId, Asset]) -> SessionBindings:
    """Pin the character, unless the sync policy makes it follow its newest version."""
    binding = bindings.assets.get(AssetKind.CHARACTER)
    if binding is None:
        return bindings
    if follows_character(bindings.sync_policy):
        return replace_binding(bindings, AssetKind.CHARACTER, AssetBinding(binding.asset_id))
    if binding.version is not None:
        return bindings
    pinned = make_binding(AssetKind.CHARACTER, binding.asset_id, assets, pinned=True)
    return replace_binding(bindings, AssetKind.CHARACTER, pinned)
