"""What was said in a deleted session is removed after a time; what was paid stays provable."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from tests.serving import Caller, Served, run_body

from yarrow.db import Database
from yarrow.db.migrate import find_migrations_folder
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


WORDS = "the secret of the chat"
"""Put into each column that a story fills with text of its user."""


SETTINGS = (
    "SELECT concat((SELECT json_agg(s) FROM session_bindings s WHERE session_id = $1), "
    "(SELECT json_agg(b) FROM branches b WHERE session_id = $1), "
    "(SELECT json_agg(l) FROM llm_bindings l WHERE session_id = $1))"
)


async def write_settings(database: Database, account_id: str, session_id: UUID) -> None:
    """Give the session the settings of an imported story, and a fork beside its main branch."""
    async with database.transaction() as tx:
        await tx.execute(
            "INSERT INTO session_bindings "
            "(session_id, model, policy, metadata, tool_permissions) SELECT $1, j, j, j, j "
            "FROM (SELECT json_build_object('note', $2::text) AS j) words",
            session_id,
            WORDS,
        )
        await tx.execute(
            "INSERT INTO branches (id, session_id, name, wanted_name, parent_branch_id, "
            "forked_after_seq) SELECT n.id, $1, $2 || n.id, $2 || n.id, b.id, 1 "
            "FROM branches b, unnest($3::uuid[]) AS n (id) WHERE b.session_id = $1",
            session_id,
            WORDS,
            [uuid4(), uuid4()],
        )
        await tx.execute(
            "WITH profile AS (INSERT INTO llm_profiles "
            "(id, account_id, name, provider, base_url, model) "
            "VALUES ($3, $4::text::uuid, 'p', 'openai', '', 'm') RETURNING id) "
            "INSERT INTO llm_bindings (account_id, session_id, slot, profile_id, params) "
            "SELECT $4::text::uuid, $1, '*', id, json_build_object('stop', $2::text) FROM profile",
            session_id,
            WORDS,
            uuid4(),
            account_id,
        )


async def test_the_settings_and_branch_names_of_a_purged_session_are_reset(
    served: Served,
) -> None:
    caller, database = await served.account(), served.product.database
    old = await answer_and_delete(caller, database, days=31)
    young = await answer_and_delete(caller, database, days=29)
    for session_id in (old, young):
        await write_settings(database, caller.id, session_id)

    await purge_sessions(database, older_than=KEEP)

    async with database.connection() as tx:
        rows = {session_id: await tx.fetchval(SETTINGS, session_id) for session_id in (old, young)}
        branches = await tx.fetchval("SELECT count(*) FROM branches WHERE session_id = $1", old)
    assert rows[young].count(WORDS) == 4 + 2 * 2 + 1
    assert WORDS not in rows[old]
    assert branches == 3


async def test_a_session_that_an_earlier_version_purged_loses_its_settings_after_the_upgrade(
    served: Served,
) -> None:
    caller, database = await served.account(), served.product.database
    session_id = await answer_and_delete(caller, database, days=31)
    await write_settings(database, caller.id, session_id)
    async with database.transaction() as tx:
        await tx.execute("UPDATE sessions SET purged_at = now() WHERE id = $1", session_id)

    (script,) = (find_migrations_folder() / "versions").glob("*_purge_again.sql")
    async with database.transaction() as tx:
        await tx.execute(script.read_text())
    await purge_sessions(database, older_than=KEEP)

    async with database.connection() as tx:
        words = await tx.fetchval(SETTINGS, session_id)
        purged = await tx.fetchval("SELECT purged_at FROM sessions WHERE id = $1", session_id)
    assert WORDS not in words
    assert purged is not None


@asynccontextmanager
async def failing(database: Database, session_id: UUID, sqlstate: str) -> AsyncIterator[None]:
    """Let PostgreSQL refuse, with this code, to delete the messages of the session."""
    async with database.transaction() as tx:
        await tx.execute(
            "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS "
            f"$$ BEGIN RAISE EXCEPTION USING ERRCODE = '{sqlstate}'; END $$"
        )
        await tx.execute(
            "CREATE TRIGGER refuse BEFORE DELETE ON messages FOR EACH ROW "
            f"WHEN (OLD.session_id = '{session_id}') EXECUTE FUNCTION refuse()"
        )
    try:
        yield
    finally:
        async with database.transaction() as tx:
            await tx.execute("DROP FUNCTION refuse CASCADE")


@pytest.mark.parametrize("sqlstate", ["23503", "57014"], ids=["foreign_key", "statement_timeout"])
async def test_a_session_that_fails_is_logged_and_does_not_stop_the_others(
    served: Served, caplog: pytest.LogCaptureFixture, sqlstate: str
) -> None:
    caller, database = await served.account(), served.product.database
    broken = await answer_and_delete(caller, database, days=33)
    others = [await answer_and_delete(caller, database, days=days) for days in (32, 31)]

    async with failing(database, broken, sqlstate):
        await purge_sessions(database, older_than=KEEP)

    purged = "SELECT array_agg(id) FROM sessions WHERE id = ANY ($1) AND purged_at IS NOT NULL"
    async with database.connection() as tx:
        assert set(await tx.fetchval(purged, [broken, *others])) == set(others)
    (record,) = [each for each in caplog.records if each.msg == "sessions.purge_failed"]
    assert (record.__dict__["session_id"], record.__dict__["sqlstate"]) == (str(broken), sqlstate)
    await purge_sessions(database, older_than=KEEP)
    async with database.connection() as tx:
        assert set(await tx.fetchval(purged, [broken, *others])) == {broken, *others}
