"""A variable that a person sets while a turn is committed."""

import asyncio
from pathlib import Path
from uuid import UUID

from tests.own_database import create_database
from tests.protocols.tavern.story_calls import create_session
from tests.serving import serving
from tests.waiting import PATIENCE_S

from yarrow.db import Database, open_database
from yarrow.ids import AccountId, SessionId
from yarrow.llm.scripted import Say, ScriptedModel
from yarrow.variables.model import Scope, ScopeRef
from yarrow.variables.store import lock_scope, write_variables

WAITING = """
SELECT EXISTS (SELECT FROM pg_stat_activity
               WHERE datname = current_database() AND wait_event = 'advisory')
"""


async def wait_for_commit(database: Database) -> None:
    async with asyncio.timeout(PATIENCE_S), database.connection() as tx:
        while not await tx.fetchval(WAITING):
            await asyncio.sleep(0.01)


async def test_a_turns_state_has_what_was_set_before_it_got_the_lock(
    postgres: str, tmp_path: Path
) -> None:
    dsn = await create_database(postgres)
    model = ScriptedModel([Say("one")])
    async with (
        serving(dsn, model=model, data_dir=tmp_path) as served,
        open_database(dsn, size=3) as own,
    ):
        caller = await served.account()
        session_id = SessionId(UUID((await create_session(caller))["id"]))
        async with own.transaction() as tx:
            row = await tx.fetchrow(
                "SELECT s.user_id, b.id FROM sessions s JOIN branches b ON b.session_id = s.id"
            )
            assert row is not None
            scope, account_id = ScopeRef(Scope.BRANCH, str(row[1]), session_id), AccountId(row[0])
            await lock_scope(tx, account_id, scope)
            turn = asyncio.create_task(
                caller.post(f"/sessions/{session_id}/respond", {"message": "a"})
            )
            await wait_for_commit(own)
            await write_variables(tx, account_id, scope, {"mood": "calm"})
        status, _ = await turn
        async with own.connection() as tx:
            stored = await tx.fetchval("SELECT variables FROM turn_states")

    assert (status, stored) == (200, {"mood": "calm"})
