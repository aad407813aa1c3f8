"""An account with its hundred points, and a session of its own, for each test."""

from uuid import UUID

import pytest

from yarrow.db.pool import Database
from yarrow.ids import AccountId, SessionId


@pytest.fixture
async def session_id(database: Database, account_id: AccountId) -> SessionId:
    async with database.transaction() as tx:
        made: UUID = await tx.fetchval(
            "INSERT INTO sessions (user_id) VALUES ($1) RETURNING id", account_id
        )
    return SessionId(made)
