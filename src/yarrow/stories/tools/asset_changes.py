"""Apply staged changes of the library: to what tools read in a turn, and to the database with it.

A change is applied to the newest content, so that an edit by a person meanwhile is not lost.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import assert_never
from uuid import UUID

from yarrow.assets import book_entries, preset_entries, store
from yarrow.assets.content_rules import make_draft, make_next_draft
from yarrow.assets.errors import AssetNotFound, EntryNotFound, EntryTaken, make_asset_not_found
from yarrow.assets.model import AssetKind, AssetRef
from yarrow.db import Tx
from yarrow.errors import InvalidInput, TooLarge
from yarrow.ids import AccountId, AssetId
from yarrow.kit.json import JsonObject
from yarrow.product_events.story_tools import AssetOperation, StagedAssetChange
from yarrow.prompting.formats.cards import change_card
from yarrow.runs.errors import CommitConflict

MAIN_PROMPT = "main"
"""The entry of a preset that its `content` is."""
CHANGE_ERRORS = (AssetNotFound, EntryNotFound, EntryTaken, InvalidInput, TooLarge)
"""Why a change may not be possible."""


def apply_change(content: JsonObject, change: StagedAssetChange) -> JsonObject:
    """Apply a change that leaves the asset there; raises one of `CHANGE_ERRORS`."""
    match change.operation:
        case AssetOperation.CREATE:
            return change.fields
        case AssetOperation.UPDATE:
            return _change_fields(AssetKind(change.kind), content, change.fields)
        case AssetOperation.ADD_ENTRY:
            return book_entries.add_entry(content, change.fields)[0]
        case AssetOperation.UPDATE_ENTRY:
            return book_entries.change_entry(content, change.entry, change.fields)
        case AssetOperation.DELETE_ENTRY:
            return book_entries.remove_entry(content, change.entry)
        case AssetOperation.DELETE:
            return content
        case _:
            assert_never(change.operation)


def _change_fields(kind: AssetKind, content: JsonObject, fields: JsonObject) -> JsonObject:
    match kind:
        case AssetKind.CHARACTER:
            return change_card(content, fields)
        case AssetKind.PRESET:
            return _change_main_prompt(content, fields)
        case AssetKind.WORLDBOOK | AssetKind.REGEX_PROFILE | AssetKind.PERSONA:
            return content | fields
        case _:
            assert_never(kind)


def _change_main_prompt(content: JsonObject, fields: JsonObject) -> JsonObject:
    text = fields.get("content")
    if text is None:
        return content
    try:
        return preset_entries.change_entry(content, MAIN_PROMPT, {"content": text})
    except EntryNotFound:
        entry: JsonObject = {"identifier": MAIN_PROMPT, "name": "Main", "role": "system"}
        return preset_entries.add_entry(content, entry | {"content": text})[0]


async def apply_changes(
    tx: Tx, account_id: AccountId, changes: Sequence[StagedAssetChange]
) -> None:
    """Store the changes of a turn; raises `CommitConflict` if one is not possible any more.

    Assets are locked in the order of their ids: two turns that change the same ones cannot wait
    for each other.
    """
    by_asset: dict[UUID, list[StagedAssetChange]] = defaultdict(list)
    for change in changes:
        by_asset[UUID(change.asset_id)].append(change)
    for asset_id in sorted(by_asset):
        try:
            await _store_asset(tx, account_id, AssetId(asset_id), by_asset[asset_id])
        except CHANGE_ERRORS as error:
            raise CommitConflict(f"{by_asset[asset_id][0].kind} {asset_id}") from error


async def _store_asset(
    tx: Tx, account_id: AccountId, asset_id: AssetId, changes: Sequence[StagedAssetChange]
) -> None:
    first, kind = changes[0], AssetKind(changes[0].kind)
    is_new = first.operation is AssetOperation.CREATE
    is_deleted = changes[-1].operation is AssetOperation.DELETE
    if is_new:
        if not is_deleted:
            draft = make_draft(kind, fold_changes({}, changes), name=find_name(changes))
            await store.insert_asset(tx, account_id, draft, asset_id=asset_id)
        return
    ref = AssetRef(account_id, kind, asset_id)
    asset = await store.lock_asset(tx, ref)
    if asset is None:
        raise make_asset_not_found(ref)
    if is_deleted:
        await store.delete_asset(tx, asset)
        return
    content = fold_changes(await store.read_content(tx, asset.version_id), changes)
    draft = make_next_draft(asset, content, name=find_name(changes))
    await store.store_asset_changes(tx, asset, draft)


def fold_changes(content: JsonObject, changes: Sequence[StagedAssetChange]) -> JsonObject:
    """Apply changes of one asset in their order."""
    for change in changes:
        content = apply_change(content, change)
    return content


def find_name(changes: Sequence[StagedAssetChange]) -> str | None:
    """The last name that the changes give; None if they give none."""
    return next((each.name for each in reversed(changes) if each.name is not None), None)


def select_changes(
    changes: Sequence[StagedAssetChange], kind: AssetKind
) -> Mapping[str, list[StagedAssetChange]]:
    """The staged changes of a kind by asset."""
    selected: dict[str, list[StagedAssetChange]] = defaultdict(list)
    for change in changes:
        if change.kind == kind:
            selected[change.asset_id].append(change)
    return selected
