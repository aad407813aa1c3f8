"""Two turns that make one branch at the same time."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from uuid import uuid4

import pytest
from msgspec import Struct
from tests.loose_json import JsonObject
from tests.waiting import PATIENCE_S, hold_open

from yarrow.clock import system_clock
from yarrow.db import Database, Row, Tx
from yarrow.ids import AccountId, SessionId
from yarrow.prompting.formats.chats import read_chat
from yarrow.stories.chat_files import import_chat
from yarrow.stories.model import StoryPatch
from yarrow.stories.place_turns import TurnPlace, place_turn

LINES: list[JsonObject] = [{"mes": "one?", "is_user": True}, {"mes": "one.", "is_user": False}]


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
        await hold_open(tx)
        await tx.execute("SELECT 1 FROM sessions WHERE id = $1 FOR UPDATE", session_id)
        placing = asyncio.create_task(
            place_turn(database, account_id, session_id, branch="alt", source=None)
        )
        async with asyncio.timeout(PATIENCE_S):
            while not await is_waiting_for_lock(database):
                await asyncio.sleep(0.01)
        await insert_answered_branch(tx, session_id)

    assert await placing == TurnPlace("alt")


async def test_a_branch_that_appears_between_two_reads_is_continued(
    database: Database, account_id: AccountId, session_id: SessionId
) -> None:
    async def make_branch() -> None:
        async with database.transaction() as tx:
            await insert_answered_branch(tx, session_id)

    interrupted = InterruptedDatabase(database, make_branch)

    place = await place_turn(interrupted, account_id, session_id, branch="alt", source=None)

    assert place == TurnPlace("alt")
    assert interrupted.reads > 1


class InterruptedDatabase(Database):
    """Another database; something happens there after the first row was read."""

    def __init__(self, database: Database, happen: Callable[[], Awaitable[None]]) -> None:
        self._database, self._happen = database, happen
        self.reads = 0

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Tx]:
        async with self._database.connection() as tx:
            yield InterruptedReads(tx, self)

    async def count_read(self) -> None:
        self.reads += 1
        if self.reads == 1:
            await self._happen()


class InterruptedReads(Struct):
    tx: Tx
    database: InterruptedDatabase

    async def fetchrow(self, query: str, *args: object) -> Row | None:
        row = await self.tx.fetchrow(query, *args)
        await self.database.count_read()
        return row

    async def fetch(self, query: str, *args: object) -> list[Row]:
        rows = await self.tx.fetch(query, *args)
        await self.database.count_read()
        return rows

    async def fetchval(self, query: str, *args: object) -> Row:
        return await self.tx.fetchval(query, *args)

    async def execute(self, query: str, *args: object) -> str:
        return await self.tx.execute(query, *args)


async def insert_answered_branch(tx: Tx, session_id: SessionId) -> None:
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
