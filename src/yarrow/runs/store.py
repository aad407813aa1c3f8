"""SQL of runs: what is known of them, claims, and the jobs that lead workers to them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

import msgspec

from yarrow.db import Row, Tx
from yarrow.ids import AccountId, RunId, SessionId, TurnId, WorkerId
from yarrow.runs.model import (
    AcceptedRun,
    ClaimedRun,
    RunInput,
    RunRequest,
    RunStatus,
)
from yarrow.runs.rules import NOTHING_KNOWN, PriorRun, SessionFacts
from yarrow.runs.snapshot import CalledTool
from yarrow.sessions.model import Ownership

ENTRYPOINT = "run"
"""The name of our jobs in PgQueuer's table."""


_FACTS = """
SELECT s.user_id, s.deleted_at IS NOT NULL AS deleted,
       r.id, r.key, r.digest, r.created_at,
       (SELECT a.key FROM runs a
        WHERE a.session_id = $1 AND a.status IN ('queued', 'running')) AS active_key,
       (SELECT count(*) FROM turns t
        WHERE t.session_id = $1 AND t.status = 'answered') AS answered,
       (SELECT f.agent FROM runs f WHERE f.session_id = $1
        ORDER BY f.created_at LIMIT 1) AS agent
FROM sessions s LEFT JOIN runs r ON r.session_id = s.id AND r.key = $2
WHERE s.id = $1
"""


async def read_facts(tx: Tx, request: RunRequest) -> SessionFacts:
    """What is known of the request's session now."""
    row = await tx.fetchrow(_FACTS, request.session_id, request.key)
    if row is None:
        return NOTHING_KNOWN
    return SessionFacts(
        owner=AccountId(row["user_id"]),
        deleted=row["deleted"],
        prior=_prior(row, request.session_id),
        active_key=row["active_key"],
        answered_turns=row["answered"],
        agent=row["agent"],
    )


def _prior(row: Row, session_id: SessionId) -> PriorRun | None:
    if row["id"] is None:
        return None
    accepted = AcceptedRun(RunId(row["id"]), session_id, row["key"], row["created_at"])
    return PriorRun(accepted, bytes(row["digest"]))


# Not flushed to disk at once: a claim that a crash of the server undoes leaves the run waiting,
# which is what it is then.
_CLAIM = """
WITH quick AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
UPDATE runs r SET
    status = 'running', attempt = r.attempt + 1, worker_id = $2,
    started_at = coalesce(r.started_at, now())
FROM quick, profiles p, turns t
WHERE r.id = $1 AND p.id = r.account_id AND t.id = r.turn_id
  AND (r.status = 'queued' OR (r.status = 'running' AND (r.worker_id = $2 OR NOT EXISTS (
      SELECT 1 FROM workers w WHERE w.id = r.worker_id AND w.seen_at > now() - $3::interval))))
RETURNING r.id, r.account_id, r.session_id, r.turn_id, t.seq AS turn_seq, r.key, r.agent, r.input,
          r.price, r.attempt, r.cancel_requested_at IS NOT NULL AS cancel_requested, p.settings
"""


async def claim(
    tx: Tx, run_id: RunId, *, worker_id: WorkerId, lease: timedelta
) -> ClaimedRun | None:
    """Take a run that waits, or whose worker has been silent for longer than the lease.

    A run of our own that is in nobody's hands is ours to take again: `Slots` has at most one
    task for each, so whoever asks here has no rival in this process.
    """
    row = await tx.fetchrow(_CLAIM, run_id, worker_id, lease)
    return None if row is None else claimed_run(row)


def claimed_run(row: Row) -> ClaimedRun:
    """The run of a statement that claims."""
    return ClaimedRun(
        id=RunId(row["id"]),
        account_id=AccountId(row["account_id"]),
        session_id=SessionId(row["session_id"]),
        turn_id=TurnId(row["turn_id"]),
        turn_seq=row["turn_seq"],
        key=row["key"],
        agent=row["agent"],
        input=msgspec.convert(row["input"], RunInput),
        price=row["price"],
        attempt=row["attempt"],
        cancel_requested=row["cancel_requested"],
        preferences=row["settings"],
    )


async def hand_back(tx: Tx, run: ClaimedRun) -> None:
    """Give up a claim so that any worker may take the run at once."""
    await tx.execute(
        "WITH job AS (UPDATE pgqueuer SET execute_after = now(), status = 'queued', "
        "  queue_manager_id = NULL, slot = NULL WHERE dedupe_key = $1::text) "
        "UPDATE runs SET status = 'queued', worker_id = NULL "
        "WHERE id = $1::text::uuid AND attempt = $2 AND status = 'running'",
        str(run.id),
        run.attempt,
    )


@dataclass(frozen=True, slots=True)
class RunState:
    """A run as its account may ask for it."""

    id: RunId
    key: str
    status: RunStatus
    agent: str


_FIND = """
SELECT s.user_id, s.deleted_at IS NOT NULL AS deleted, r.id, r.key, r.status, r.agent
FROM sessions s LEFT JOIN LATERAL (
    SELECT id, key, status, agent FROM runs
    WHERE session_id = s.id AND ($2::text IS NULL OR key = $2)
    ORDER BY created_at DESC LIMIT 1
) r ON TRUE
WHERE s.id = $1
"""


async def find_run(
    tx: Tx, session_id: SessionId, key: str | None
) -> tuple[Ownership, RunState | None]:
    """Whose the session is, and its run of this key, or its newest one."""
    row = await tx.fetchrow(_FIND, session_id, key)
    if row is None:
        return Ownership(owner=None, deleted=False), None
    ownership = Ownership(AccountId(row["user_id"]), deleted=row["deleted"])
    return ownership, None if row["id"] is None else _state(row)


async def active_runs(tx: Tx, session_id: SessionId) -> list[RunState]:
    """The session's runs that have not ended."""
    rows = await tx.fetch(
        "SELECT id, key, status, agent FROM runs "
        "WHERE session_id = $1 AND status IN ('queued', 'running')",
        session_id,
    )
    return [_state(row) for row in rows]


def _state(row: Row) -> RunState:
    return RunState(RunId(row["id"]), row["key"], RunStatus(row["status"]), row["agent"])


async def has_ended(tx: Tx, run_id: RunId) -> bool:
    """The run is over, or was never there."""
    status = await tx.fetchval("SELECT status FROM runs WHERE id = $1", run_id)
    return status is None or RunStatus(status).ended


async def insert_tool_executions(tx: Tx, run_id: RunId, calls: Sequence[CalledTool]) -> None:
    """Keep what was called with what result; a client's tool has none yet."""
    if not calls:
        return
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


async def request_cancel(tx: Tx, run_id: RunId) -> bool:
    """Note the wish, and tell the worker that has the run. False when the run is over.

    A run that carries the wish can no longer end as succeeded.
    """
    wished = await tx.fetchval(
        "WITH told AS (SELECT pg_notify('yarrow_cancel', $1::text)) "
        "UPDATE runs SET cancel_requested_at = now() FROM told "
        "WHERE id = $1::text::uuid AND status IN ('queued', 'running') RETURNING TRUE",
        str(run_id),
    )
    return bool(wished)


async def is_cancelled(tx: Tx, run: ClaimedRun) -> bool:
    """Whether this attempt owns the run and the run is to be cancelled."""
    found = await tx.fetchval(
        "SELECT TRUE FROM runs WHERE id = $1 AND attempt = $2 AND status = 'running' "
        "AND cancel_requested_at IS NOT NULL",
        run.id,
        run.attempt,
    )
    return bool(found)


async def cancelled_runs(tx: Tx, worker_id: WorkerId) -> list[RunId]:
    """This worker's runs that are to be cancelled; a notice may have been lost."""
    rows = await tx.fetch(
        "SELECT id FROM runs WHERE status IN ('queued', 'running') AND worker_id = $1 "
        "AND cancel_requested_at IS NOT NULL",
        worker_id,
    )
    return [RunId(row["id"]) for row in rows]


async def runs_held_by(tx: Tx, worker_id: WorkerId, *, since: timedelta) -> list[RunId]:
    """The runs that this worker claimed longer ago than that, and has not ended."""
    rows = await tx.fetch(
        "SELECT id FROM runs WHERE status = 'running' AND worker_id = $1 "
        "AND started_at < now() - $2::interval",
        worker_id,
        since,
    )
    return [RunId(row["id"]) for row in rows]


async def beat(tx: Tx, worker_id: WorkerId) -> None:
    """Say that this worker lives."""
    await tx.execute(
        "INSERT INTO workers (id) VALUES ($1) ON CONFLICT (id) DO UPDATE SET seen_at = now()",
        worker_id,
    )


async def leave(tx: Tx, worker_id: WorkerId) -> None:
    """This worker is gone on purpose: what it still had is free at once."""
    await tx.execute("DELETE FROM workers WHERE id = $1", worker_id)


async def requeue_stray_runs(tx: Tx, *, older_than: timedelta) -> int:
    """Give a job to every unfinished run that has none; a safety net that should catch nothing."""
    status: str = await tx.execute(
        "INSERT INTO pgqueuer (priority, entrypoint, payload, status, dedupe_key) "
        "SELECT 0, 'run', convert_to(r.id::text, 'UTF8'), 'queued', r.id::text FROM runs r "
        "WHERE r.status IN ('queued', 'running') AND r.created_at < now() - $1::interval "
        "AND NOT EXISTS (SELECT 1 FROM pgqueuer q WHERE q.dedupe_key = r.id::text) "
        "ON CONFLICT DO NOTHING",
        older_than,
    )
    return int(status.rpartition(" ")[2])


async def sweep(tx: Tx, *, keep: timedelta) -> None:
    """Drop the traces of old workers and the queue's own log."""
    await tx.execute("DELETE FROM workers WHERE seen_at < now() - $1::interval", keep)
    await tx.execute("DELETE FROM pgqueuer_log WHERE created < now() - $1::interval", keep)
