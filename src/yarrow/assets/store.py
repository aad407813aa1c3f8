"""SQL of assets. Versions are immutable; an asset has the number of its newest."""

from collections.abc import Mapping, Sequence

from yarrow.assets.model import (
    Asset,
    AssetDraft,
    AssetKind,
    AssetQuery,
    AssetRef,
    AssetSort,
    AssetVersion,
    SortOrder,
)
from yarrow.db import Row, Tx
from yarrow.db.patterns import escape_like
from yarrow.ids import AccountId, AssetId, VersionId, new_uuid
from yarrow.kit.json import JsonObject

_NEWEST = """
SELECT a.id, a.account_id, a.kind, a.name, a.created_at, a.updated_at,
    v.version, v.id AS version_id, v.content_hash
FROM assets a JOIN asset_versions v ON v.asset_id = a.id AND v.version = a.version
"""

_PINNED = """
SELECT a.id, a.account_id, a.kind, a.name, a.created_at, v.created_at AS updated_at,
    v.version, v.id AS version_id, v.content_hash
FROM unnest($2::uuid[], $3::integer[]) AS pin (id, version)
JOIN assets a ON a.id = pin.id
JOIN asset_versions v ON v.asset_id = a.id AND v.version = pin.version
WHERE a.account_id = $1
"""

_VERSION_COLUMNS = "v.id, v.asset_id, v.version, v.content_hash, v.created_at"

_LISTED = "a.account_id = $1 AND a.kind = $2 AND a.deleted_at IS NULL"

# The matches are found once, in an index that has their names and all that they are sorted by.
_SEARCH = f"""
WITH found AS MATERIALIZED (
    SELECT a.id, a.name, a.created_at, a.updated_at FROM assets a
    WHERE {_LISTED} AND a.name ILIKE $3
)
SELECT (SELECT count(*) FROM found) AS total, a.*
FROM (SELECT 1) AS one LEFT JOIN (
    SELECT n.* FROM (
        SELECT a.id FROM found a ORDER BY {{order}} LIMIT $4 OFFSET $5
    ) page JOIN ({_NEWEST}) n ON n.id = page.id
) a ON TRUE ORDER BY {{order}}
"""  # noqa: S608

_SORTS = {
    AssetSort.NAME: "lower(a.name)",
    AssetSort.CREATED_AT: "a.created_at",
    AssetSort.UPDATED_AT: "a.updated_at",
}
_ORDERS = {SortOrder.ASC: "ASC", SortOrder.DESC: "DESC"}


async def insert_asset(
    tx: Tx, account_id: AccountId, draft: AssetDraft, *, asset_id: AssetId | None = None
) -> Asset:
    """Insert an asset with version 1, under a new id or one that was made before."""
    asset_id = asset_id or AssetId(new_uuid())
    await tx.execute(
        "INSERT INTO assets (id, account_id, kind, name, version) VALUES ($1, $2, $3, $4, 1)",
        asset_id,
        account_id,
        draft.kind,
        draft.name,
    )
    await _insert_version(tx, asset_id, 1, draft)
    return await _read_asset(tx, asset_id)


async def lock_asset(tx: Tx, ref: AssetRef) -> Asset | None:
    """Lock an asset until the transaction ends, and read it.

    Two statements: one that locks and joins would, after a wait, look for the version that was
    the newest before it.
    """
    locked = await tx.fetchval(
        "SELECT id FROM assets "
        "WHERE id = $1 AND account_id = $2 AND kind = $3 AND deleted_at IS NULL FOR UPDATE",
        ref.id,
        ref.account_id,
        ref.kind,
    )
    return None if locked is None else await _read_asset(tx, ref.id)


async def append_version(tx: Tx, locked: Asset, draft: AssetDraft) -> Asset:
    """Insert the next version of a locked asset."""
    number = locked.version + 1
    await _insert_version(tx, locked.id, number, draft)
    await tx.execute(
        "UPDATE assets SET version = $2, name = $3, updated_at = now() WHERE id = $1",
        locked.id,
        number,
        draft.name,
    )
    return await _read_asset(tx, locked.id)


async def rename_asset(tx: Tx, locked: Asset, name: str) -> Asset:
    """Rename a locked asset; its versions do not change."""
    await tx.execute(
        "UPDATE assets SET name = $2, updated_at = now() WHERE id = $1", locked.id, name
    )
    return await _read_asset(tx, locked.id)


async def store_asset_changes(tx: Tx, locked: Asset, draft: AssetDraft) -> Asset:
    """Store what a draft changes of a locked asset: content, name, or nothing."""
    if draft.content_hash != locked.content_hash:
        return await append_version(tx, locked, draft)
    if draft.name != locked.name:
        return await rename_asset(tx, locked, draft.name)
    return locked


async def delete_asset(tx: Tx, locked: Asset) -> None:
    """Soft-delete a locked asset; sessions that are bound to it keep using it."""
    await tx.execute(
        "UPDATE assets SET deleted_at = now(), updated_at = now() WHERE id = $1", locked.id
    )


async def find_asset(tx: Tx, ref: AssetRef) -> Asset | None:
    """Find an asset at its newest version."""
    row = await tx.fetchrow(
        f"{_NEWEST} WHERE a.id = $1 AND a.account_id = $2 AND a.kind = $3 AND a.deleted_at IS NULL",
        ref.id,
        ref.account_id,
        ref.kind,
    )
    return None if row is None else _build_asset(row)


async def find_assets(
    tx: Tx, account_id: AccountId, asset_ids: Sequence[AssetId]
) -> Mapping[AssetId, Asset]:
    """Find assets of the account at their newest versions, without deleted ones."""
    rows = await tx.fetch(
        f"{_NEWEST} WHERE a.account_id = $1 AND a.id = ANY($2) AND a.deleted_at IS NULL",
        account_id,
        asset_ids,
    )
    return {asset.id: asset for asset in map(_build_asset, rows)}


async def find_pinned(
    tx: Tx, account_id: AccountId, versions: Mapping[AssetId, int]
) -> Mapping[AssetId, Asset]:
    """Find assets of the account at these versions, deleted ones too.

    Their `updated_at` is the time of the version.
    """
    rows = await tx.fetch(_PINNED, account_id, list(versions), list(versions.values()))
    return {asset.id: asset for asset in map(_build_asset, rows)}


async def read_contents(tx: Tx, version_ids: Sequence[VersionId]) -> Mapping[VersionId, JsonObject]:
    """Read the content of versions. The owner is not checked: the ids come from other queries."""
    rows = await tx.fetch("SELECT id, content FROM asset_versions WHERE id = ANY($1)", version_ids)
    return {VersionId(row["id"]): row["content"] for row in rows}


async def read_content(tx: Tx, version_id: VersionId) -> JsonObject:
    return (await read_contents(tx, [version_id]))[version_id]


async def list_assets(
    tx: Tx, account_id: AccountId, kind: AssetKind, query: AssetQuery
) -> tuple[tuple[Asset, ...], int]:
    """List some of the account's assets of a kind, and count all that match."""
    values: tuple[object, ...] = (account_id, kind)
    order = f"{_SORTS[query.sort]} {_ORDERS[query.order]}, a.id {_ORDERS[query.order]}"
    if query.search:
        pattern = f"%{escape_like(query.search)}%"
        rows = await tx.fetch(
            _SEARCH.format(order=order), *values, pattern, query.limit, query.offset
        )
        assets = tuple(_build_asset(row) for row in rows if row["id"] is not None)
        return assets, rows[0]["total"]
    rows = await tx.fetch(
        f"{_NEWEST} JOIN ("  # noqa: S608
        f"SELECT a.id FROM assets a WHERE {_LISTED} ORDER BY {order} LIMIT $3 OFFSET $4"
        f") page ON page.id = a.id ORDER BY {order}",
        *values,
        query.limit,
        query.offset,
    )
    total = await tx.fetchval(f"SELECT count(*) FROM assets a WHERE {_LISTED}", *values)  # noqa: S608
    return tuple(map(_build_asset, rows)), total


async def list_versions(
    tx: Tx, asset_id: AssetId, *, limit: int, offset: int
) -> tuple[AssetVersion, ...]:
    """List versions, newest first. Their count is the number of the newest."""
    rows = await tx.fetch(
        f"SELECT {_VERSION_COLUMNS} FROM asset_versions v WHERE v.asset_id = $1 "  # noqa: S608
        "ORDER BY v.version DESC LIMIT $2 OFFSET $3",
        asset_id,
        limit,
        offset,
    )
    return tuple(map(_build_version, rows))


async def find_version(tx: Tx, asset_id: AssetId, version: int) -> AssetVersion | None:
    row = await tx.fetchrow(
        f"SELECT {_VERSION_COLUMNS} FROM asset_versions v "  # noqa: S608
        "WHERE v.asset_id = $1 AND v.version = $2",
        asset_id,
        version,
    )
    return None if row is None else _build_version(row)


async def write_picture(tx: Tx, asset_id: AssetId, png: bytes) -> None:
    await tx.execute(
        "INSERT INTO asset_pictures (asset_id, png) VALUES ($1, $2) "
        "ON CONFLICT (asset_id) DO UPDATE SET png = excluded.png",
        asset_id,
        png,
    )


async def delete_picture(tx: Tx, asset_id: AssetId) -> bool:
    """Delete the picture of a character card; False if it has none."""
    deleted = await tx.fetchval(
        "DELETE FROM asset_pictures WHERE asset_id = $1 RETURNING TRUE", asset_id
    )
    return bool(deleted)


async def read_picture(tx: Tx, asset_id: AssetId) -> bytes | None:
    """Read the picture of a character card; None if it has none."""
    png: bytes | None = await tx.fetchval(
        "SELECT png FROM asset_pictures WHERE asset_id = $1", asset_id
    )
    return png


async def _insert_version(tx: Tx, asset_id: AssetId, number: int, draft: AssetDraft) -> None:
    await tx.execute(
        "INSERT INTO asset_versions (id, asset_id, version, content, content_hash) "
        "VALUES ($1, $2, $3, $4, $5)",
        new_uuid(),
        asset_id,
        number,
        draft.content,
        draft.content_hash,
    )


async def _read_asset(tx: Tx, asset_id: AssetId) -> Asset:
    return _build_asset(await tx.fetchrow(f"{_NEWEST} WHERE a.id = $1", asset_id))


def _build_asset(row: Row) -> Asset:
    return Asset(
        id=AssetId(row["id"]),
        account_id=AccountId(row["account_id"]),
        kind=AssetKind(row["kind"]),
        name=row["name"],
        version=row["version"],
        version_id=VersionId(row["version_id"]),
        content_hash=row["content_hash"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
    )


def _build_version(row: Row) -> AssetVersion:
    return AssetVersion(
        id=VersionId(row["id"]),
        asset_id=AssetId(row["asset_id"]),
        version=row["version"],
        content_hash=row["content_hash"],
        created_at=row["created_at"],
    )
