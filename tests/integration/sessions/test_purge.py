"""What was said in a deleted session is removed after a time; what was paid stays provable."""

from datetime import timedelta
from uuid import UUID

import pytest
from tests.own_database import create_database
from tests.serving import Caller, Served, run_body

from yarrow.db import Database
from yarrow.sessions.purge import purge_sessions

KEEP = timedelta(days=30)
CONTENT = (
    "SELECT (SELECT count(*) FROM messages WHERE session_id = $1) AS messages, "
    "(SELECT count(*) FROM run_events e JOIN runs r ON r.id = e.run_id "
    " WHERE r.session_id = $1) AS chunks, "
    "(SELECT string_agg(input::text, '') FROM runs WHERE session_id = $1) AS input, "
    "(SELECT count(*) FROM points_ledger WHERE biz_id = $1) AS charges, "
    "(SELECT title FROM sessions WHERE id = $1) AS title"
)


@pytest.fixture(scope="module")
async def dsn(postgres: str) -> str:
    """A database of its own: others expect the events of all runs."""
    return await create_database(postgres)


async def answer_and_delete(caller: Caller, database: Database, *, days: int) -> UUID:
    """A session with one answered turn that was deleted so many days ago."""
    body = run_body("a secret question")
    await caller.submit(body)
    await caller.events(body["threadId"], body["runId"])
    session_id = UUID(body["threadId"])
    status, _ = await caller.send("DELETE", f"/api/v1/agent/sessions/{session_id}")
    assert status < 300
    async with database.transaction() as tx:
        await tx.execute(
            "UPDATE sessions SET deleted_at = now() - $2 * interval '1 day' WHERE id = $1",
            session_id,
            days,
        )
    return session_id


async def test_the_content_of_a_session_that_was_deleted_long_ago_is_removed(
    served: Served,
) -> None:
    caller, database = await served.account(), served.product.database
    old = await answer_and_delete(caller, database, days=31)
    young = await answer_and_delete(caller, database, days=29)

    await purge_sessions(database, older_than=KEEP)
    await purge_sessions(database, older_than=KEEP)

    async with database.connection() as tx:
        purged, kept = await tx.fetchrow(CONTENT, old), await tx.fetchrow(CONTENT, young)
    assert purged is not None
    assert kept is not None
    assert tuple(purged) == (0, 0, "{}", 1, None)
    assert (kept["messages"], kept["charges"]) == (2, 1)
    assert "a secret question" in kept["input"]
    assert (await caller.points())["balance"] == 60


async def test_a_session_that_is_not_deleted_keeps_its_content(served: Served) -> None:
    caller, database = await served.account(), served.product.database
    body = run_body("a question")
    await caller.submit(body)
    await caller.events(body["threadId"], body["runId"])

    await purge_sessions(database, older_than=timedelta())

    async with database.connection() as tx:
        row = await tx.fetchrow(CONTENT, UUID(body["threadId"]))
    assert row is not None
    assert row["messages"] == 2
