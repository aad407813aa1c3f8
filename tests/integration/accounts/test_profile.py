"""Changing a profile in the database."""

import asyncio
from uuid import uuid4

import pytest

from yarrow.accounts.errors import AccountNotFound
from yarrow.accounts.model import ProfilePatch
from yarrow.accounts.profile import change_profile, show_profile
from yarrow.db.pool import Database
from yarrow.errors import InvalidInput
from yarrow.ids import AccountId


async def test_patch_is_kept(database: Database, account_id: AccountId) -> None:
    before = await show_profile(database, account_id)

    await change_profile(database, account_id, ProfilePatch(username=" 小明 ", bio="hi"))

    after = await show_profile(database, account_id)
    assert (after.username, after.bio) == ("小明", "hi")
    assert after.settings == before.settings
    assert after.updated_at > before.updated_at


async def test_concurrent_patches_of_different_fields_both_hold(
    database: Database, account_id: AccountId
) -> None:
    await asyncio.gather(
        change_profile(database, account_id, ProfilePatch(settings={"script": "hant"})),
        change_profile(database, account_id, ProfilePatch(settings={"timezone": "UTC"})),
        change_profile(database, account_id, ProfilePatch(bio="b")),
    )

    after = await show_profile(database, account_id)
    assert (after.settings["script"], after.settings["timezone"]) == ("hant", "UTC")
    assert after.bio == "b"


async def test_refused_patch_changes_nothing(database: Database, account_id: AccountId) -> None:
    before = await show_profile(database, account_id)
    patch = ProfilePatch(bio="new", settings={"script": "latin"})

    with pytest.raises(InvalidInput):
        await change_profile(database, account_id, patch)

    assert await show_profile(database, account_id) == before


async def test_unknown_account_has_no_profile(database: Database) -> None:
    with pytest.raises(AccountNotFound):
        await show_profile(database, AccountId(uuid4()))
