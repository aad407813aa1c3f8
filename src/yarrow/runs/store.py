"""SQL of runs that changes no status: reads, recorded tool calls, workers and their jobs."""

from collections.abc import Sequence
from datetime import timedelta

from yarrow.db import Row, Tx
from yarrow.ids import AccountId, RunId, SessionId, TurnId, WorkerId
from yarrow.journal.snapshot import AgentToolCall
from yarrow.runs.model import (
    CANCEL_CHANNEL,
    FINISH_CHANNEL,
    JOB_ENTRYPOINT,
    ClaimedRun,
    DisconnectPolicy,
    RunRef,
    RunRow,
    RunStatus,
)
from yarrow.sessions.model import Ownership

_COLUMNS = "id, session_id, key, status, agent, turn_id, input ->> 'on_disconnect' AS on_disconnect"
_FIND = f"""
SELECT s.user_id, s.deleted_at IS NOT NULL AS deleted, r.*
FROM sessions s LEFT JOIN LATERAL (
    SELECT {_COLUMNS} FROM runs
    WHERE session_id = s.id AND ($2::text IS NULL OR key = $2)
    ORDER BY created_at DESC LIMIT 1
) r ON TRUE
WHERE s.id = $1
"""  # noqa: S608


async def find_run(
    tx: Tx, session_id: SessionId, key: str | None
) -> tuple[Ownership, RunRow | None]:
    """Read who owns the session, and its run of this key, or its newest one."""
    row = await tx.fetchrow(_FIND, session_id, key)
    if row is None:
        return Ownership(owner=None, deleted=False), None
    ownership = Ownership(AccountId(row["user_id"]), deleted=row["deleted"])
    return ownership, None if row["id"] is None else _build_run_row(row)


async def list_active_runs(tx: Tx, session_id: SessionId) -> list[RunRow]:
    """Read the session's runs that have not ended."""
    rows = await tx.fetch(
        f"SELECT {_COLUMNS} FROM runs "  # noqa: S608
        "WHERE session_id = $1 AND status IN ('queued', 'running')",
        session_id,
    )
    return [_build_run_row(row) for row in rows]


async def count_active_runs(tx: Tx, account_id: AccountId) -> int:
    """Count the account's runs that have not ended, wherever they run."""
    count = await tx.fetchval(
        "SELECT count(*) FROM runs WHERE account_id = $1 AND status IN ('queued', 'running')",
        account_id,
    )
    return int(count)


def _build_run_row(row: Row) -> RunRow:
    ref = RunRef(RunId(row["id"]), SessionId(row["session_id"]), row["key"])
    return RunRow(
        ref,
        RunStatus(row["status"]),
        row["agent"],
        TurnId(row["turn_id"]),
        DisconnectPolicy(row["on_disconnect"] or DisconnectPolicy.CONTINUE),
    )


async def is_cancelled(tx: Tx, run: ClaimedRun) -> bool:
    """Whether this attempt owns the run and its cancel was requested."""
    cancelled = await tx.fetchval(
        "SELECT TRUE FROM runs WHERE id = $1 AND attempt = $2 AND status = 'running' "
        "AND cancel_requested_at IS NOT NULL",
        run.id,
        run.attempt,
    )
    return bool(cancelled)


async def set_price(tx: Tx, run_id: RunId, price: int) -> None:
    await tx.execute("UPDATE runs SET price = $2 WHERE id = $1", run_id, price)


async def insert_tool_executions(tx: Tx, run_id: RunId, calls: Sequence[AgentToolCall]) -> None:
    """Record tool calls and their results; a client's tool has no result yet."""
    await tx.execute(
        "INSERT INTO tool_executions (run_id, call_id, tool_name, arguments, result, status) "
        "SELECT $1, * FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[])",
        run_id,
        [call.id for call in calls],
        [call.name for call in calls],
        [call.arguments for call in calls],
        [call.result for call in calls],
        [call.status for call in calls],
    )


async def renew_lease(tx: Tx, worker_id: WorkerId) -> None:
    """Register the worker, or renew its lease."""
    await tx.execute(
        "INSERT INTO workers (id) VALUES ($1) ON CONFLICT (id) DO UPDATE SET seen_at = now()",
        worker_id,
    )


async def read_lease_end(tx: Tx, run_id: RunId, *, lease: timedelta) -> timedelta | None:
    """Read when the run's worker loses it without another heartbeat; None if the run has ended."""
    left: timedelta | None = await tx.fetchval(
        "SELECT greatest(coalesce(w.seen_at, now()) + $2 - now(), interval '0.05 s') FROM runs r "
        "LEFT JOIN workers w ON w.id = r.worker_id WHERE r.id = $1 AND r.ended_at IS NULL",
        run_id,
        lease,
    )
    return left


async def fence_attempts(tx: Tx, run_id: RunId, worker_id: WorkerId, *, attempts: int) -> None:
    """Fence this worker's attempt at the run; the next claim has a number above `attempts`."""
    await tx.execute(
        "UPDATE runs SET attempt = greatest(attempt + 1, $3) "
        "WHERE id = $1 AND worker_id = $2 AND status = 'running'",
        run_id,
        worker_id,
        attempts,
    )


async def deregister_worker(tx: Tx, worker_id: WorkerId) -> None:
    """Remove the worker; its runs can be claimed at once instead of after the lease."""
    await tx.execute("DELETE FROM workers WHERE id = $1", worker_id)


async def list_stopped_runs(
    tx: Tx, worker_id: WorkerId
) -> tuple[tuple[RunId, ...], tuple[RunId, ...]]:
    """Read this worker's runs whose cancel was requested, and those that are to finish early.

    Their notifications may be lost.
    """
    rows = await tx.fetch(
        "SELECT id, cancel_requested_at IS NOT NULL AS cancelled FROM runs "
        "WHERE status IN ('queued', 'running') AND worker_id = $1 "
        "AND coalesce(cancel_requested_at, finish_requested_at) IS NOT NULL",
        worker_id,
    )
    cancelled = tuple(RunId(row["id"]) for row in rows if row["cancelled"])
    return cancelled, tuple(RunId(row["id"]) for row in rows if not row["cancelled"])


_REQUEST = """
WITH notified AS (SELECT pg_notify('{channel}', $1::text))
UPDATE runs SET {column} = now() FROM notified
WHERE id = $1::text::uuid AND status IN ('queued', 'running') RETURNING TRUE
"""
_REQUEST_CANCEL = _REQUEST.format(channel=CANCEL_CHANNEL, column="cancel_requested_at")
_REQUEST_FINISH = _REQUEST.format(channel=FINISH_CHANNEL, column="finish_requested_at")


async def request_cancel(tx: Tx, run_id: RunId) -> bool:
    """Mark the run as cancelled and notify its worker. False when it has ended."""
    return bool(await tx.fetchval(_REQUEST_CANCEL, str(run_id)))


async def request_finish(tx: Tx, run_id: RunId) -> bool:
    """Mark the run to end its answer early and notify its worker. False when it has ended."""
    return bool(await tx.fetchval(_REQUEST_FINISH, str(run_id)))


async def list_claimed_runs(tx: Tx, worker_id: WorkerId, *, longer_than: timedelta) -> list[RunId]:
    """Read the unfinished runs that this worker claimed longer ago than that."""
    rows = await tx.fetch(
        "SELECT id FROM runs WHERE status = 'running' AND worker_id = $1 "
        "AND started_at < now() - $2::interval",
        worker_id,
        longer_than,
    )
    return [RunId(row["id"]) for row in rows]


async def requeue_runs_without_job(tx: Tx, *, older_than: timedelta) -> int:
    """Give a job to every unfinished run that has none; returns how many there were."""
    status: str = await tx.execute(
        "INSERT INTO pgqueuer (priority, entrypoint, payload, status, dedupe_key) "
        "SELECT 0, $2, convert_to(r.id::text, 'UTF8'), 'queued', r.id::text FROM runs r "
        "WHERE r.status IN ('queued', 'running') AND r.created_at < now() - $1::interval "
        "AND NOT EXISTS (SELECT 1 FROM pgqueuer q WHERE q.dedupe_key = r.id::text) "
        "ON CONFLICT DO NOTHING",
        older_than,
        JOB_ENTRYPOINT,
    )
    return int(status.rpartition(" ")[2])


async def delete_stale_rows(tx: Tx, *, older_than: timedelta) -> None:
    """Delete silent workers, requests of dead processes and PgQueuer's log of finished jobs."""
    await tx.execute("DELETE FROM workers WHERE seen_at < now() - $1::interval", older_than)
    await tx.execute("DELETE FROM branch_waiters WHERE seen_at < now() - $1::interval", older_than)
    await tx.execute("DELETE FROM pgqueuer_log WHERE created < now() - $1::interval", older_than)
