"""The other tables of the data protocol, broken on purpose. seed 3, table contract."""

from typing import Any

import asyncpg
import pytest
from tests.integration.points.rows import insert

from yarrow.db.pool import Database
from yarrow.ids import AccountId, SessionId


@pytest.mark.parametrize(
    "totals",
    [
        "balance = -1, frozen_balance = -1",
        "frozen_balance = -1",
        "lifetime_earned = -1",
        "lifetime_spent = -1",
        "frozen_balance = balance + 1",
    ],
)
async def test_wrong_totals_are_refused(
    database: Database, account_id: AccountId, totals: str
) -> None:
    with pytest.raises(asyncpg.CheckViolationError, match="ck_user_points"):
        async with database.transaction() as tx:
            await tx.execute(f"UPDATE user_points SET {totals} WHERE user_id = $1", account_id)


async def test_everything_may_be_held(database: Database, account_id: AccountId) -> None:
    async with database.transaction() as tx:
        done = await tx.execute(
            "UPDATE user_points SET frozen_balance = balance WHERE user_id = $1", account_id
        )

    assert done == "UPDATE 1"


@pytest.mark.parametrize("username", ["", "   "])
async def test_empty_username_is_refused(
    database: Database, account_id: AccountId, username: str
) -> None:
    with pytest.raises(asyncpg.CheckViolationError, match="username_not_empty"):
        async with database.transaction() as tx:
            await tx.execute(
                "UPDATE profiles SET username = $2 WHERE id = $1", account_id, username
            )


async def test_settings_must_be_an_object(database: Database, account_id: AccountId) -> None:
    with pytest.raises(asyncpg.CheckViolationError, match="settings_object"):
        async with database.transaction() as tx:
            await tx.execute("UPDATE profiles SET settings = $2 WHERE id = $1", account_id, [])


@pytest.mark.parametrize("index", ["ix_profiles_username", "ix_profiles_settings_gin"])
async def test_profiles_have_their_indexes(database: Database, index: str) -> None:
    async with database.connection() as tx:
        assert await tx.fetchval("SELECT 1 FROM pg_indexes WHERE indexname = $1", index)


@pytest.mark.parametrize(
    "spoiled",
    [
        {"session_type": "call"},
        {"status": "done"},
        {"message_count": -1},
        {"total_tokens": -1},
        {"total_cost": -1},
    ],
)
async def test_wrong_session_is_refused(
    database: Database, account_id: AccountId, spoiled: dict[str, Any]
) -> None:
    with pytest.raises(asyncpg.CheckViolationError, match="ck_sessions"):
        async with database.transaction() as tx:
            await insert(tx, "sessions", {"user_id": account_id} | spoiled)


@pytest.mark.parametrize("session_type", ["chat", "automation"])
@pytest.mark.parametrize("status", ["pending", "running", "completed", "failed"])
async def test_right_session_is_accepted(
    database: Database, account_id: AccountId, session_type: str, status: str
) -> None:
    async with database.transaction() as tx:
        row = {"user_id": account_id, "session_type": session_type, "status": status}
        assert await insert(tx, "sessions", row)


@pytest.mark.parametrize(
    "spoiled",
    [
        {"seq": 0},
        {"seq": -1},
        {"role": "narrator"},
        {"input_tokens": -1},
        {"output_tokens": -1},
        {"cost": -1},
        {"latency_ms": -1},
    ],
)
async def test_wrong_message_is_refused(
    database: Database, session_id: SessionId, spoiled: dict[str, Any]
) -> None:
    row = {"session_id": session_id, "seq": 1, "role": "user"} | spoiled

    with pytest.raises(asyncpg.CheckViolationError, match="ck_messages"):
        async with database.transaction() as tx:
            await insert(tx, "messages", row)


@pytest.mark.parametrize("role", ["user", "assistant", "system", "tool"])
@pytest.mark.parametrize("latency_ms", [None, 0, 5])
async def test_right_message_is_accepted(
    database: Database, session_id: SessionId, role: str, latency_ms: int | None
) -> None:
    async with database.transaction() as tx:
        row = {"session_id": session_id, "seq": 1, "role": role, "latency_ms": latency_ms}
        assert await insert(tx, "messages", row)


async def test_place_in_a_session_is_taken_once(database: Database, session_id: SessionId) -> None:
    row = {"session_id": session_id, "seq": 1, "role": "user"}
    async with database.transaction() as tx:
        await insert(tx, "messages", row)

    with pytest.raises(asyncpg.UniqueViolationError, match="ux_messages_session_seq"):
        async with database.transaction() as tx:
            await insert(tx, "messages", row)


async def test_removed_session_takes_its_messages_along(
    database: Database, session_id: SessionId
) -> None:
    async with database.transaction() as tx:
        await insert(tx, "messages", {"session_id": session_id, "seq": 1, "role": "user"})

        await tx.execute("DELETE FROM sessions WHERE id = $1", session_id)

        query = "SELECT count(*) FROM messages WHERE session_id = $1"
        assert await tx.fetchval(query, session_id) == 0
