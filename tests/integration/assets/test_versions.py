"""A version never changes; an edit appends one and is based on the newest."""

import asyncio
from uuid import uuid4

import pytest
from tests.loose_json import JsonObject

from yarrow.assets import store
from yarrow.assets.errors import AssetNotFound, VersionConflict
from yarrow.assets.model import Asset, AssetKind, AssetQuery, AssetSort, SortOrder
from yarrow.assets.read import compare_versions, list_assets, list_versions, read_asset
from yarrow.assets.write import create_asset, delete_asset, edit_asset, restore_version
from yarrow.db import Database
from yarrow.errors import InvalidInput
from yarrow.ids import AccountId, AssetId
from yarrow.kit.json import encode_json
from yarrow.kit.json_changes import FieldChange, FieldChangeType


async def preset(database: Database, account_id: AccountId, content: JsonObject) -> Asset:
    return await create_asset(database, account_id, AssetKind.PRESET, content=content, name="P")


async def test_edit_appends_and_older_versions_stay(
    database: Database, account_id: AccountId
) -> None:
    made = await preset(database, account_id, {"temperature": 1})

    edited = await edit_asset(database, made.ref, lambda _: {"temperature": 2}, expected_version=1)

    assert (made.version, edited.version) == (1, 2)
    assert (await read_asset(database, made.ref)).content == {"temperature": 2}
    first = await read_asset(database, made.ref, version=1)
    assert (first.content, first.asset.version_id) == ({"temperature": 1}, made.version_id)


async def test_content_comes_back_in_the_order_it_came(
    database: Database, account_id: AccountId
) -> None:
    content = {"z": 1, "a": {"y": [1.0, 12345678901234567890123, "月\u2028"], "b": None}, "": ""}

    made = await preset(database, account_id, content)

    kept = (await read_asset(database, made.ref)).content
    assert encode_json(kept) == encode_json(content)


async def test_identical_content_makes_no_version(
    database: Database, account_id: AccountId
) -> None:
    made = await preset(database, account_id, {"temperature": 1})

    edited = await edit_asset(database, made.ref, dict)

    assert edited == made


async def test_renaming_a_preset_makes_no_version(
    database: Database, account_id: AccountId
) -> None:
    made = await preset(database, account_id, {"temperature": 1})

    renamed = await edit_asset(database, made.ref, name="Other")

    assert (renamed.name, renamed.version) == ("Other", 1)
    assert renamed.updated_at > made.updated_at


async def test_renaming_a_character_edits_the_card(
    database: Database, account_id: AccountId
) -> None:
    kind = AssetKind.CHARACTER
    made = await create_asset(database, account_id, kind, content={"data": {"name": "Luna"}})

    renamed = await edit_asset(database, made.ref, name="Sol")
    back = await restore_version(database, made.ref, version=1)

    assert (renamed.name, renamed.version) == ("Sol", 2)
    assert (back.name, back.version) == ("Luna", 3)


async def test_stale_edit_is_refused_with_both_versions(
    database: Database, account_id: AccountId
) -> None:
    made = await preset(database, account_id, {"temperature": 1})
    await edit_asset(database, made.ref, lambda _: {"temperature": 2})

    with pytest.raises(VersionConflict) as refused:
        await edit_asset(database, made.ref, lambda _: {"temperature": 3}, expected_version=1)

    assert (refused.value.expected, refused.value.actual) == (1, 2)


async def test_refused_edit_changes_nothing(database: Database, account_id: AccountId) -> None:
    made = await preset(database, account_id, {"temperature": 1})

    with pytest.raises(InvalidInput):
        await edit_asset(database, made.ref, lambda _: {"prompts": 5})

    assert (await read_asset(database, made.ref)).asset == made


async def test_rolling_back_appends_what_was(database: Database, account_id: AccountId) -> None:
    made = await preset(database, account_id, {"temperature": 1})
    await edit_asset(database, made.ref, lambda _: {"temperature": 2})

    back = await restore_version(database, made.ref, version=1, expected_version=2)

    assert back.version == 3
    assert (await read_asset(database, made.ref)).content == {"temperature": 1}
    assert (await read_asset(database, made.ref, version=2)).content == {"temperature": 2}
    with pytest.raises(AssetNotFound):
        await restore_version(database, made.ref, version=9)


async def test_comparison_names_every_place(database: Database, account_id: AccountId) -> None:
    made = await preset(database, account_id, {"a": 1, "prompts": [{"content": "x"}], "old": True})
    new: JsonObject = {"a": 1, "prompts": [{"content": "y"}, {}], "fresh": None}
    await edit_asset(database, made.ref, lambda _: new)

    changes = await compare_versions(database, made.ref, left=1, right=2)

    assert set(map(repr, changes)) == {
        repr(FieldChange("prompts[0].content", FieldChangeType.CHANGED, "x", "y")),
        repr(FieldChange("prompts[1]", FieldChangeType.ADDED, None, {})),
        repr(FieldChange("old", FieldChangeType.REMOVED, True, None)),
        repr(FieldChange("fresh", FieldChangeType.ADDED, None, None)),
    }


async def test_foreign_deleted_and_unknown_assets_are_not_found(
    database: Database, account_id: AccountId
) -> None:
    made = await preset(database, account_id, {})
    deleted = await preset(database, account_id, {})
    await delete_asset(database, deleted.ref)

    for ref in (
        type(made.ref)(AccountId(uuid4()), made.kind, made.id),
        type(made.ref)(account_id, AssetKind.WORLDBOOK, made.id),
        type(made.ref)(account_id, made.kind, AssetId(uuid4())),
        deleted.ref,
    ):
        with pytest.raises(AssetNotFound):
            await read_asset(database, ref)
        with pytest.raises(AssetNotFound):
            await edit_asset(database, ref, name="mine")
        with pytest.raises(AssetNotFound):
            await delete_asset(database, ref)
        with pytest.raises(AssetNotFound):
            await list_versions(database, ref, limit=1, offset=0)


async def test_list_is_paged_sorted_and_searched(database: Database, account_id: AccountId) -> None:
    for name in ("beta", "Alpha", "100%", "1000"):
        await create_asset(database, account_id, AssetKind.PRESET, content={}, name=name)

    async def names(query: AssetQuery) -> tuple[list[str], int]:
        found, total = await list_assets(database, account_id, AssetKind.PRESET, query)
        return [asset.name for asset in found], total

    by_name = (AssetSort.NAME, SortOrder.ASC)
    assert await names(AssetQuery(2, 1, *by_name)) == (["1000", "Alpha"], 4)
    assert await names(AssetQuery(9, 9, *by_name)) == ([], 4)
    assert await names(AssetQuery(1, 0)) == (["1000"], 4)
    assert await names(AssetQuery(9, 0, *by_name, search="ALPH")) == (["Alpha"], 1)
    assert await names(AssetQuery(9, 0, *by_name, search="0%")) == (["100%"], 1)


async def test_versions_are_listed_newest_first(database: Database, account_id: AccountId) -> None:
    made = await preset(database, account_id, {"n": 1})
    await edit_asset(database, made.ref, lambda _: {"n": 2})
    await edit_asset(database, made.ref, lambda _: {"n": 3})

    found, total = await list_versions(database, made.ref, limit=2, offset=0)

    assert ([version.version for version in found], total) == ([3, 2], 3)


async def test_heads_are_the_newest_and_pinned_are_what_was_asked_for(
    database: Database, account_id: AccountId
) -> None:
    one, gone = [await preset(database, account_id, {"n": 1}) for _ in range(2)]
    newest = await edit_asset(database, one.ref, lambda _: {"n": 2})
    await delete_asset(database, gone.ref)

    async with database.connection() as tx:
        heads = await store.find_assets(tx, account_id, [one.id, gone.id, AssetId(uuid4())])
        pinned = await store.find_pinned(
            tx, account_id, {one.id: 1, gone.id: 1, AssetId(uuid4()): 1}
        )
        foreign = await store.find_assets(tx, AccountId(uuid4()), [one.id])
        contents = await store.read_contents(tx, [newest.version_id, one.version_id])

    assert heads == {one.id: newest}
    assert {key: asset.version_id for key, asset in pinned.items()} == {
        one.id: one.version_id,
        gone.id: gone.version_id,
    }
    assert foreign == {}
    assert contents == {newest.version_id: {"n": 2}, one.version_id: {"n": 1}}


async def test_of_many_edits_of_one_version_exactly_one_wins(
    database: Database, account_id: AccountId
) -> None:
    made = await preset(database, account_id, {"n": 0})

    async def edit(number: int) -> bool:
        try:
            await edit_asset(database, made.ref, lambda _: {"n": number}, expected_version=1)
        except VersionConflict:
            return False
        return True

    won = await asyncio.gather(*(edit(number) for number in range(1, 31)))

    assert won.count(True) == 1
    kept = await read_asset(database, made.ref)
    assert (kept.asset.version, kept.content) == (2, {"n": won.index(True) + 1})


async def test_edits_that_expect_nothing_all_count(
    database: Database, account_id: AccountId
) -> None:
    made = await preset(database, account_id, {"n": 0})

    def count(content: JsonObject) -> JsonObject:
        return {"n": content["n"] + 1}

    await asyncio.gather(*(edit_asset(database, made.ref, count) for _ in range(30)))

    kept = await read_asset(database, made.ref)
    assert (kept.asset.version, kept.content) == (31, {"n": 30})
