"""SQL of runs that changes no status: reads, recorded tool calls, workers and their jobs."""

from collections.abc import Sequence
from datetime import timedelta
from typing import assert_never
from uuid import UUID

from yarrow.db import Row, Tx
from yarrow.db.named_sql import NamedSql
from yarrow.ids import AccountId, RunId, SessionId, TurnId, WorkerId
from yarrow.journal.snapshot import CalledTool
from yarrow.runs.model import (
    FINISH_CHANNEL,
    JOB_ENTRYPOINT,
    AcceptedRun,
    ClaimedRun,
    DisconnectPolicy,
    ReplaceInput,
    RequestTarget,
    RunRef,
    RunRequest,
    RunRow,
    RunStatus,
)
from yarrow.runs.rules import NEW_SESSION, OpenCalls, PreviousRun, SessionState
from yarrow.sessions.model import MAIN_BRANCH, Ownership, Role
from yarrow.sessions.store import decode_details
from yarrow.sessions.targets import ContinueTurn, NewTurn, ReplaceTurn, RetryTurn

_INPUT_TURN = """
SELECT m.turn_id FROM messages m JOIN turns i ON i.id = m.turn_id
WHERE m.session_id = :session_id AND m.role = 'user' AND m.deleted_at IS NULL
  AND (i.live AND i.status = 'answered' OR i.status = 'failed')
"""
_NEWEST = "ORDER BY i.live DESC, m.seq DESC LIMIT 1"

SESSION_STATE = f"""
SELECT s.user_id, s.deleted_at IS NOT NULL AS deleted, s.is_story, s.is_archived,
       r.id AS previous_id, r.key AS previous_key, r.digest AS previous_digest,
       r.created_at AS previous_at,
       b.id IS NOT NULL AS has_branch,
       t.id AS target_id, coalesce(t.live AND t.status = 'answered' AND NOT (:is_last AND EXISTS (
           SELECT 1 FROM turns n WHERE n.branch_id = t.branch_id AND n.live AND n.seq > t.seq
       )), FALSE) AS target_is_live,
       (SELECT a.key FROM runs a
        WHERE a.branch_id = b.id AND a.status IN ('queued', 'running')) AS active_key,
       (SELECT count(*) FROM turns t
        WHERE t.session_id = :session_id AND t.status = 'answered') AS answered,
       (SELECT f.agent FROM runs f WHERE f.session_id = :session_id
        ORDER BY f.created_at LIMIT 1) AS session_agent
FROM sessions s
LEFT JOIN runs r ON r.session_id = s.id AND r.key = :key
LEFT JOIN turns t ON t.session_id = s.id AND t.id = coalesce(:target_turn, ({_INPUT_TURN}
    AND m.metadata ? 'client_id' AND m.metadata ->> 'client_id' = :client_message
    {_NEWEST}), ({_INPUT_TURN} AND m.id = :own_message {_NEWEST}))
LEFT JOIN branches b ON b.session_id = s.id AND b.deleted_at IS NULL
    AND (b.name = :target_branch OR b.id = t.branch_id)
WHERE s.id = :session_id
"""  # noqa: S608
_READ_STATE = NamedSql(SESSION_STATE)


async def read_session_state(tx: Tx, request: RunRequest) -> SessionState:
    """Read what decides whether the request may start a run in its session."""
    row = await tx.fetchrow(_READ_STATE.text, *_READ_STATE.arguments(**state_arguments(request)))
    return NEW_SESSION if row is None else build_state(row, request)


def state_arguments(request: RunRequest) -> dict[str, object]:
    """The parameters of `SESSION_STATE`."""
    branch, turn_id = _target_branch(request.target)
    client_message, own_message = _input_ids(request)
    return {
        "session_id": request.session_id,
        "key": request.key,
        "target_branch": branch,
        "target_turn": turn_id,
        "client_message": client_message,
        "own_message": own_message,
        "is_last": isinstance(request.target, ReplaceTurn) and not request.target.and_later,
    }


def build_state(row: Row, request: RunRequest) -> SessionState:
    return SessionState(
        owner=AccountId(row["user_id"]),
        deleted=row["deleted"],
        previous=_previous_run(row, request.session_id),
        has_branch=row["has_branch"],
        target_id=row["target_id"],
        target_is_live=row["target_is_live"],
        active_key=row["active_key"],
        answered_turns=row["answered"],
        agent=row["session_agent"],
        is_story=row["is_story"],
        is_archived=row["is_archived"],
    )


def _input_ids(request: RunRequest) -> tuple[str | None, UUID | None]:
    """The id of the input to replace: the client's own, or ours as histories name it."""
    if not isinstance(request.target, ReplaceInput) or not request.input.message_id:
        return None, None
    text = request.input.message_id
    try:
        return text, UUID(text)
    except ValueError:
        return text, None


_OPEN_CALLS = """
SELECT t.id, m.role, m.metadata::text AS details,
       (SELECT i.content FROM messages i WHERE i.turn_id = t.id ORDER BY i.seq LIMIT 1) AS question,
       (SELECT count(*) FROM messages c WHERE c.turn_id = t.id AND c.deleted_at IS NULL
        AND c.role = 'tool' AND c.metadata ? 'tool_results') AS continuations
FROM branches b
JOIN LATERAL (SELECT id FROM turns WHERE branch_id = b.id AND live AND status = 'answered'
              ORDER BY seq DESC LIMIT 1) t ON TRUE
JOIN LATERAL (SELECT role, metadata FROM messages WHERE turn_id = t.id AND deleted_at IS NULL
              AND page_active ORDER BY seq DESC LIMIT 1) m ON TRUE
WHERE b.session_id = $1 AND b.name = $2
"""


async def read_open_calls(tx: Tx, session_id: SessionId) -> OpenCalls | None:
    """Read the calls of client tools that the newest turn of the main branch ends with."""
    row = await tx.fetchrow(_OPEN_CALLS, session_id, MAIN_BRANCH)
    if row is None or row["role"] != Role.ASSISTANT:
        return None
    calls = decode_details(row["details"]).tool_calls
    return OpenCalls(
        TurnId(row["id"]),
        frozenset(call.id for call in calls),
        question=row["question"],
        continuations=row["continuations"],
    )


def _previous_run(row: Row, session_id: SessionId) -> PreviousRun | None:
    if row["previous_id"] is None:
        return None
    ref = RunRef(RunId(row["previous_id"]), session_id, row["previous_key"])
    return PreviousRun(AcceptedRun(ref, row["previous_at"]), bytes(row["previous_digest"]))


_FIND = """
SELECT s.user_id, s.deleted_at IS NOT NULL AS deleted, r.session_id, r.id, r.key,
       r.status, r.agent, r.turn_id, r.on_disconnect
FROM sessions s LEFT JOIN LATERAL (
    SELECT id, session_id, key, status, agent, turn_id,
           input ->> 'on_disconnect' AS on_disconnect
    FROM runs
    WHERE session_id = s.id AND ($2::text IS NULL OR key = $2)
    ORDER BY created_at DESC LIMIT 1
) r ON TRUE
WHERE s.id = $1
"""


async def find_run(
    tx: Tx, session_id: SessionId, key: str | None
) -> tuple[Ownership, RunRow | None]:
    """Read who owns the session, and its run of this key, or its newest one."""
    row = await tx.fetchrow(_FIND, session_id, key)
    if row is None:
        return Ownership(owner=None, deleted=False), None
    ownership = Ownership(AccountId(row["user_id"]), deleted=row["deleted"])
    return ownership, None if row["id"] is None else _run_row(row)


async def list_active_runs(tx: Tx, session_id: SessionId) -> list[RunRow]:
    """Read the session's runs that have not ended."""
    rows = await tx.fetch(
        "SELECT id, session_id, key, status, agent, turn_id, input ->> 'on_disconnect' "
        "AS on_disconnect FROM runs "
        "WHERE session_id = $1 AND status IN ('queued', 'running')",
        session_id,
    )
    return [_run_row(row) for row in rows]


async def count_active_runs(tx: Tx, account_id: AccountId) -> int:
    """Count the account's runs that have not ended, wherever they run."""
    count = await tx.fetchval(
        "SELECT count(*) FROM runs WHERE account_id = $1 AND status IN ('queued', 'running')",
        account_id,
    )
    return int(count)


def _run_row(row: Row) -> RunRow:
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


async def insert_tool_executions(tx: Tx, run_id: RunId, calls: Sequence[CalledTool]) -> None:
    """Record tool calls and their results; a client's tool has no result yet."""
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


async def renew_lease(tx: Tx, worker_id: WorkerId) -> None:
    """Register the worker, or renew its lease."""
    await tx.execute(
        "INSERT INTO workers (id) VALUES ($1) ON CONFLICT (id) DO UPDATE SET seen_at = now()",
        worker_id,
    )


async def use_up_attempts(tx: Tx, run_id: RunId, worker_id: WorkerId, *, attempts: int) -> None:
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


async def request_finish(tx: Tx, run_id: RunId) -> bool:
    """Mark the run to end its answer early and notify its worker. False when it has ended."""
    marked = await tx.fetchval(
        f"WITH notified AS (SELECT pg_notify('{FINISH_CHANNEL}', $1::text)) "  # noqa: S608
        "UPDATE runs SET finish_requested_at = now() FROM notified "
        "WHERE id = $1::text::uuid AND status IN ('queued', 'running') RETURNING TRUE",
        str(run_id),
    )
    return bool(marked)


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


async def delete_old_traces(tx: Tx, *, older_than: timedelta) -> None:
    """Delete silent workers, requests of dead processes and PgQueuer's log of finished jobs."""
    await tx.execute("DELETE FROM workers WHERE seen_at < now() - $1::interval", older_than)
    await tx.execute("DELETE FROM branch_waiters WHERE seen_at < now() - $1::interval", older_than)
    await tx.execute("DELETE FROM pgqueuer_log WHERE created < now() - $1::interval", older_than)


_INSERT_WAITER = """
INSERT INTO branch_waiters (session_id, branch)
SELECT $1, coalesce($2, (SELECT b.name FROM turns t JOIN branches b ON b.id = t.branch_id
                         WHERE t.id = $3 AND t.session_id = $1), '')
RETURNING id
"""

_RENEW_WAITER = """
WITH renewed AS (
    UPDATE branch_waiters SET seen_at = now() WHERE id = $1 RETURNING session_id, branch
)
SELECT NOT EXISTS (
    SELECT 1 FROM branch_waiters w JOIN renewed USING (session_id, branch)
    WHERE w.id < $1 AND w.seen_at > now() - $2::interval
)
"""


async def insert_waiter(tx: Tx, request: RunRequest) -> int:
    """Add the request to the queue of its branch."""
    branch, turn_id = _target_branch(request.target)
    return int(await tx.fetchval(_INSERT_WAITER, request.session_id, branch, turn_id))


async def renew_waiter(tx: Tx, waiter_id: int, *, expiry: timedelta) -> bool:
    """Renew a place in the queue; True when it is the first one."""
    return bool(await tx.fetchval(_RENEW_WAITER, waiter_id, expiry))


async def delete_waiter(tx: Tx, waiter_id: int) -> None:
    """Leave the queue."""
    await tx.execute("DELETE FROM branch_waiters WHERE id = $1", waiter_id)


def _target_branch(target: RequestTarget) -> tuple[str | None, TurnId | None]:
    """The target's branch by name, or the turn whose branch it is."""
    match target:
        case NewTurn(branch):
            return branch, None
        case ReplaceInput():
            return MAIN_BRANCH, None
        case RetryTurn(turn_id) | ReplaceTurn(turn_id) | ContinueTurn(turn_id):
            return None, turn_id
        case _:
            assert_never(target)
