"""Ended memory jobs are deleted after a time."""

from datetime import timedelta
from uuid import UUID

import pytest

from yarrow.db import Database
from yarrow.memory import sweep

KEEP = timedelta(days=30)


@pytest.fixture
async def branch(database: Database) -> tuple[UUID, UUID, UUID]:
    """The ids of an account, a session and its branch."""
    async with database.transaction() as tx:
        account_id = await tx.fetchval("INSERT INTO auth.users DEFAULT VALUES RETURNING id")
        session_id = await tx.fetchval(
            "INSERT INTO sessions (id, user_id) VALUES (gen_random_uuid(), $1) RETURNING id",
            account_id,
        )
        branch_id = await tx.fetchval(
            "INSERT INTO branches (id, session_id, name) "
            "VALUES (gen_random_uuid(), $1, 'main') RETURNING id",
            session_id,
        )
    return account_id, session_id, branch_id


async def insert_jobs(
    database: Database, branch: tuple[UUID, UUID, UUID], *, status: str, days: int, count: int = 1
) -> None:
    async with database.transaction() as tx:
        await tx.execute(
            "INSERT INTO memory_jobs (id, account_id, session_id, branch_id, kind, payload, "
            "status, updated_at) SELECT gen_random_uuid(), $1, $2, $3, 'turn', '{}', $4, "
            "now() - $5 * interval '1 day' FROM generate_series(1, $6)",
            *branch,
            status,
            days,
            count,
        )


async def list_jobs(database: Database, branch: tuple[UUID, UUID, UUID]) -> list[tuple[str, int]]:
    async with database.connection() as tx:
        rows = await tx.fetch(
            "SELECT status, extract(day FROM now() - updated_at)::int AS days FROM memory_jobs "
            "WHERE account_id = $1 ORDER BY status",
            branch[0],
        )
    return [(row["status"], row["days"]) for row in rows]


async def test_old_jobs_that_ended_are_deleted(
    database: Database, branch: tuple[UUID, UUID, UUID]
) -> None:
    for status in ("succeeded", "failed", "cancelled"):
        await insert_jobs(database, branch, status=status, days=31)
    await insert_jobs(database, branch, status="queued", days=31)
    await insert_jobs(database, branch, status="running", days=31)
    await insert_jobs(database, branch, status="succeeded", days=29)

    await sweep.sweep_jobs(database, older_than=KEEP)

    left = await list_jobs(database, branch)
    await discard_jobs(database, branch)
    assert left == [("queued", 31), ("running", 31), ("succeeded", 29)]


async def test_more_than_a_batch_is_deleted(
    database: Database, branch: tuple[UUID, UUID, UUID]
) -> None:
    await insert_jobs(database, branch, status="failed", days=31, count=sweep.BATCH + 1)

    await sweep.sweep_jobs(database, older_than=KEEP)

    assert await list_jobs(database, branch) == []


async def discard_jobs(database: Database, branch: tuple[UUID, UUID, UUID]) -> None:
    """Workers of other tests would execute what is left."""
    async with database.transaction() as tx:
        await tx.execute("DELETE FROM memory_jobs WHERE account_id = $1", branch[0])
