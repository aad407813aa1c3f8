"""The engine's own tables refuse what cannot be."""

from uuid import UUID, uuid4

import asyncpg
import pytest
from tests.protocols.fixtures import database, served, shared_model, shared_served
from tests.serving import Served, run_body

from yarrow.db import Database

__all__ = ["database", "served", "shared_model", "shared_served"]


@pytest.fixture
async def run(served: Served) -> UUID:
    """A finished run."""
    caller = await served.account()
    body = run_body()
    accepted = await caller.submit(body)
    await caller.events(body["threadId"], body["runId"])
    return UUID(accepted["taskId"])


@pytest.mark.parametrize(
    ("change", "constraint"),
    [
        ("status = 'lost'", "ck_runs_status"),
        ("price = -1", "ck_runs_price"),
        ("attempt = -1", "ck_runs_attempt"),
        ("key = ''", "ck_runs_key"),
        ("key = repeat('k', 129)", "ck_runs_key"),
        ("failure = 'internal'", "ck_runs_failure"),
        ("status = 'failed'", "ck_runs_failure"),
        ("ended_at = NULL", "ck_runs_ended"),
        ("status = 'running', worker_id = NULL, ended_at = NULL", "ck_runs_worker"),
    ],
)
async def test_an_impossible_run_is_refused(
    database: Database, run: UUID, change: str, constraint: str
) -> None:
    with pytest.raises(asyncpg.CheckViolationError) as refused:
        async with database.transaction() as tx:
            await tx.execute(f"UPDATE runs SET {change} WHERE id = $1", run)

    assert refused.value.constraint_name == constraint


async def test_a_branch_has_one_active_run(database: Database, run: UUID) -> None:
    again = (
        "INSERT INTO runs (id, account_id, session_id, turn_id, branch_id, key, digest, agent, "
        "input, price) SELECT gen_random_uuid(), account_id, session_id, turn_id, branch_id, $2, "
        "digest, agent, input, 0 FROM runs WHERE id = $1"
    )
    with pytest.raises(asyncpg.UniqueViolationError) as refused:
        async with database.transaction() as tx:
            await tx.execute(again, run, "one")
            await tx.execute(again, run, "two")

    assert refused.value.constraint_name == "ux_runs_branch_active"


async def test_a_run_key_is_used_once_in_a_session(database: Database, run: UUID) -> None:
    with pytest.raises(asyncpg.UniqueViolationError) as refused:
        async with database.transaction() as tx:
            await tx.execute(
                "INSERT INTO runs (id, account_id, session_id, turn_id, branch_id, key, digest, "
                "agent, input, price, status, ended_at) SELECT gen_random_uuid(), account_id, "
                "session_id, turn_id, branch_id, key, digest, agent, input, 0, "
                "'succeeded', now() FROM runs WHERE id = $1",
                run,
            )

    assert refused.value.constraint_name == "ux_runs_session_key"


async def test_a_place_in_a_branch_has_one_live_turn(database: Database, run: UUID) -> None:
    copied = (
        "INSERT INTO turns (id, session_id, branch_id, seq, status, superseded_by, live) "
        "SELECT $2, t.session_id, t.branch_id, seq, $3, $4, $4::uuid IS NULL FROM turns t "
        "JOIN runs r ON r.turn_id = t.id WHERE r.id = $1"
    )
    with pytest.raises(asyncpg.UniqueViolationError):
        async with database.transaction() as tx:
            await tx.execute(copied, run, uuid4(), "open", None)

    async with database.transaction() as tx:
        live = await tx.fetchval("SELECT turn_id FROM runs WHERE id = $1", run)
        await tx.execute(copied, run, uuid4(), "superseded", live)


async def test_a_chunk_has_as_many_events_as_numbers_and_one_end(
    database: Database, run: UUID
) -> None:
    insert = """
        INSERT INTO run_events (run_id, first_seq, last_seq, events) VALUES ($1, $2, $3, '[{}, {}]')
    """
    for first, last in ((0, 1), (1, 3), (2, 1)):
        with pytest.raises(asyncpg.CheckViolationError):
            async with database.transaction() as tx:
                await tx.execute(insert, run, first, last)
    with pytest.raises(asyncpg.UniqueViolationError):
        async with database.transaction() as tx:
            await tx.execute(insert, run, 101, 102)
            await tx.execute(insert, run, 101, 102)


async def test_a_tool_call_that_is_only_requested_has_no_result(
    database: Database, run: UUID
) -> None:
    insert = (
        "INSERT INTO tool_executions (run_id, call_id, tool_name, arguments, result, status) "
        "VALUES ($1, 'c', 't', '{}', $2, $3)"
    )
    for result, status in (("x", "requested"), (None, "succeeded"), ("x", "lost")):
        with pytest.raises(asyncpg.CheckViolationError):
            async with database.transaction() as tx:
                await tx.execute(insert, run, result, status)
