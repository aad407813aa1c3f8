"""SQL of starting a run: the state of its session, its turn and input message, its queue.

The parts that store a turn are text: `transitions.start_run` puts the row of the run behind them,
in one statement.
"""

from datetime import timedelta
from typing import assert_never
from uuid import UUID

from yarrow.db import Row, Tx
from yarrow.db.pool import NamedSql
from yarrow.ids import AccountId, RunId, SessionId, TurnId, new_uuid
from yarrow.points.store import CAN_HOLD_POINTS
from yarrow.runs.model import AcceptedRun, ReplaceInput, RequestTarget, RunRef, RunRequest
from yarrow.runs.rules import NEW_SESSION, OpenCalls, PreviousRun, SessionState
from yarrow.sessions.model import MAIN_BRANCH, Role, TurnStart
from yarrow.sessions.store import decode_details
from yarrow.sessions.targets import ContinueTurn, NewTurn, ReplaceTurn, RetryTurn, RunTarget

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
        "is_last": isinstance(request.target, NewTurn)
        or (isinstance(request.target, ReplaceTurn) and not request.target.and_later),
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


def _target_branch(target: RequestTarget) -> tuple[str | None, TurnId | None]:
    """The target's branch by name, or the turn whose branch it is."""
    match target:
        case NewTurn(branch, after):
            return branch, after
        case ReplaceInput():
            return MAIN_BRANCH, None
        case RetryTurn(turn_id) | ReplaceTurn(turn_id) | ContinueTurn(turn_id):
            return None, turn_id
        case _:
            assert_never(target)


def _previous_run(row: Row, session_id: SessionId) -> PreviousRun | None:
    if row["previous_id"] is None:
        return None
    ref = RunRef(RunId(row["previous_id"]), session_id, row["previous_key"])
    return PreviousRun(AcceptedRun(ref, row["previous_at"]), bytes(row["previous_digest"]))


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


_SESSION = f"""session AS (
    INSERT INTO sessions (id, user_id, title, status, message_count)
    SELECT :session_id, :account_id, :title, 'running', :message_count
    {{source}} WHERE ({{allowed}}) AND {CAN_HOLD_POINTS}
    ON CONFLICT (id) DO UPDATE SET
        status = 'running', message_count = sessions.message_count + :message_count,
        title = coalesce(nullif(sessions.title, ''), excluded.title),
        last_activity_at = now(), updated_at = now()
    WHERE sessions.user_id = excluded.user_id AND sessions.deleted_at IS NULL
    RETURNING id
)"""

# Read before the session is changed: without the target, the whole statement changes nothing.
_TARGET = """
WITH target AS MATERIALIZED (
    SELECT t.id, t.branch_id, t.seq FROM turns t
    WHERE t.id = :target AND t.session_id = :session_id AND t.live AND t.status = 'answered'
      AND (:and_later OR NOT EXISTS (
          SELECT FROM turns n WHERE n.branch_id = t.branch_id AND n.live AND n.seq > t.seq))
), """ + _SESSION.format(source="FROM target", allowed="TRUE")  # noqa: S608

_SESSION_IF_MISSING = f"""
WITH state AS MATERIALIZED ({SESSION_STATE}), session AS (
    INSERT INTO sessions (id, user_id, title, status, message_count)
    SELECT :session_id, :account_id, :title, 'running', :message_count
    WHERE NOT EXISTS (SELECT 1 FROM state) AND {CAN_HOLD_POINTS}
    ON CONFLICT (id) DO NOTHING
    RETURNING id
)"""  # noqa: S608

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

_REPLACING_TURN = """, turn AS (
    INSERT INTO turns (id, session_id, branch_id, seq, live, replaces)
    SELECT :turn_id, session.id, target.branch_id, target.seq, FALSE, target.id FROM session, target
    RETURNING id, branch_id, seq
)"""

_INPUT_MESSAGE = """, message AS (
    INSERT INTO messages (id, session_id, seq, role, content, metadata, turn_id, visibility_mask)
    SELECT :message_id, :session_id,
           1 + coalesce((SELECT max(seq) FROM messages WHERE session_id = :session_id), 0),
           :role, :content, :metadata, turn.id, :visibility
    FROM turn
)"""

# Counted again: since the state was read, another run may have started and ended. One that ends
# while this statement waits for the session takes the number of this turn, a unique violation.
_BELOW_CAP = """
:turn_cap::int IS NULL OR :turn_cap > (
    SELECT count(*) FROM turns t WHERE t.session_id = :session_id AND t.status = 'answered')
"""
_NEW = f"\nWITH {_SESSION.format(source='', allowed=_BELOW_CAP)}{_NEW_TURN}{_INPUT_MESSAGE}"
_REPLACEMENT = _TARGET + _REPLACING_TURN + _INPUT_MESSAGE
_RETRY = _TARGET + ", turn AS (SELECT target.* FROM session, target)"  # noqa: S608
_CONTINUATION = _RETRY + _INPUT_MESSAGE
TURNS = (_NEW, _REPLACEMENT, _RETRY, _CONTINUATION)
"""Beginnings of the statement, each with a `turn` of at most one row."""
FIRST_TURN = _SESSION_IF_MISSING + _NEW_TURN + _INPUT_MESSAGE
"""The beginning for a session that may not exist yet; if it does, `state` has its row."""


def build_turn_sql(
    target: RunTarget, turn: TurnStart, *, turn_cap: int | None = None
) -> tuple[str, dict[str, object]]:
    """The one of `TURNS` for a target, and the values that depend on it."""
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
            values = message | place | {"is_retry": False, "replaces": None}
            return _NEW, values | {"turn_cap": turn_cap}
        case ReplaceTurn(turn_id, and_later):
            place = {"turn_id": turn.turn_id, "target": turn_id, "and_later": and_later}
            return _REPLACEMENT, message | place | {"is_retry": False, "replaces": turn_id}
        case ContinueTurn(turn_id):
            place = {"target": turn_id, "and_later": True, "is_retry": False, "replaces": None}
            return _CONTINUATION, message | place
        case RetryTurn(turn_id):
            place = {"target": turn_id, "and_later": True, "is_retry": True, "replaces": None}
            return _RETRY, place | {"message_count": 0}
        case _:
            assert_never(target)


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
