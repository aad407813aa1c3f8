"""SQL of starting a run: the state of its session, its turn and input message.

The parts that store a turn are text: `transitions.start_run` puts the row of the run behind them,
in one statement.
"""

from typing import assert_never
from uuid import UUID

from yarrow.db import Row, Tx
from yarrow.db.pool import NamedSql
from yarrow.ids import AccountId, RunId, SessionId, TurnId, new_uuid
from yarrow.points.store import CAN_HOLD_POINTS
from yarrow.runs.acceptance_rules import NEW_SESSION, PreviousRun, SessionState
from yarrow.runs.model import AcceptedRun, ReplaceInput, RequestTarget, RunRef, RunRequest
from yarrow.sessions.model import MAIN_BRANCH, TurnStart
from yarrow.sessions.run_targets import ContinueTurn, NewTurn, ReplaceTurn, RetryTurn, RunTarget
from yarrow.sessions.turn_parts import FIRST_TURN, INPUT_MESSAGE, NEW_TURN, REPLACING_TURN

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
       (SELECT count(*) FROM (SELECT FROM turns t WHERE t.session_id = :session_id
            AND t.status = 'answered' LIMIT coalesce(:turn_cap::int, 0))) AS answered,
       (SELECT a.agent FROM runs a WHERE a.session_id = :session_id
        ORDER BY a.key LIMIT 1) AS session_agent
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


async def read_session_state(tx: Tx, request: RunRequest, turn_cap: int | None) -> SessionState:
    """Read what decides whether the request may start a run in its session."""
    arguments = _READ_STATE.arguments(**_build_state_arguments(request), turn_cap=turn_cap)
    row = await tx.fetchrow(_READ_STATE.text, *arguments)
    return NEW_SESSION if row is None else _build_state(row, request)


def _build_state_arguments(request: RunRequest) -> dict[str, object]:
    """The parameters of `SESSION_STATE`, besides `turn_cap`."""
    branch, turn_id = locate_branch(request.target)
    client_message, own_message = _find_input_ids(request)
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


def _build_state(row: Row, request: RunRequest) -> SessionState:
    return SessionState(
        owner=AccountId(row["user_id"]),
        deleted=row["deleted"],
        previous=_build_previous_run(row, request.session_id),
        has_branch=row["has_branch"],
        target_id=row["target_id"],
        target_is_live=row["target_is_live"],
        active_key=row["active_key"],
        answered_turns=row["answered"],
        agent=row["session_agent"],
        is_story=row["is_story"],
        is_archived=row["is_archived"],
    )


def _find_input_ids(request: RunRequest) -> tuple[str | None, UUID | None]:
    """The id of the input to replace: the client's own, or ours as histories name it."""
    if not isinstance(request.target, ReplaceInput) or not request.input.message_id:
        return None, None
    text = request.input.message_id
    try:
        return text, UUID(text)
    except ValueError:
        return text, None


def locate_branch(target: RequestTarget) -> tuple[str | None, TurnId | None]:
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


def _build_previous_run(row: Row, session_id: SessionId) -> PreviousRun | None:
    if row["previous_id"] is None:
        return None
    ref = RunRef(RunId(row["previous_id"]), session_id, row["previous_key"])
    return PreviousRun(AcceptedRun(ref, row["previous_at"]), bytes(row["previous_digest"]))


# The version of the locked session is compared with the one that this statement saw at its begin:
# if turns or branches changed meanwhile, or it was archived, nothing is stored.
_SESSION = f"""session AS (
    INSERT INTO sessions (id, user_id, title, status, message_count)
    SELECT :session_id, :account_id, :title, 'running', :message_count
    {{source}} WHERE ({{allowed}}) AND {CAN_HOLD_POINTS}
    ON CONFLICT (id) DO UPDATE SET
        status = 'running', message_count = sessions.message_count + :message_count,
        title = coalesce(nullif(sessions.title, ''), excluded.title),
        last_activity_at = now(), updated_at = now()
    WHERE sessions.user_id = excluded.user_id AND sessions.deleted_at IS NULL
      AND sessions.history_version = (SELECT history_version FROM sessions WHERE id = :session_id)
    RETURNING id
)"""  # noqa: S608

# Read before the session is changed: without the target, the whole statement changes nothing.
_TARGET = """
WITH target AS MATERIALIZED (
    SELECT t.id, t.branch_id, t.seq FROM turns t
    WHERE t.id = :target AND t.session_id = :session_id AND t.live AND t.status = 'answered'
      AND (:and_later OR NOT EXISTS (
          SELECT FROM turns n WHERE n.branch_id = t.branch_id AND n.live AND n.seq > t.seq))
), """
_ON_TARGET = _TARGET + _SESSION.format(source="FROM target", allowed="TRUE")

# Nothing is stored if the session exists: whoever sent the request may not know it.
_NEW_SESSION = f"""
WITH session AS (
    INSERT INTO sessions (id, user_id, title, status, message_count)
    SELECT :session_id, :account_id, :title, 'running', :message_count WHERE {CAN_HOLD_POINTS}
    ON CONFLICT (id) DO NOTHING
    RETURNING id
)"""

# Counted again: since the state was read, another run may have started and ended. One that ends
# while this statement waits for the session takes the number of this turn, a unique violation.
_CAN_ADD_TURN = """
(:target IS NULL OR EXISTS (SELECT FROM target)) AND (:turn_cap::int IS NULL OR :turn_cap > (
    SELECT count(*) FROM turns t WHERE t.session_id = :session_id AND t.status = 'answered'))
"""
# What `SESSION_STATE` and `require_startable` would say, so that nothing has to be read first.
_IS_NEXT = """ AND EXISTS (
    SELECT FROM sessions s JOIN branches b ON b.session_id = s.id AND b.name = :branch
    WHERE s.id = :session_id AND s.user_id = :account_id AND s.is_story AND NOT s.is_archived
      AND s.deleted_at IS NULL AND b.deleted_at IS NULL AND NOT EXISTS (
          SELECT FROM runs r WHERE r.branch_id = b.id AND r.status IN ('queued', 'running'))
      AND NOT EXISTS (SELECT FROM runs r WHERE r.session_id = s.id AND r.key = :key))
"""
_ADDED_TURN = NEW_TURN + INPUT_MESSAGE
_NEW = _TARGET + _SESSION.format(source="", allowed=_CAN_ADD_TURN) + _ADDED_TURN
_NEXT = _TARGET + _SESSION.format(source="", allowed=_CAN_ADD_TURN + _IS_NEXT) + _ADDED_TURN
_REPLACEMENT = _ON_TARGET + REPLACING_TURN + INPUT_MESSAGE
_RETRY = _ON_TARGET + ", turn AS (SELECT target.* FROM session, target)"  # noqa: S608
_CONTINUATION = _RETRY + INPUT_MESSAGE
TURNS = (_NEW, _NEXT, _REPLACEMENT, _RETRY, _CONTINUATION)
"""Beginnings of the statement, each with a `turn` of at most one row."""
FIRST = _NEW_SESSION + FIRST_TURN
"""The beginning for a session that may not exist yet; no `turn` if it does."""


def build_turn_sql(
    target: RunTarget, turn: TurnStart, *, turn_cap: int | None = None, is_checked: bool = True
) -> tuple[str, dict[str, object]]:
    """The one of `TURNS` for a target, and the values that depend on it. Unless the session was
    checked, it stores a new turn only in a story that has nothing against it."""
    fixed: dict[str, object] = {"and_later": True, "is_retry": False, "replaces": None}
    message = fixed | {
        "message_id": turn.message_id,
        "role": turn.role,
        "content": turn.text,
        "metadata": turn.details,
        "visibility": int(turn.visibility),
        "message_count": 1,
    }
    match target:
        case NewTurn(branch, after):
            place = {"turn_id": turn.turn_id, "branch_id": new_uuid(), "branch": branch}
            limits = {"target": after, "and_later": False, "turn_cap": turn_cap}
            return _NEW if is_checked else _NEXT, message | place | limits
        case ReplaceTurn(turn_id, and_later):
            place = {"turn_id": turn.turn_id, "target": turn_id, "and_later": and_later}
            return _REPLACEMENT, message | place | {"replaces": turn_id}
        case ContinueTurn(turn_id):
            return _CONTINUATION, message | {"target": turn_id}
        case RetryTurn(turn_id):
            return _RETRY, fixed | {"target": turn_id, "is_retry": True, "message_count": 0}
        case _:
            assert_never(target)
