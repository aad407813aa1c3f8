"""SQL over the runs of all accounts. A range of run ids (version 7 UUIDs) is a range of time."""

from datetime import datetime, timedelta
from uuid import UUID

from yarrow.db import Row, Tx
from yarrow.ids import AccountId, RunId, SessionId, first_uuid
from yarrow.operations.model import AgentStatistics, RunOverview, RunSearch, WorkerSummary
from yarrow.runs.model import RunStatus

_COLUMNS = (
    "id, account_id, session_id, key, agent, status, failure, attempt, worker_id, "
    "cancel_requested_at, created_at, started_at, ended_at, (SELECT s.deleted_at IS NOT NULL "
    "FROM sessions s WHERE s.id = session_id) AS is_session_deleted"
)
_LOOKED_AT = "SELECT id FROM runs WHERE id >= $1 AND id < $2 ORDER BY id DESC LIMIT $3"
_SEARCH = f"""
SELECT {_COLUMNS} FROM runs
WHERE id = ANY ($1::uuid[]) AND (
    $2 IN (id::text, right(id::text, 12), session_id::text, account_id::text, key, agent, status,
           failure, worker_id::text, right(worker_id::text, 12))
    OR account_id = (SELECT u.id FROM auth.users u
                     WHERE lower(u.email) = lower($2) AND u.issuer IS NULL)
)
ORDER BY id DESC LIMIT $3
"""  # noqa: S608
_LOAD = """
SELECT r.agent, count(*) AS run_count,
       count(*) FILTER (WHERE r.status = 'failed') AS failed_count,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY r.seconds) AS median_s,
       percentile_cont(0.95) WITHIN GROUP (ORDER BY r.seconds) AS p95_s,
       coalesce(sum(m.input_tokens), 0) AS input_tokens,
       coalesce(sum(m.output_tokens), 0) AS output_tokens
FROM (
    SELECT agent, status, turn_id, key,
           CASE WHEN status = 'succeeded'
                THEN extract(epoch FROM ended_at - created_at)::float8 END AS seconds
    FROM runs WHERE id >= $1 ORDER BY id DESC LIMIT $2
) r LEFT JOIN LATERAL (
    SELECT sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens
    FROM messages WHERE turn_id = r.turn_id AND metadata ->> 'run_id' = r.key
) m ON r.status = 'succeeded'
GROUP BY r.agent ORDER BY run_count DESC, r.agent
"""
_WORKERS = """
SELECT w.id, w.started_at, w.seen_at, w.seen_at > now() - $1::interval AS is_alive,
       count(r.id) AS run_count
FROM workers w LEFT JOIN runs r ON r.status IN ('queued', 'running') AND r.worker_id = w.id
GROUP BY w.id HAVING w.seen_at > now() - $2::interval OR count(r.id) > 0 ORDER BY w.started_at
"""
SILENT_WORKERS = timedelta(hours=1)
"""How long a worker that died is listed, unless it still has runs."""


async def read_active_runs(tx: Tx, *, limit: int) -> tuple[RunOverview, ...]:
    """Read queued and running runs, the oldest first."""
    rows = await tx.fetch(
        f"SELECT {_COLUMNS} FROM runs WHERE status IN ('queued', 'running') "  # noqa: S608
        "ORDER BY created_at LIMIT $1",
        limit,
    )
    return tuple(map(_build_overview, rows))


async def read_recent_runs(tx: Tx, since: datetime, *, limit: int) -> tuple[RunOverview, ...]:
    """Read runs that were accepted since a moment, the newest first."""
    rows = await tx.fetch(
        f"SELECT {_COLUMNS} FROM runs WHERE id >= $1 ORDER BY id DESC LIMIT $2",  # noqa: S608
        first_uuid(since),
        limit,
    )
    return tuple(map(_build_overview, rows))


async def read_failed_runs(tx: Tx, since: datetime, *, limit: int) -> tuple[RunOverview, ...]:
    """Read failed runs that were accepted since a moment, the newest first."""
    rows = await tx.fetch(
        f"SELECT {_COLUMNS} FROM runs WHERE id >= $1 AND status = 'failed' "  # noqa: S608
        "ORDER BY id DESC LIMIT $2",
        first_uuid(since),
        limit,
    )
    return tuple(map(_build_overview, rows))


async def search_runs(
    tx: Tx, text: str, *, since: UUID, before: UUID, looked_at: int, limit: int
) -> RunSearch:
    """Look at so many runs below an id, and read the newest of those that a text names."""
    ids = [row["id"] for row in await tx.fetch(_LOOKED_AT, since, before, looked_at)]
    runs = tuple(map(_build_overview, await tx.fetch(_SEARCH, ids, text, limit)))
    if len(runs) == limit:
        return RunSearch(runs, runs[-1].id)
    return RunSearch(runs, RunId(ids[-1]) if len(ids) == looked_at else None)


async def find_run(tx: Tx, run_id: RunId) -> RunOverview | None:
    row = await tx.fetchrow(f"SELECT {_COLUMNS} FROM runs WHERE id = $1", run_id)  # noqa: S608
    return None if row is None else _build_overview(row)


async def count_active(tx: Tx) -> dict[RunStatus, int]:
    rows = await tx.fetch(
        "SELECT status, count(*) AS count FROM runs "
        "WHERE status IN ('queued', 'running') GROUP BY status"
    )
    return {RunStatus(row["status"]): row["count"] for row in rows}


async def read_workers(tx: Tx, *, lease: timedelta) -> tuple[WorkerSummary, ...]:
    """Read workers that were alive in the last hour or have runs, with the number of their runs."""
    rows = await tx.fetch(_WORKERS, lease, SILENT_WORKERS)
    return tuple(
        WorkerSummary(
            row["id"], row["started_at"], row["seen_at"], row["is_alive"], row["run_count"]
        )
        for row in rows
    )


async def read_load(tx: Tx, since: datetime, *, limit: int) -> tuple[AgentStatistics, ...]:
    """Sum up the newest runs that were accepted since a moment, by agent."""
    rows = await tx.fetch(_LOAD, first_uuid(since), limit)
    return tuple(
        AgentStatistics(
            agent=row["agent"],
            run_count=row["run_count"],
            failed_count=row["failed_count"],
            median_s=row["median_s"],
            p95_s=row["p95_s"],
            input_tokens=int(row["input_tokens"]),
            output_tokens=int(row["output_tokens"]),
        )
        for row in rows
    )


async def read_versions(tx: Tx) -> tuple[str, str]:
    """Read the version of PostgreSQL and the revision of the schema."""
    version: str = await tx.fetchval("SELECT current_setting('server_version')")
    revision: str = await tx.fetchval("SELECT version_num FROM alembic_version")
    return version, revision


async def read_email(tx: Tx, account_id: AccountId) -> str | None:
    """Read the account's e-mail; None if it has none."""
    email: str | None = await tx.fetchval("SELECT email FROM auth.users WHERE id = $1", account_id)
    return email


async def has_account(tx: Tx, account_id: AccountId) -> bool:
    exists: bool = await tx.fetchval(
        "SELECT EXISTS (SELECT 1 FROM auth.users WHERE id = $1)", account_id
    )
    return exists


def _build_overview(row: Row) -> RunOverview:
    return RunOverview(
        id=RunId(row["id"]),
        account_id=AccountId(row["account_id"]),
        session_id=SessionId(row["session_id"]),
        is_session_deleted=row["is_session_deleted"],
        key=row["key"],
        agent=row["agent"],
        status=RunStatus(row["status"]),
        failure=row["failure"],
        attempt=row["attempt"],
        worker_id=row["worker_id"],
        is_cancel_requested=row["cancel_requested_at"] is not None,
        created_at=row["created_at"],
        started_at=row["started_at"],
        ended_at=row["ended_at"],
    )
