"""An account has room for 100,000 memories; a write counts those since the last count."""

from uuid import UUID

import pytest

from yarrow.db import Database
from yarrow.ids import AccountId
from yarrow.memory import store
from yarrow.memory.model import ACCOUNT_MAX

INSERT = """
INSERT INTO memory_items (id, account_id, scope, kind, content, importance, confidence)
SELECT gen_random_uuid(), $1, 'global', 'fact', 'x', 0, 0 FROM generate_series(1, $2)
"""


@pytest.fixture
async def account(database: Database) -> AccountId:
    async with database.transaction() as tx:
        return AccountId(
            await tx.fetchval("INSERT INTO auth.users DEFAULT VALUES RETURNING id"),
        )


async def write(database: Database, account: AccountId, count: int) -> bool:
    async with database.transaction() as tx:
        await tx.execute(INSERT, account, count)
        return await store.has_room(tx, account)


async def read_counted(database: Database, account: UUID) -> int:
    async with database.connection() as tx:
        count: int = await tx.fetchval(
            "SELECT counted FROM memory_counts WHERE account_id = $1", account
        )
    return count


async def set_counted(database: Database, account: UUID, count: int) -> None:
    async with database.transaction() as tx:
        await tx.execute(
            "UPDATE memory_counts SET counted = $2 WHERE account_id = $1", account, count
        )


async def test_memories_are_counted_again_after_a_thousand_new_ones(
    database: Database, account: AccountId
) -> None:
    counted = []

    for count in (3, 1_000, 1):
        assert await write(database, account, count)
        counted.append(await read_counted(database, account))

    assert counted == [3, 3, 1_004]


async def test_newer_memories_are_added_to_the_last_count(
    database: Database, account: AccountId
) -> None:
    await write(database, account, 1)
    await set_counted(database, account, ACCOUNT_MAX - 2)

    assert await write(database, account, 2)
    assert await read_counted(database, account) == ACCOUNT_MAX - 2


async def test_a_full_account_is_counted_again_for_what_was_deleted(
    database: Database, account: AccountId
) -> None:
    await write(database, account, 2)
    await set_counted(database, account, ACCOUNT_MAX)

    assert await write(database, account, 1)
    assert await read_counted(database, account) == 3
