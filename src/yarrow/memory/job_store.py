"""SQL of memory jobs, a queue in a table. A job not finished in time is claimed again."""

from datetime import timedelta
from uuid import UUID

from msgspec import Struct

from yarrow.db import Row, Tx
from yarrow.db.list_total import ListTotal, build_total, limit_count
from yarrow.ids import AccountId, BranchId, SessionId
from yarrow.kit.json import JsonObject
from yarrow.memory.model import MemoryJob, MemoryJobKind, MemoryJobStatus

LEASE_S = 180
MAX_ATTEMPTS = 5
"""A job that its worker never finishes fails after this many."""

_COLUMNS = """
j.*, (SELECT coalesce(b.wanted_name, b.name) FROM branches b WHERE b.id = j.branch_id) AS branch
"""


async def insert_job(tx: Tx, job: MemoryJob) -> None:
    """Queue a job; one whose id is stored already is left as it is."""
    await tx.execute(
        "INSERT INTO memory_jobs (id, account_id, session_id, branch_id, kind, payload) "
        "VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (id) DO NOTHING",
        job.id,
        job.account_id,
        job.session_id,
        job.branch_id,
        job.kind,
        job.payload,
    )


_CLAIMABLE = f"""
(j.status = 'queued'
 OR (j.status = 'running' AND j.claimed_at < now() - interval '{LEASE_S} seconds'))
"""

_NAMED = f"SELECT j.id FROM memory_jobs j WHERE j.id = $1 AND {_CLAIMABLE} FOR UPDATE SKIP LOCKED"  # noqa: S608

_FAIREST = f"""
SELECT j.id FROM (
    SELECT DISTINCT ON (j.account_id) j.id, j.account_id FROM memory_jobs j
    WHERE j.status IN ('queued', 'running') AND {_CLAIMABLE}
    ORDER BY j.account_id, j.created_at
) oldest
JOIN memory_jobs j ON j.id = oldest.id
LEFT JOIN LATERAL (
    SELECT max(r.claimed_at) AS claimed_at FROM memory_jobs r WHERE r.account_id = oldest.account_id
) served ON true
WHERE {_CLAIMABLE}
ORDER BY served.claimed_at NULLS FIRST, j.created_at LIMIT 1 FOR UPDATE OF j SKIP LOCKED
"""  # noqa: S608
"""The oldest job of the account that was served longest ago: a long queue delays only its own."""

_CLAIM = """
WITH next AS ({next}), claimed AS (
    UPDATE memory_jobs j SET status = 'running', attempt = j.attempt + 1, claimed_at = now(),
        updated_at = now(), failure = NULL
    FROM next WHERE j.id = next.id RETURNING j.*
)
SELECT claimed.*, coalesce(b.wanted_name, b.name) AS branch
FROM claimed JOIN branches b ON b.id = claimed.branch_id
"""
_CLAIM_ONE = _CLAIM.format(next=_NAMED)
_CLAIM_NEXT = _CLAIM.format(next=_FAIREST)


async def claim_job(tx: Tx, job_id: UUID | None = None) -> MemoryJob | None:
    """Take the next waiting job, or this one, for `LEASE_S`; None if there is none."""
    if job_id is None:
        row = await tx.fetchrow(_CLAIM_NEXT)
    else:
        row = await tx.fetchrow(_CLAIM_ONE, job_id)
    return None if row is None else _build_job(row)


async def lock_open_jobs(tx: Tx, account_id: AccountId) -> int:
    """Count the jobs that have not ended; until the transaction ends nobody else counts them."""
    await tx.execute(
        "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", f"memory_jobs:{account_id}"
    )
    count = await tx.fetchval(
        "SELECT count(*) FROM memory_jobs "
        "WHERE account_id = $1 AND status IN ('queued', 'running')",
        account_id,
    )
    return int(count)


async def lock_claim(tx: Tx, job: MemoryJob) -> bool:
    """Lock a job; False if it was cancelled or another worker has claimed it since."""
    return bool(
        await tx.fetchval(
            "SELECT TRUE FROM memory_jobs WHERE id = $1 AND claimed_at = $2 "
            "AND status = 'running' FOR UPDATE",
            job.id,
            job.claimed_at,
        )
    )


async def finish_job(
    tx: Tx,
    job: MemoryJob,
    status: MemoryJobStatus,
    *,
    failure: str | None = None,
    outcome: JsonObject | None = None,
) -> None:
    """End the attempt of a job, unless another one has begun."""
    await tx.execute(
        "UPDATE memory_jobs SET status = $3, failure = $4, outcome = $5, updated_at = now() "
        "WHERE id = $1 AND claimed_at = $2 AND status = 'running'",
        job.id,
        job.claimed_at,
        status,
        failure,
        outcome,
    )


_DELETE_ENDED = """
WITH deleted AS (
    DELETE FROM memory_jobs WHERE id = ANY (ARRAY(
        SELECT id FROM memory_jobs
        WHERE status IN ('succeeded', 'failed', 'cancelled') AND updated_at < now() - $1::interval
        ORDER BY updated_at LIMIT $2
    )) RETURNING 1
)
SELECT count(*) FROM deleted
"""


async def delete_ended(tx: Tx, *, older_than: timedelta, limit: int) -> int:
    """Delete jobs that ended a while ago, the oldest first; return their number."""
    count: int = await tx.fetchval(_DELETE_ENDED, older_than, limit)
    return count


async def find_job(tx: Tx, account_id: AccountId, job_id: UUID) -> MemoryJob | None:
    row = await tx.fetchrow(
        f"SELECT {_COLUMNS} FROM memory_jobs j WHERE j.id = $2 AND j.account_id = $1",  # noqa: S608
        account_id,
        job_id,
    )
    return None if row is None else _build_job(row)


class _ListStatements(Struct, frozen=True):
    listing: str
    count: str


def _make_statements(condition: str) -> _ListStatements:
    """List and count jobs; $4 and $5 are the limit and the offset of the page."""
    matching = f"FROM memory_jobs j WHERE {condition}"
    return _ListStatements(
        f"SELECT {_COLUMNS} {matching} ORDER BY j.created_at DESC, j.id LIMIT $4 OFFSET $5",
        f"SELECT count(*) FROM (SELECT 1 {matching} LIMIT $4) counted",  # noqa: S608
    )


# Each selects by the columns of one index. Unused parameters have to be named for their types.
_OF_ACCOUNT = _make_statements("j.account_id = $1 AND $2::text IS NULL AND $3::uuid IS NULL")
_OF_STATUS = {
    status: _make_statements(
        f"j.account_id = $1 AND j.status = '{status}' AND $2 <> '' AND $3::uuid IS NULL"
    )
    for status in MemoryJobStatus
}
"""With the status as a constant: the planner knows that nearly all jobs have one of them."""
_OF_SESSION = _make_statements(
    "(j.account_id = $1) IS TRUE AND ($2::text IS NULL OR j.status = $2) AND j.session_id = $3"
)
"""The account cannot be looked up in an index because of the IS TRUE."""


async def list_jobs(
    tx: Tx,
    account_id: AccountId,
    *,
    session_id: SessionId | None,
    status: MemoryJobStatus | None,
    limit: int,
    offset: int,
) -> tuple[tuple[MemoryJob, ...], ListTotal]:
    """List some of the account's jobs, newest first, and count those that match."""
    if session_id is not None:
        statements = _OF_SESSION
    else:
        statements = _OF_ACCOUNT if status is None else _OF_STATUS[status]
    values = (account_id, status, session_id)
    rows = await tx.fetch(statements.listing, *values, limit, offset)
    count = await tx.fetchval(statements.count, *values, limit_count(limit, offset))
    return tuple(map(_build_job, rows)), build_total(count, limit=limit, offset=offset)


async def change_status(
    tx: Tx,
    account_id: AccountId,
    job_id: UUID,
    *,
    old: tuple[MemoryJobStatus, ...],
    new: MemoryJobStatus,
) -> bool:
    """Set the status if the job has one of the old ones; False if it has not.

    One that is queued again has all its attempts again.
    """
    changed = await tx.fetchval(
        "UPDATE memory_jobs SET status = $4, updated_at = now(), failure = NULL, "
        "attempt = CASE WHEN $4 = 'queued' THEN 0 ELSE attempt END "
        "WHERE account_id = $1 AND id = $2 AND status = ANY($3) RETURNING TRUE",
        account_id,
        job_id,
        list(old),
        new,
    )
    return bool(changed)


def _build_job(row: Row) -> MemoryJob:
    return MemoryJob(
        id=row["id"],
        account_id=AccountId(row["account_id"]),
        session_id=SessionId(row["session_id"]),
        branch_id=BranchId(row["branch_id"]),
        branch=row["branch"],
        kind=MemoryJobKind(row["kind"]),
        payload=row["payload"],
        status=MemoryJobStatus(row["status"]),
        attempt=row["attempt"],
        failure=row["failure"],
        outcome=row["outcome"],
        claimed_at=row["claimed_at"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
    )
