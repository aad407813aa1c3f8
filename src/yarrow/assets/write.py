"""Create, edit, restore and delete assets."""

import asyncio
import logging
from collections.abc import Callable
from typing import TypeAlias

from yarrow.assets import store
from yarrow.assets.content_rules import make_draft, make_next_draft
from yarrow.assets.errors import (
    AssetNotFound,
    VersionConflict,
    make_asset_not_found,
    make_version_not_found,
)
from yarrow.assets.model import Asset, AssetKind, AssetRef
from yarrow.db import Database, Tx
from yarrow.ids import AccountId
from yarrow.kit.json import JsonObject

log = logging.getLogger(__name__)

ContentEdit: TypeAlias = Callable[[JsonObject], JsonObject]
"""Makes the new content of an asset from the present one, or raises."""


async def create_asset(
    database: Database,
    account_id: AccountId,
    kind: AssetKind,
    *,
    content: JsonObject,
    name: str | None = None,
    picture: bytes | None = None,
) -> Asset:
    """Create an asset; `picture` is the PNG of a character card."""
    draft = await asyncio.to_thread(make_draft, kind, content, name=name)
    async with database.transaction() as tx:
        asset = await store.insert_asset(tx, account_id, draft)
        if picture is not None:
            await store.write_picture(tx, asset.id, picture)
    _log_asset_event("asset.created", asset)
    return asset


async def edit_asset(
    database: Database,
    ref: AssetRef,
    edit: ContentEdit | None = None,
    *,
    name: str | None = None,
    expected_version: int | None = None,
) -> Asset:
    """Change the content of an asset, its name, or both; unchanged content makes no version.

    `edit` gets the newest content under a lock.
    """
    async with database.transaction() as tx:
        asset = await _lock_asset(tx, ref, expected_version)
        content = await store.read_content(tx, asset.version_id)
        new_content = content if edit is None else edit(content)
        draft = await asyncio.to_thread(make_next_draft, asset, new_content, name=name)
        changed = await store.store_asset_changes(tx, asset, draft)
    _log_asset_event("asset.edited", changed)
    return changed


async def restore_version(
    database: Database, ref: AssetRef, *, version: int, expected_version: int | None = None
) -> Asset:
    """Append a version with the content of an old one; those between stay."""
    async with database.transaction() as tx:
        asset = await _lock_asset(tx, ref, expected_version)
        old = await store.find_version(tx, asset.id, version)
        if old is None:
            raise make_version_not_found(ref, version)
        content = await store.read_content(tx, old.id)
        changed = await store.store_asset_changes(tx, asset, make_next_draft(asset, content))
    _log_asset_event("asset.rolled_back", changed)
    return changed


async def delete_asset(
    database: Database, ref: AssetRef, *, expected_version: int | None = None
) -> None:
    """Soft-delete an asset; sessions that are bound to it keep using it."""
    async with database.transaction() as tx:
        asset = await _lock_asset(tx, ref, expected_version)
        await store.delete_asset(tx, asset)
    _log_asset_event("asset.deleted", asset)


async def replace_picture(database: Database, ref: AssetRef, png: bytes) -> Asset:
    """Store another picture of a character card; the card itself does not change."""
    async with database.transaction() as tx:
        asset = await _lock_asset(tx, ref, None)
        await store.write_picture(tx, asset.id, png)
    _log_asset_event("asset.picture_replaced", asset)
    return asset


async def delete_picture(database: Database, ref: AssetRef) -> Asset:
    """Delete the picture of a character card; raise if it has none."""
    async with database.transaction() as tx:
        asset = await _lock_asset(tx, ref, None)
        if not await store.delete_picture(tx, asset.id):
            raise AssetNotFound(f"picture of {ref.kind} {ref.id}")
    _log_asset_event("asset.picture_deleted", asset)
    return asset


async def insert_copy(tx: Tx, account_id: AccountId, kind: AssetKind, content: JsonObject) -> Asset:
    """Insert an asset of one session; the caller deletes it from the library when it is bound."""
    draft = await asyncio.to_thread(make_draft, kind, content)
    return await store.insert_asset(tx, account_id, draft)


async def _lock_asset(tx: Tx, ref: AssetRef, expected_version: int | None) -> Asset:
    asset = await store.lock_asset(tx, ref)
    if asset is None:
        raise make_asset_not_found(ref)
    if expected_version is not None and expected_version != asset.version:
        raise VersionConflict(expected=expected_version, actual=asset.version)
    return asset


def _log_asset_event(event: str, asset: Asset) -> None:
    log.info(event, extra={"asset_id": str(asset.id), "version": asset.version})
