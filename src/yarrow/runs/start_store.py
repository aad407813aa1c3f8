"""The statement that stores a run, its job and the turn or the message that it answers."""

from dataclasses import dataclass
from datetime import timedelta
from typing import assert_never

import msgspec

from yarrow.db import Row, Tx
from yarrow.db.named_sql import NamedSql
from yarrow.ids import AccountId, BranchId, RunId, SessionId, TurnId, WorkerId, new_uuid
from yarrow.runs.model import (
    JOB_ENTRYPOINT,
    AcceptedRun,
    ClaimedRun,
    ContinueTurn,
    NewTurn,
    ReplaceTurn,
    RetryTurn,
    RunInput,
    RunRef,
    RunRequest,
    RunTarget,
)
from yarrow.sessions.model import OpenTurn

_SESSION = """
WITH session AS (
    INSERT INTO sessions (id, user_id, title, status, message_count)
    VALUES (:session_id, :account_id, :title, 'running', :message_count)
    ON CONFLICT (id) DO UPDATE SET
        status = 'running', message_count = sessions.message_count + :message_count,
        title = coalesce(nullif(sessions.title, ''), excluded.title),
        last_activity_at = now(), updated_at = now()
    WHERE sessions.user_id = excluded.user_id AND sessions.deleted_at IS NULL
    RETURNING id
)"""

_NEW_TURN = """, branch AS (
    INSERT INTO branches (id, session_id, name)
    SELECT :branch_id, id, :branch FROM session
    ON CONFLICT (session_id, name) DO UPDATE SET name = excluded.name
    RETURNING id, forked_after_seq AS fork
), turn AS (
    INSERT INTO turns (id, session_id, branch_id, seq)
    SELECT :turn_id, :session_id, branch.id,
           1 + coalesce((SELECT max(seq) FROM turns WHERE branch_id = branch.id AND live), fork, 0)
    FROM branch
    RETURNING id, branch_id, seq
)"""

_REPLACEMENT = """, turn AS (
    INSERT INTO turns (id, session_id, branch_id, seq, live, replaces)
    SELECT :turn_id, t.session_id, t.branch_id, t.seq, FALSE, t.id
    FROM session, turns t
    WHERE t.id = :target AND t.session_id = :session_id AND t.live AND t.status = 'answered'
      AND (:and_later OR NOT EXISTS (
          SELECT FROM turns n WHERE n.branch_id = t.branch_id AND n.live AND n.seq > t.seq))
    RETURNING id, branch_id, seq
)"""

_SAME_TURN = """, turn AS (
    SELECT t.id, t.branch_id, t.seq
    FROM session, turns t
    WHERE t.id = :target AND t.session_id = :session_id AND t.live AND t.status = 'answered'
)"""

_INPUT_MESSAGE = """, message AS (
    INSERT INTO messages (id, session_id, seq, role, content, metadata, turn_id, visibility_mask)
    SELECT :message_id, :session_id,
           1 + coalesce((SELECT max(seq) FROM messages WHERE session_id = :session_id), 0),
           :role, :content, :metadata, turn.id, :visibility
    FROM turn
)"""

_RUN_AND_JOB = f""", job AS (
    INSERT INTO pgqueuer (priority, entrypoint, payload, execute_after, status, dedupe_key)
    SELECT 0, '{JOB_ENTRYPOINT}', convert_to(:run_id::text, 'UTF8'), now() + :job_delay,
           'queued', :run_id::text
    FROM turn
)
INSERT INTO runs (id, account_id, session_id, branch_id, turn_id, key, digest, agent, input,
    price, worker_id, status, attempt, started_at)
SELECT :run_id::text::uuid, :account_id, :session_id, turn.branch_id, turn.id, :key, :digest,
    :agent, :input, :price, :worker_id::uuid,
    CASE WHEN :worker_id IS NULL THEN 'queued' ELSE 'running' END,
    (:worker_id IS NOT NULL)::int, CASE WHEN :worker_id IS NOT NULL THEN now() END
FROM turn
RETURNING created_at, id, account_id, session_id, branch_id, turn_id,
    (SELECT seq FROM turn) AS turn_seq, :is_retry::boolean AS is_retry, :replaces::uuid AS replaces,
    key, agent, input, price, attempt, FALSE AS cancel_requested,
    (SELECT settings FROM profiles WHERE id = :account_id) AS settings
"""  # noqa: S608

_START_NEW = NamedSql(_SESSION + _NEW_TURN + _INPUT_MESSAGE + _RUN_AND_JOB)
_START_REPLACEMENT = NamedSql(_SESSION + _REPLACEMENT + _INPUT_MESSAGE + _RUN_AND_JOB)
_START_RETRY = NamedSql(_SESSION + _SAME_TURN + _RUN_AND_JOB)
_START_CONTINUATION = NamedSql(_SESSION + _SAME_TURN + _INPUT_MESSAGE + _RUN_AND_JOB)


@dataclass(frozen=True, slots=True)
class StartedRun:
    """A new run, claimed by the worker that was named for it."""

    accepted: AcceptedRun
    claimed: ClaimedRun | None


async def start_run(
    tx: Tx,
    run_id: RunId,
    request: RunRequest,
    *,
    target: RunTarget,
    turn: OpenTurn,
    price: int,
    job_delay: timedelta,
    worker_id: WorkerId | None,
) -> StartedRun | None:
    """Store the run and its job on the turn of the target, with the input message unless the
    turn is only retried. The session is created if it is missing. With a worker the run is stored
    as claimed by it.

    None when the session was deleted or given to another account since it was read, or the
    target is no longer live.
    """
    start, target_values = _choose_start(target, turn)
    arguments = start.arguments(
        **target_values,
        session_id=turn.session_id,
        account_id=turn.account_id,
        title=turn.title,
        run_id=str(run_id),
        job_delay=job_delay,
        key=request.key,
        digest=request.digest,
        agent=request.agent,
        input=msgspec.to_builtins(request.input),
        price=price,
        worker_id=worker_id,
    )
    row = await tx.fetchrow(start.text, *arguments)
    if row is None:
        return None
    accepted = AcceptedRun(RunRef(run_id, request.session_id, request.key), row["created_at"])
    return StartedRun(accepted, None if worker_id is None else build_claimed_run(row))


def _choose_start(target: RunTarget, turn: OpenTurn) -> tuple[NamedSql, dict[str, object]]:
    """The statement for a target, and the values that depend on it."""
    message = {
        "message_id": turn.message_id,
        "role": turn.role,
        "content": turn.text,
        "metadata": turn.details,
        "visibility": int(turn.visibility),
        "message_count": 1,
    }
    match target:
        case NewTurn(branch):
            place = {"turn_id": turn.turn_id, "branch_id": new_uuid(), "branch": branch}
            return _START_NEW, message | place | {"is_retry": False, "replaces": None}
        case ReplaceTurn(turn_id, and_later):
            place = {"turn_id": turn.turn_id, "target": turn_id, "and_later": and_later}
            return _START_REPLACEMENT, message | place | {"is_retry": False, "replaces": turn_id}
        case ContinueTurn(turn_id):
            place = {"target": turn_id, "is_retry": False, "replaces": None}
            return _START_CONTINUATION, message | place
        case RetryTurn(turn_id):
            place = {"target": turn_id, "is_retry": True, "replaces": None}
            return _START_RETRY, place | {"message_count": 0}
        case _:
            assert_never(target)


def build_claimed_run(row: Row) -> ClaimedRun:
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
