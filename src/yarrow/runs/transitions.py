"""Every statement that sets `runs.status`.

                    claim_run
    start_run ──▶ queued ──▶ running ──▶ succeeded   complete_run
        │           ▲           │   ──▶ failed       fail_run
        │           └───────────┤   ──▶ cancelled    fail_run
        │          release_run  │
        └───────────────────────┘
          claimed as it is stored

`store.request_cancel` changes no status: it marks a queued or running run, which can then no longer
succeed; its owner, or whoever claims it next, ends it. A run is fenced by its attempt: claiming
raises the number, and the statements of an older attempt match no row.

Both ends of a run are one statement each, over the tables of runs, sessions and points: for most
runs that is the whole transaction.
"""

from collections.abc import Sequence
from datetime import timedelta
from functools import cache

import asyncpg
import msgspec
from msgspec import Struct

from yarrow.db import Row, Tx
from yarrow.db.pool import NamedSql
from yarrow.ids import AccountId, BranchId, RunId, SessionId, TurnId, WorkerId
from yarrow.journal import EventChunk
from yarrow.journal.events import FailureReason
from yarrow.journal.store import EVENTS_CHANNEL
from yarrow.points.model import Charge
from yarrow.points.store import CHARGE_POINTS, HOLD_POINTS, RELEASE_POINTS, build_charge_arguments
from yarrow.runs import start_store
from yarrow.runs.model import (
    JOB_ENTRYPOINT,
    AcceptedRun,
    ClaimedRun,
    CommitPart,
    RunInput,
    RunRef,
    RunRequest,
    RunStatus,
)
from yarrow.sessions.model import NewMessage, SessionStatus, TurnStart
from yarrow.sessions.run_targets import NewTurn, RunTarget

# Should the points be gone since `CAN_HOLD_POINTS` was evaluated, the price is null: the column
# refuses the statement. It commits asynchronously: `accept` waits for the disk, without its locks.
_JOB = f""", {HOLD_POINTS}, job AS (
    INSERT INTO pgqueuer (priority, entrypoint, payload, execute_after, status, dedupe_key)
    SELECT 0, '{JOB_ENTRYPOINT}', convert_to(:run_id::text, 'UTF8'), now() + :job_delay,
           'queued', :run_id::text
    FROM turn
)"""  # noqa: S608

_RUN = """
INSERT INTO runs (id, account_id, session_id, branch_id, turn_id, key, digest, agent, input,
    price, worker_id, status, attempt, started_at)
SELECT :run_id::text::uuid, :account_id, :session_id, turn.branch_id, turn.id, :key, :digest,
    :agent, :input, CASE WHEN :price = 0 THEN 0 ELSE (SELECT price FROM held) END,
    :worker_id::uuid,
    CASE WHEN :worker_id IS NULL THEN 'queued' ELSE 'running' END,
    (:worker_id IS NOT NULL)::int, CASE WHEN :worker_id IS NOT NULL THEN now() END
FROM turn
RETURNING created_at, id, account_id, session_id, branch_id, turn_id,
    (SELECT seq FROM turn) AS turn_seq, :is_retry::boolean AS is_retry, :replaces::uuid AS replaces,
    key, agent, input, price, attempt, FALSE AS cancel_requested,
    (SELECT settings FROM profiles WHERE id = :account_id) AS settings,
    set_config('synchronous_commit', 'off', true)
"""

_STARTS = {turn: NamedSql(turn + _JOB + _RUN) for turn in start_store.TURNS}
_START_FIRST = NamedSql(start_store.FIRST + _JOB + _RUN)


class StartedRun(Struct, frozen=True):
    """A new run, claimed by the worker that was named for it."""

    accepted: AcceptedRun
    claimed: ClaimedRun | None


class RunStart(Struct, frozen=True):
    """What is stored with a new run, besides its request."""

    run_id: RunId
    turn: TurnStart
    price: int
    """Points that are held for it."""
    job_delay: timedelta
    worker_id: WorkerId | None
    """The worker that has claimed the run as it is stored."""
    turn_cap: int | None = None
    """No new turn is stored in a session that has so many answered ones."""


async def start_run(
    tx: Tx, request: RunRequest, start: RunStart, *, target: RunTarget, is_checked: bool = True
) -> StartedRun | None:
    """Store the run and its job on the turn of the target, with the input message unless the
    turn is only retried, and hold its price. The session is created if it is missing.

    None when the session was deleted or given to another account since it was read, has reached
    its cap of turns, the target is no longer live, or the account cannot pay. Also, if the session
    was not checked, when a new turn needs more than a story that no run or archive keeps busy.
    """
    turn_sql, values = start_store.build_turn_sql(
        target, start.turn, turn_cap=start.turn_cap, is_checked=is_checked
    )
    row = await _fetch_start(tx, _STARTS[turn_sql], values | _list_run_arguments(request, start))
    return None if row is None else _build_started(row, request, start)


async def start_first_run(tx: Tx, request: RunRequest, start: RunStart) -> StartedRun | None:
    """Create the session with the run as its first.

    None, and nothing is stored, when the session exists or the account cannot pay.
    """
    _, values = start_store.build_turn_sql(NewTurn(), start.turn)
    for unused in ("target", "and_later", "turn_cap"):  # a new session has no turns
        del values[unused]
    row = await _fetch_start(tx, _START_FIRST, values | _list_run_arguments(request, start))
    return None if row is None else _build_started(row, request, start)


async def _fetch_start(tx: Tx, statement: NamedSql, values: dict[str, object]) -> Row | None:
    """None also when another run took the points since the account was read: the statement
    failed then, and nothing of its transaction is stored."""
    try:
        return await tx.fetchrow(statement.text, *statement.arguments(**values))
    except asyncpg.NotNullViolationError as error:
        if error.column_name != "price":
            raise
        return None


def _list_run_arguments(request: RunRequest, start: RunStart) -> dict[str, object]:
    return {
        "session_id": start.turn.session_id,
        "account_id": start.turn.account_id,
        "title": start.turn.title,
        "run_id": str(start.run_id),
        "job_delay": start.job_delay,
        "key": request.key,
        "digest": request.digest,
        "agent": request.agent,
        "input": msgspec.to_builtins(request.input),
        "price": start.price,
        "worker_id": start.worker_id,
    }


def _build_started(row: Row, request: RunRequest, start: RunStart) -> StartedRun:
    ref = RunRef(start.run_id, request.session_id, request.key)
    claimed = None if start.worker_id is None else _build_claimed_run(row)
    return StartedRun(AcceptedRun(ref, row["created_at"]), claimed)


# On disk before it is answered: a crash that took the claim would give its attempt to two workers.
_CLAIM = NamedSql("""
UPDATE runs r SET
    status = 'running', attempt = r.attempt + 1, worker_id = :worker_id,
    started_at = coalesce(r.started_at, now())
FROM profiles p, turns t
WHERE r.id = :run_id AND p.id = r.account_id AND t.id = r.turn_id
  AND (r.status = 'queued' OR (r.status = 'running' AND (r.worker_id = :worker_id OR NOT EXISTS (
      SELECT 1 FROM workers w
      WHERE w.id = r.worker_id AND w.seen_at > now() - :lease::interval))))
RETURNING r.id, r.account_id, r.session_id, r.branch_id, r.turn_id, t.seq AS turn_seq, t.replaces,
    t.status = 'answered' AND r.input ->> 'is_continuation' IS NULL AS is_retry,
    r.key, r.agent, r.input, r.price, r.attempt, p.settings,
    coalesce(r.cancel_requested_at, r.finish_requested_at) IS NOT NULL AS cancel_requested
""")


async def claim_run(
    tx: Tx, run_id: RunId, *, worker_id: WorkerId, lease: timedelta
) -> ClaimedRun | None:
    """Claim a queued run, or a running one whose worker's lease expired; raises the attempt.

    A worker may claim a run of its own again. Should two tasks of this process do so, the older
    attempt is fenced like that of any other worker.
    """
    row = await tx.fetchrow(
        _CLAIM.text, *_CLAIM.arguments(run_id=run_id, worker_id=worker_id, lease=lease)
    )
    return None if row is None else _build_claimed_run(row)


async def release_run(tx: Tx, run: ClaimedRun) -> None:
    """Give up the claim; the run and its job are due at once for any worker."""
    await tx.execute(
        "WITH released AS (UPDATE runs SET status = 'queued', worker_id = NULL "
        "  WHERE id = $1::text::uuid AND attempt = $2 AND status = 'running' RETURNING id) "
        "UPDATE pgqueuer SET execute_after = now(), status = 'queued', "
        "queue_manager_id = NULL, slot = NULL FROM released WHERE dedupe_key = $1::text",
        str(run.id),
        run.attempt,
    )


# Session before run, in the order of `start_run`: a duplicate request that has locked the session
# and meets the run in a unique index would deadlock with the opposite order. The branch is for the
# planner: it prefers the index of active runs, and would read all of it to find an id.
_END = f"""
WITH locked AS MATERIALIZED (
    SELECT id FROM sessions WHERE id = :session_id FOR NO KEY UPDATE
), ended AS (
    UPDATE runs r SET
        status = :status, failure = :failure, ended_at = now(),
        input = CASE WHEN :has_client_model THEN (r.input::jsonb - 'model')::json ELSE r.input END
    FROM locked
    WHERE r.id = :run_id::text::uuid AND r.session_id = locked.id
      AND r.branch_id = :branch_id AND r.attempt = :attempt AND r.status = 'running'
      AND (:status <> 'succeeded' OR r.cancel_requested_at IS NULL)
    RETURNING r.id, r.session_id, r.branch_id, r.turn_id
), job AS (
    DELETE FROM pgqueuer USING ended WHERE dedupe_key = :run_id AND status IN ('queued', 'picked')
), notified AS (
    SELECT count(pg_notify('{EVENTS_CHANNEL}', :run_id::text)) FROM ended WHERE :notifies
), written AS (
    INSERT INTO run_events (run_id, first_seq, last_seq, internal_before, events, times)
    SELECT id, :first_seq::bigint, :last_seq::bigint, :internal_before::int, :events::jsonb,
           :times::jsonb FROM ended
)"""  # noqa: S608

# Optional: a DELETE locks all partitions, and most runs end before their first flush.
_MERGE = """, merged AS (
    DELETE FROM run_events USING ended
    WHERE run_id = :run_id::text::uuid AND last_seq >= :first_seq
)"""

_COMPLETE = f""", turn AS (
    UPDATE turns SET status = 'answered', live = TRUE, updated_at = now()
    FROM ended WHERE turns.id = ended.turn_id
), session AS (
    UPDATE sessions SET
        status = 'completed', message_count = message_count + cardinality(:ids::uuid[]),
        total_tokens = total_tokens + (SELECT coalesce(sum(t), 0)
            FROM unnest(:input_tokens::int[] || :output_tokens::int[]) t),
        total_cost = total_cost + (SELECT coalesce(sum(c), 0) FROM unnest(:costs::numeric[]) c),
        has_answer = has_answer OR EXISTS (SELECT 1 FROM unnest(:roles::text[],
            :visibilities::int[]) AS m (role, mask) WHERE m.role = 'assistant' AND m.mask & 1 = 1),
        last_activity_at = now(), updated_at = now()
    FROM ended WHERE sessions.id = ended.session_id
), stored AS (
    INSERT INTO messages (id, session_id, turn_id, seq, role, content, tool_name, model_code,
        input_tokens, output_tokens, cost, latency_ms, visibility_mask, metadata)
    SELECT m.id, ended.session_id, ended.turn_id,
           m.n + coalesce((SELECT max(seq) FROM messages WHERE session_id = ended.session_id), 0),
           m.role, m.content, m.tool_name, m.model_code, m.input_tokens, m.output_tokens,
           m.cost, m.latency_ms, m.visibility, m.metadata
    FROM ended, notified,
         unnest(:ids::uuid[], :roles::text[], :contents::text[], :tool_names::text[],
                :model_codes::text[], :input_tokens::int[], :output_tokens::int[],
                :costs::numeric[], :latencies::int[], :visibilities::int[], :metadata::jsonb[])
         WITH ORDINALITY AS m (id, role, content, tool_name, model_code, input_tokens,
                               output_tokens, cost, latency_ms, visibility, metadata, n)
    ORDER BY m.n
    RETURNING id, seq
), {CHARGE_POINTS}"""  # noqa: S608
_COUNT_STORED = " SELECT count(*) FROM stored"


@cache
def _build_completion(part: str, *, replaces_flushed: bool) -> NamedSql:
    merge = _MERGE if replaces_flushed else ""
    return NamedSql(_END + merge + _COMPLETE + part + _COUNT_STORED)


async def complete_run(
    tx: Tx,
    run: ClaimedRun,
    *,
    messages: Sequence[NewMessage],
    chunk: EventChunk,
    charge: Charge | None,
    notifies: bool,
    part: CommitPart,
) -> bool:
    """End the run as succeeded, store its messages, last events and the part, charge it.

    False, and nothing is changed, when another attempt owns the run or it was cancelled.
    """
    statement = _build_completion(part.sql, replaces_flushed=chunk.replaces_flushed)
    arguments = statement.arguments(
        **part.values,
        **_list_end_arguments(run, RunStatus.SUCCEEDED, None, chunk),
        **build_charge_arguments(charge),
        account_id=run.account_id,
        notifies=notifies,
        ids=[m.id for m in messages],
        roles=[m.role for m in messages],
        contents=[m.content for m in messages],
        tool_names=[m.tool_name for m in messages],
        model_codes=[m.model_code for m in messages],
        input_tokens=[m.input_tokens for m in messages],
        output_tokens=[m.output_tokens for m in messages],
        costs=[m.cost for m in messages],
        latencies=[m.latency_ms for m in messages],
        visibilities=[int(m.visibility) for m in messages],
        metadata=[m.details for m in messages],
    )
    return bool(await tx.fetchval(statement.text, *arguments))


_FAIL = f""", turn AS (
    UPDATE turns SET status = 'failed', live = FALSE, updated_at = now()
    FROM ended WHERE turns.id = ended.turn_id AND turns.status = 'open'
), session AS (
    UPDATE sessions SET status = :session_status, last_activity_at = now(), updated_at = now()
    FROM ended WHERE sessions.id = ended.session_id
), {RELEASE_POINTS}
SELECT count(*) FROM ended, notified
"""  # noqa: S608
_FAILS = {False: NamedSql(_END + _FAIL), True: NamedSql(_END + _MERGE + _FAIL)}


async def fail_run(
    tx: Tx,
    run: ClaimedRun,
    *,
    status: RunStatus,
    failure: FailureReason | None,
    session_status: SessionStatus,
    chunk: EventChunk,
    notifies: bool,
) -> bool:
    """End the run as failed or cancelled and release its points; a turn that was to be retried
    or replaced stays.

    False, and nothing changed, when another attempt owns the run.
    """
    statement = _FAILS[chunk.replaces_flushed]
    arguments = statement.arguments(
        **_list_end_arguments(run, status, failure, chunk),
        session_status=session_status,
        account_id=run.account_id,
        price=run.price,
        notifies=notifies,
    )
    return bool(await tx.fetchval(statement.text, *arguments))


def _list_end_arguments(
    run: ClaimedRun, status: RunStatus, failure: FailureReason | None, chunk: EventChunk
) -> dict[str, object]:
    return {
        "session_id": run.session_id,
        "branch_id": run.branch_id,
        "run_id": str(run.id),
        "attempt": run.attempt,
        # The key of a client's model is kept until the run has ended, and no longer.
        "has_client_model": bool(run.input.model),
        "status": status,
        "failure": failure,
        "first_seq": chunk.first_seq,
        "last_seq": chunk.last_seq,
        "internal_before": chunk.internal_before,
        "events": chunk.events,
        "times": chunk.times or None,
    }


def _build_claimed_run(row: Row) -> ClaimedRun:
    return ClaimedRun(
        id=RunId(row["id"]),
        account_id=AccountId(row["account_id"]),
        session_id=SessionId(row["session_id"]),
        branch_id=BranchId(row["branch_id"]),
        turn_id=TurnId(row["turn_id"]),
        turn_seq=row["turn_seq"],
        is_retry=row["is_retry"],
        replaces=row["replaces"],
        key=row["key"],
        agent=row["agent"],
        input=msgspec.convert(row["input"], RunInput),
        price=row["price"],
        attempt=row["attempt"],
        cancel_requested=row["cancel_requested"],
        preferences=row["settings"],
    )
