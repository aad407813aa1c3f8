"""Read and change a profile."""

from yarrow.accounts import store
from yarrow.accounts.model import AccountProfile, ProfilePatch
from yarrow.accounts.profile_rules import apply_patch
from yarrow.db.pool import Database
from yarrow.ids import AccountId


async def show_profile(database: Database, account_id: AccountId) -> AccountProfile:
    async with database.connection() as tx:
        return await store.read_profile(tx, account_id)


async def change_profile(
    database: Database, account_id: AccountId, patch: ProfilePatch
) -> AccountProfile:
    """Apply the patch under a row lock: concurrent patches of different fields both take effect."""
    async with database.transaction() as tx:
        profile = await store.lock_profile(tx, account_id)
        return await store.save_profile(tx, apply_patch(profile, patch))
