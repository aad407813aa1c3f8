"""Read assets. Each function opens its own connection."""

import asyncio

from msgspec import Struct

from yarrow.assets import store
from yarrow.assets.errors import make_asset_not_found, make_version_not_found
from yarrow.assets.model import Asset, AssetKind, AssetQuery, AssetRef, AssetVersion
from yarrow.db import Database, Tx
from yarrow.ids import AccountId
from yarrow.kit.json import JsonObject
from yarrow.kit.json_changes import FieldChange, find_changes


class AssetContent(Struct, frozen=True):
    """An asset at one of its versions, with the content of that version."""

    asset: Asset
    content: JsonObject


async def read_asset(
    database: Database, ref: AssetRef, *, version: int | None = None
) -> AssetContent:
    """Read an asset at a version, or at its newest."""
    async with database.connection() as tx:
        asset = await _require_asset(tx, ref)
        if version is not None:
            asset = await _find_pinned(tx, asset, version)
        return AssetContent(asset, await store.read_content(tx, asset.version_id))


async def list_assets(
    database: Database, account_id: AccountId, kind: AssetKind, query: AssetQuery
) -> tuple[tuple[Asset, ...], int]:
    """List some of the account's assets of a kind, and count all that match."""
    async with database.connection() as tx:
        return await store.list_assets(tx, account_id, kind, query)


async def list_versions(
    database: Database, ref: AssetRef, *, limit: int, offset: int
) -> tuple[tuple[AssetVersion, ...], int]:
    """List some of an asset's versions, newest first, and count all."""
    async with database.connection() as tx:
        asset = await _require_asset(tx, ref)
        versions = await store.list_versions(tx, asset.id, limit=limit, offset=offset)
    return versions, asset.version


async def read_picture(database: Database, ref: AssetRef) -> bytes | None:
    """Read a character's picture; None if it has none."""
    async with database.connection() as tx:
        asset = await _require_asset(tx, ref)
        return await store.read_picture(tx, asset.id)


async def _require_asset(tx: Tx, ref: AssetRef) -> Asset:
    asset = await store.find_asset(tx, ref)
    if asset is None:
        raise make_asset_not_found(ref)
    return asset


async def _find_pinned(tx: Tx, asset: Asset, version: int) -> Asset:
    pinned = await store.find_pinned(tx, asset.account_id, {asset.id: version})
    if asset.id not in pinned:
        raise make_version_not_found(asset.ref, version)
    return pinned[asset.id]


async def compare_versions(
    database: Database, ref: AssetRef, *, left: int, right: int
) -> tuple[FieldChange, ...]:
    """Find every field in which two versions differ."""
    old = await read_asset(database, ref, version=left)
    new = await read_asset(database, ref, version=right)
    return await asyncio.to_thread(_list_changes, old.content, new.content)


def _list_changes(left: JsonObject, right: JsonObject) -> tuple[FieldChange, ...]:
    return tuple(find_changes(left, right))
