"""Two turns that make one branch at the same time."""

import asyncio
from uuid import uuid4

import pytest
from tests.loose_json import JsonObject
from tests.waiting import PATIENCE_S

from yarrow.clock import system_clock
from yarrow.db import Database
from yarrow.ids import AccountId, SessionId
from yarrow.prompting.formats.chats import read_chat
from yarrow.stories.chat_files import import_chat
from yarrow.stories.model import StoryPatch
from yarrow.stories.place_turns import TurnPlace, place_turn

LINES: list[JsonObject] = [{"mes": "one?", "is_user": True}, {"mes": "one.", "is_user": False}]


@pytest.fixture
async def account_id(database: Database) -> AccountId:
    async with database.transaction() as tx:
        return AccountId(await tx.fetchval("INSERT INTO auth.users DEFAULT VALUES RETURNING id"))


@pytest.fixture
async def session_id(database: Database, account_id: AccountId) -> SessionId:
    imported = await import_chat(
        database, account_id, read_chat(LINES), StoryPatch(title="t"), now=system_clock()
    )
    return imported.story.session_id


async def is_waiting_for_lock(database: Database) -> bool:
    async with database.connection() as tx:
        return bool(
            await tx.fetchval(
                "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' "
                "AND query LIKE '%FROM sessions%FOR UPDATE%')"
            )
        )


async def test_a_branch_that_another_turn_made_meanwhile_is_continued(
    database: Database, account_id: AccountId, session_id: SessionId
) -> None:
    async with database.transaction() as tx:
        await tx.execute("SELECT 1 FROM sessions WHERE id = $1 FOR UPDATE", session_id)
        placing = asyncio.create_task(
            place_turn(database, account_id, session_id, branch="alt", source=None)
        )
        async with asyncio.timeout(PATIENCE_S):
            while not await is_waiting_for_lock(database):
                await asyncio.sleep(0.01)
        branch_id = uuid4()
        await tx.execute(
            "INSERT INTO branches (id, session_id, name) VALUES ($1, $2, 'alt')",
            branch_id,
            session_id,
        )
        await tx.execute(
            "INSERT INTO turns (id, session_id, branch_id, seq, status) "
            "VALUES ($1, $2, $3, 1, 'answered')",
            uuid4(),
            session_id,
            branch_id,
        )

    assert await placing == TurnPlace("alt")
