"""What a new row of auth.users brings along. seed 3, signup initialization contract."""

import re

from yarrow.db.pool import Database
from yarrow.ids import AccountId


async def test_new_user_has_a_profile(database: Database, account_id: AccountId) -> None:
    async with database.connection() as tx:
        row = await tx.fetchrow("SELECT * FROM profiles WHERE id = $1", account_id)

    assert row is not None
    assert re.fullmatch(r"user_[a-z0-9]{6}", row["username"])
    assert set(row["settings"]) == {"ai_language", "timezone", "day_boundary", "script"}
    assert row["deleted_at"] is None


async def test_new_user_has_a_hundred_points(database: Database, account_id: AccountId) -> None:
    async with database.connection() as tx:
        row = await tx.fetchrow("SELECT * FROM user_points WHERE user_id = $1", account_id)

    assert row is not None
    assert (row["balance"], row["frozen_balance"]) == (100, 0)
    assert (row["lifetime_earned"], row["lifetime_spent"]) == (100, 0)


async def test_new_user_has_a_register_entry(database: Database, account_id: AccountId) -> None:
    async with database.connection() as tx:
        rows = await tx.fetch("SELECT * FROM points_ledger WHERE user_id = $1", account_id)

    (row,) = rows
    assert (row["change_type"], row["biz_type"], row["biz_id"]) == ("register", None, None)
    assert (row["amount"], row["direction"], row["balance_after"]) == (100, 1, 100)
    assert row["metadata"]["schema_version"] == 1


async def test_trigger_calls_the_function_of_the_protocol(database: Database) -> None:
    async with database.connection() as tx:
        definition = await tx.fetchval(
            "SELECT pg_get_triggerdef(oid) FROM pg_trigger"
            " WHERE tgrelid = 'auth.users'::regclass AND NOT tgisinternal"
        )

    assert "AFTER INSERT" in definition
    assert "initialize_profile_and_points_on_signup()" in definition


async def test_usernames_differ(database: Database) -> None:
    async with database.transaction() as tx:
        ids = [
            row["id"]
            for row in await tx.fetch(
                "INSERT INTO auth.users SELECT FROM generate_series(1, 50) RETURNING id"
            )
        ]
        query = "SELECT count(DISTINCT username) FROM profiles WHERE id = ANY($1)"
        distinct = await tx.fetchval(query, ids)

    assert distinct > 45
