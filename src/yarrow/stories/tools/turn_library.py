"""The account's library as it will be after the turn: what is stored, with staged changes."""

from collections.abc import Sequence
from uuid import UUID

from yarrow.assets.errors import AssetNotFound
from yarrow.assets.model import AssetKind, AssetQuery, AssetRef, AssetSort, SortOrder
from yarrow.assets.read import list_assets, read_asset
from yarrow.db import Database
from yarrow.ids import AccountId, AssetId
from yarrow.kit.json import JsonObject
from yarrow.product_events.story_tools import AssetOperation, StagedAssetChange
from yarrow.stories.tools.asset_changes import find_name, fold_changes, select_changes
from yarrow.stories.tools.model import LibraryItem, StagedEffects
from yarrow.tools.model import ToolError

MAX_LISTED = 100


class TurnLibrary:
    """Reads assets of the account with the staged changes of its turn applied."""

    def __init__(self, database: Database, account_id: AccountId, effects: StagedEffects) -> None:
        self._database, self._account_id, self._effects = database, account_id, effects

    async def read_item(self, kind: AssetKind, asset_id: str) -> LibraryItem:
        """Read an asset; raises `ToolError` if the account has none of this id."""
        key = _parse_id(asset_id)
        changes = select_changes(self._effects.changes, kind).get(str(key), [])
        if changes and changes[-1].operation is AssetOperation.DELETE:
            raise _make_error(kind, asset_id)
        if changes and changes[0].operation is AssetOperation.CREATE:
            name, content = "", JsonObject()
        else:
            name, content = await self._read_stored(kind, key)
        return LibraryItem(key, find_name(changes) or name, fold_changes(content, changes))

    async def _read_stored(self, kind: AssetKind, asset_id: AssetId) -> tuple[str, JsonObject]:
        try:
            stored = await read_asset(self._database, AssetRef(self._account_id, kind, asset_id))
        except AssetNotFound:
            raise _make_error(kind, str(asset_id)) from None
        return stored.asset.name, stored.content

    async def list_items(self, kind: AssetKind, search: str) -> Sequence[LibraryItem]:
        """List names and ids, newest first; those of the turn come first."""
        query = AssetQuery(MAX_LISTED, 0, AssetSort.UPDATED_AT, SortOrder.DESC, search)
        stored, _ = await list_assets(self._database, self._account_id, kind, query)
        staged = select_changes(self._effects.changes, kind)
        new = [
            LibraryItem(AssetId(UUID(key)), find_name(own) or "")
            for key, own in staged.items()
            if own[0].operation is AssetOperation.CREATE and not _ends_deleted(own)
        ]
        old = [
            LibraryItem(asset.id, find_name(own) or asset.name)
            for asset in stored
            if not _ends_deleted(own := staged.get(str(asset.id), []))
        ]
        return [*(each for each in new if search.lower() in each.name.lower()), *old]


def _ends_deleted(changes: Sequence[StagedAssetChange]) -> bool:
    return bool(changes) and changes[-1].operation is AssetOperation.DELETE


def _parse_id(text: str) -> AssetId:
    try:
        return AssetId(UUID(text))
    except ValueError:
        raise ToolError(f"{text!r} is no id; list what there is first") from None


def _make_error(kind: AssetKind, asset_id: str) -> ToolError:
    return ToolError(f"there is no {kind.replace('_', ' ')} {asset_id}; list what there is first")
