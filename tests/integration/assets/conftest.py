"""An account for each test."""

import pytest

from yarrow.db import Database
from yarrow.ids import AccountId


@pytest.fixture
async def account_id(database: Database) -> AccountId:
    async with database.transaction() as tx:
        return AccountId(await tx.fetchval("INSERT INTO auth.users DEFAULT VALUES RETURNING id"))
