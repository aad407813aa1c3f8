"""Decisions about bindings: values in, a value or an error out."""

from collections.abc import Mapping
from dataclasses import replace

from yarrow.assets.errors import AssetNotFound
from yarrow.assets.model import Asset, AssetKind
from yarrow.errors import InvalidInput
from yarrow.ids import AssetId
from yarrow.stories.bindings.model import PINNABLE, Binding, Bindings, SyncPolicy
from yarrow.stories.errors import WrongState


def bound_to(
    kind: AssetKind, asset_id: AssetId, heads: Mapping[AssetId, Asset], *, held: bool
) -> Binding:
    """A binding to the asset, at its newest version if it is to be held there."""
    asset = heads.get(asset_id)
    if asset is None:
        raise AssetNotFound(f"{kind} {asset_id}")
    if asset.kind is not kind:
        raise InvalidInput(f"{asset_id} is a {asset.kind}, not a {kind}", field=str(kind))
    return Binding(asset_id, asset.version if held else None)


def follows_character(policy: SyncPolicy) -> bool:
    """Whether the session always has its character's newest version."""
    return policy is SyncPolicy.FORCE


def require_syncable(bindings: Bindings, *, forced: bool) -> Binding:
    """The binding to the character, if it may take a newer version now."""
    binding = bindings.assets.get(AssetKind.CHARACTER)
    if binding is None:
        raise WrongState("this session has no character")
    if bindings.sync_policy is SyncPolicy.PIN and not forced:
        raise WrongState("the character is pinned; send force, or change character_sync_policy")
    return binding


def rebound(bindings: Bindings, kind: AssetKind, binding: Binding | None) -> Bindings:
    """The bindings with one of them changed, or loosed."""
    others = {held: value for held, value in bindings.assets.items() if held is not kind}
    return replace(bindings, assets=others if binding is None else {**others, kind: binding})


def released(bindings: Bindings) -> Bindings:
    """The bindings with every asset but the character following its newest version."""
    loose = {
        kind: binding if kind is AssetKind.CHARACTER else Binding(binding.asset_id)
        for kind, binding in bindings.assets.items()
    }
    return replace(bindings, assets=loose)


def held_at(bindings: Bindings, heads: Mapping[AssetId, Asset]) -> Bindings:
    """The bindings with every asset that follows its newest version held where it is."""
    held = {
        kind: Binding(binding.asset_id, binding.version or _newest(binding, heads))
        if kind in PINNABLE
        else binding
        for kind, binding in bindings.assets.items()
    }
    return replace(bindings, assets=held)


def _newest(binding: Binding, heads: Mapping[AssetId, Asset]) -> int | None:
    asset = heads.get(binding.asset_id)
    return None if asset is None else asset.version
