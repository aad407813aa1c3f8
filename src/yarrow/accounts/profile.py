"""Reading and changing one's own profile."""

from yarrow.accounts import rules, store
from yarrow.accounts.model import Profile, ProfilePatch
from yarrow.db.pool import Database
from yarrow.ids import AccountId


async def show_profile(database: Database, account_id: AccountId) -> Profile:
    async with database.connection() as tx:
        return await store.read_profile(tx, account_id)


async def change_profile(database: Database, account_id: AccountId, patch: ProfilePatch) -> Profile:
    """Apply the patch under a lock, so that two patches of different fields both hold."""
    async with database.transaction() as tx:
        profile = await store.lock_profile(tx, account_id)
        return await store.save_profile(tx, rules.patched(profile, patch))
