"""Verbs that read the library."""

import asyncio
from dataclasses import dataclass

from yarrow.assets import rules, store
from yarrow.assets.model import Asset, AssetKind, AssetRef, AssetVersion, Listing
from yarrow.db import Database, Tx
from yarrow.ids import AccountId
from yarrow.kit.json import JsonObject
from yarrow.prompting.compare import FieldChange, find_differences


@dataclass(frozen=True, slots=True)
class Opened:
    """An asset at one of its versions, and what it holds there."""

    asset: Asset
    content: JsonObject


async def open_asset(database: Database, ref: AssetRef, *, version: int | None = None) -> Opened:
    """The asset at a version, or at its newest."""
    async with database.connection() as tx:
        asset = await _find(tx, ref)
        if version is not None:
            asset = await _at(tx, asset, version)
        return Opened(asset, await store.read_content(tx, asset.version_id))


async def list_assets(
    database: Database, account_id: AccountId, kind: AssetKind, *, listing: Listing
) -> tuple[tuple[Asset, ...], int]:
    """One page of the account's assets of a kind, and how many there are in all."""
    async with database.connection() as tx:
        return await store.list_assets(tx, account_id, kind, listing=listing)


async def list_versions(
    database: Database, ref: AssetRef, *, limit: int, offset: int
) -> tuple[tuple[AssetVersion, ...], int]:
    """One page of an asset's versions, the newest first, and how many there are in all."""
    async with database.connection() as tx:
        asset = await _find(tx, ref)
        found = await store.list_versions(tx, asset.id, limit=limit, offset=offset)
    return found, asset.version


async def read_picture(database: Database, ref: AssetRef) -> bytes | None:
    """A character's picture; None if it came without."""
    async with database.connection() as tx:
        asset = await _find(tx, ref)
        return await store.read_picture(tx, asset.id)


async def _find(tx: Tx, ref: AssetRef) -> Asset:
    asset = await store.find(tx, ref)
    if asset is None:
        raise rules.no_asset(ref)
    return asset


async def _at(tx: Tx, asset: Asset, version: int) -> Asset:
    found = await store.pinned(tx, asset.account_id, {asset.id: version})
    if asset.id not in found:
        raise rules.no_version(asset.ref, version)
    return found[asset.id]


async def compare_versions(
    database: Database, ref: AssetRef, *, left: int, right: int
) -> tuple[FieldChange, ...]:
    """Every place in which two versions differ."""
    one = await open_asset(database, ref, version=left)
    other = await open_asset(database, ref, version=right)
    return await asyncio.to_thread(_changes, one.content, other.content)


def _changes(left: JsonObject, right: JsonObject) -> tuple[FieldChange, ...]:
    return tuple(find_differences(left, right))
