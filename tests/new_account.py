"""An account in the database; a trigger adds its profile and its hundred points."""

from yarrow.db import Database
from yarrow.ids import AccountId


async def new_account(database: Database) -> AccountId:
    async with database.transaction() as tx:
        return AccountId(await tx.fetchval("INSERT INTO auth.users DEFAULT VALUES RETURNING id"))
