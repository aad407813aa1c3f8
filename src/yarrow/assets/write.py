"""Verbs that change the library: create, edit, roll back, delete."""

import asyncio
import logging
from collections.abc import Callable
from typing import TypeAlias

from yarrow.assets import rules, store
from yarrow.assets.model import Asset, AssetKind, AssetRef, Draft
from yarrow.db import Database, Tx
from yarrow.ids import AccountId
from yarrow.kit.json import JsonObject

log = logging.getLogger(__name__)

Alter: TypeAlias = Callable[[JsonObject], JsonObject]
"""From what an asset holds to what it shall hold; raises if that cannot be."""


async def create_asset(
    database: Database,
    account_id: AccountId,
    kind: AssetKind,
    *,
    content: JsonObject,
    name: str | None = None,
    picture: bytes | None = None,
) -> Asset:
    """A new asset; `picture` is a character's, as a PNG."""
    draft = await asyncio.to_thread(rules.draft, kind, content, name=name)
    async with database.transaction() as tx:
        asset = await store.insert(tx, account_id, draft)
        if picture is not None:
            await store.write_picture(tx, asset.id, picture)
    _log("asset.created", asset)
    return asset


async def edit_asset(
    database: Database,
    ref: AssetRef,
    alter: Alter | None = None,
    *,
    name: str | None = None,
    expected_version: int | None = None,
) -> Asset:
    """Change what an asset holds, its name, or both; what stays the same makes no version.

    `alter` sees the newest content while nobody else can change it.
    """
    async with database.transaction() as tx:
        asset = await _lock(tx, ref, expected_version)
        content = await store.read_content(tx, asset.version_id)
        wanted = content if alter is None else alter(content)
        draft = await asyncio.to_thread(rules.redraft, asset, wanted, name=name)
        changed = await _move(tx, asset, draft)
    _log("asset.edited", changed)
    return changed


async def roll_back(
    database: Database, ref: AssetRef, *, version: int, expected_version: int | None = None
) -> Asset:
    """A new version with what an old one held; the ones between stay."""
    async with database.transaction() as tx:
        asset = await _lock(tx, ref, expected_version)
        old = await store.find_version(tx, asset.id, version)
        if old is None:
            raise rules.no_version(ref, version)
        content = await store.read_content(tx, old.id)
        changed = await _move(tx, asset, rules.redraft(asset, content))
    _log("asset.rolled_back", changed)
    return changed


async def delete_asset(
    database: Database, ref: AssetRef, *, expected_version: int | None = None
) -> None:
    """Hide an asset from its account; sessions pinned to a version keep it."""
    async with database.transaction() as tx:
        asset = await _lock(tx, ref, expected_version)
        await store.delete(tx, asset)
    _log("asset.deleted", asset)


async def _lock(tx: Tx, ref: AssetRef, expected_version: int | None) -> Asset:
    asset = await store.lock(tx, ref)
    if asset is None:
        raise rules.no_asset(ref)
    rules.require_version(asset, expected_version)
    return asset


async def _move(tx: Tx, asset: Asset, draft: Draft) -> Asset:
    if draft.content_hash != asset.content_hash:
        return await store.append(tx, asset, draft)
    if draft.name != asset.name:
        return await store.rename(tx, asset, draft.name)
    return asset


def _log(event: str, asset: Asset) -> None:
    log.info(event, extra={"asset_id": str(asset.id), "version": asset.version})
