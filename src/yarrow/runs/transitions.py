"""SQL of a run's two ends: its turn opens with it, and is answered or left with it.

Each end is one statement where it can be, over the tables of runs and of sessions: it is the
whole transaction of most runs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

import msgspec

from yarrow.db import Tx
from yarrow.ids import RunId, WorkerId, new_uuid
from yarrow.runs.events import FailureReason
from yarrow.runs.journal import Encoded
from yarrow.runs.model import AcceptedRun, ClaimedRun, RunRequest, RunStatus
from yarrow.runs.store import claimed_run
from yarrow.sessions.model import NewMessage, OpenTurn, SessionStatus, TurnStatus
from yarrow.sessions.store import MAIN_BRANCH

_BEGIN = """
WITH made AS (
    INSERT INTO sessions (id, user_id, title, status, message_count)
    VALUES ($1, $2, $3, 'running', 1)
    ON CONFLICT (id) DO UPDATE SET
        status = 'running', message_count = sessions.message_count + 1,
        title = coalesce(nullif(sessions.title, ''), excluded.title),
        last_activity_at = now(), updated_at = now()
    WHERE sessions.user_id = excluded.user_id AND sessions.deleted_at IS NULL
    RETURNING id
), branch AS (
    INSERT INTO branches (id, session_id, name)
    SELECT $4, id, $5 FROM made
    ON CONFLICT (session_id, name) DO UPDATE SET name = excluded.name
    RETURNING id
), turn AS (
    INSERT INTO turns (id, session_id, branch_id, seq)
    SELECT $6, $1, branch.id,
           1 + coalesce((SELECT max(seq) FROM turns
                         WHERE branch_id = branch.id AND status <> 'superseded'), 0)
    FROM branch
    RETURNING id, seq
), message AS (
    INSERT INTO messages (id, session_id, seq, role, content, metadata, turn_id, visibility_mask)
    SELECT $7, $1, 1 + coalesce((SELECT max(seq) FROM messages WHERE session_id = $1), 0),
           $8, $9, $10, turn.id, $19
    FROM turn
), job AS (
    INSERT INTO pgqueuer (priority, entrypoint, payload, execute_after, status, dedupe_key)
    SELECT 0, 'run', convert_to($11::text, 'UTF8'), now() + $12, 'queued', $11::text FROM turn
)
INSERT INTO runs (id, account_id, session_id, turn_id, key, digest, agent, input, price,
    worker_id, status, attempt, started_at)
SELECT $11::text::uuid, $2, $1, turn.id, $13, $14, $15, $16, $17,
    $18::uuid, CASE WHEN $18 IS NULL THEN 'queued' ELSE 'running' END,
    ($18 IS NOT NULL)::int, CASE WHEN $18 IS NOT NULL THEN now() END
FROM turn
RETURNING created_at, id, account_id, session_id, turn_id, (SELECT seq FROM turn) AS turn_seq,
    key, agent, input, price, attempt, FALSE AS cancel_requested,
    (SELECT settings FROM profiles WHERE id = $2) AS settings
"""


@dataclass(frozen=True, slots=True)
class Begun:
    """A run that was accepted, and in the hands of the worker that was named for it."""

    accepted: AcceptedRun
    claimed: ClaimedRun | None


async def begin(
    tx: Tx,
    run_id: RunId,
    request: RunRequest,
    *,
    turn: OpenTurn,
    price: int,
    due: timedelta,
    worker_id: WorkerId | None,
) -> Begun | None:
    """Make the session if it is missing, open a turn on its main branch with its input, and store
    the run with the job that leads a worker to it. A worker that is named has claimed it then.

    None when the session became another account's, or was deleted, since it was looked at.
    """
    row = await tx.fetchrow(
        _BEGIN,
        turn.session_id,
        turn.account_id,
        turn.title,
        new_uuid(),
        MAIN_BRANCH,
        turn.turn_id,
        turn.message_id,
        turn.role,
        turn.text,
        turn.details,
        str(run_id),
        due,
        request.key,
        request.digest,
        request.agent,
        msgspec.to_builtins(request.input),
        price,
        worker_id,
        int(turn.visibility),
    )
    if row is None:
        return None
    accepted = AcceptedRun(run_id, request.session_id, request.key, row["created_at"])
    return Begun(accepted, None if worker_id is None else claimed_run(row))


_ENDED = """
WITH ended AS (
    UPDATE runs SET status = $3, failure = $4, ended_at = now()
    WHERE id = $1::text::uuid AND attempt = $2 AND status = 'running'
      AND ($3 <> 'succeeded' OR cancel_requested_at IS NULL)
    RETURNING id, session_id, turn_id
), job AS (
    DELETE FROM pgqueuer USING ended WHERE dedupe_key = $1::text
), told AS (
    SELECT pg_notify('yarrow_events', $1::text) FROM ended
), written AS (
    INSERT INTO run_events (run_id, seq, event)
    SELECT ended.id, e.seq, e.event
    FROM ended, unnest($5::bigint[], $6::jsonb[]) AS e (seq, event)
    ON CONFLICT DO NOTHING
)"""

_ANSWER = f"""{_ENDED}, turn AS (
    UPDATE turns SET status = 'answered', updated_at = now()
    FROM ended WHERE turns.id = ended.turn_id
), session AS (
    UPDATE sessions SET
        status = 'completed', message_count = message_count + cardinality($7::uuid[]),
        total_tokens = total_tokens
            + (SELECT coalesce(sum(t), 0) FROM unnest($12::int[] || $13::int[]) t),
        total_cost = total_cost + (SELECT coalesce(sum(c), 0) FROM unnest($14::numeric[]) c),
        last_activity_at = now(), updated_at = now()
    FROM ended WHERE sessions.id = ended.session_id
)
INSERT INTO messages (id, session_id, turn_id, seq, role, content, tool_name, model_code,
    input_tokens, output_tokens, cost, latency_ms, visibility_mask, metadata)
SELECT m.id, ended.session_id, ended.turn_id,
       m.n + coalesce((SELECT max(seq) FROM messages WHERE session_id = ended.session_id), 0),
       m.role, m.content, m.tool_name, m.model_code, m.input_tokens, m.output_tokens,
       m.cost, m.latency_ms, m.visibility, m.metadata
FROM ended, told,
     unnest($7::uuid[], $8::text[], $9::text[], $10::text[], $11::text[], $12::int[], $13::int[],
            $14::numeric[], $15::int[], $16::int[], $17::jsonb[])
     WITH ORDINALITY AS m (id, role, content, tool_name, model_code, input_tokens,
                           output_tokens, cost, latency_ms, visibility, metadata, n)
ORDER BY m.n
RETURNING seq
"""  # noqa: S608


async def answer(
    tx: Tx, run: ClaimedRun, *, messages: Sequence[NewMessage], events: Sequence[Encoded]
) -> list[int]:
    """End the run if this attempt still owns it and was not to be cancelled: last events in, job
    out, what was said stored and counted in the session. Gives the messages' numbers, or none.
    """
    rows = await tx.fetch(
        _ANSWER,
        *_ending(run, RunStatus.SUCCEEDED, None, events),
        [m.id for m in messages],
        [m.role for m in messages],
        [m.content for m in messages],
        [m.tool_name for m in messages],
        [m.model_code for m in messages],
        [m.input_tokens for m in messages],
        [m.output_tokens for m in messages],
        [m.cost for m in messages],
        [m.latency_ms for m in messages],
        [int(m.visibility) for m in messages],
        [m.details for m in messages],
    )
    return [row["seq"] for row in rows]


_ABANDON = f"""{_ENDED}, turn AS (
    UPDATE turns SET status = $7, updated_at = now() FROM ended WHERE turns.id = ended.turn_id
), session AS (
    UPDATE sessions SET status = $8, last_activity_at = now(), updated_at = now()
    FROM ended WHERE sessions.id = ended.session_id
)
SELECT count(*) FROM ended, told
"""  # noqa: S608


async def abandon(
    tx: Tx,
    run: ClaimedRun,
    *,
    status: RunStatus,
    failure: FailureReason | None,
    leaves: SessionStatus,
    events: Sequence[Encoded],
) -> bool:
    """The same without an answer; the turn's input stays readable."""
    ending = _ending(run, status, failure, events)
    return bool(await tx.fetchval(_ABANDON, *ending, TurnStatus.FAILED, leaves))


def _ending(
    run: ClaimedRun, status: RunStatus, failure: FailureReason | None, events: Sequence[Encoded]
) -> tuple[object, ...]:
    return (
        str(run.id),
        run.attempt,
        status,
        failure,
        [encoded.seq for encoded in events],
        [encoded.json for encoded in events],
    )
