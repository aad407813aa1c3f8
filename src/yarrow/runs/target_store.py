"""SQL that finds or opens the turn of a new run and stores its input message.

`transitions.start_run` puts the row of the run behind it, in one statement.
"""

from typing import assert_never

from yarrow.ids import new_uuid
from yarrow.points.store import CAN_HOLD_POINTS
from yarrow.runs.store import SESSION_STATE
from yarrow.sessions.model import OpenTurn
from yarrow.sessions.targets import ContinueTurn, NewTurn, ReplaceTurn, RetryTurn, RunTarget

_SESSION = f"""session AS (
    INSERT INTO sessions (id, user_id, title, status, message_count)
    SELECT :session_id, :account_id, :title, 'running', :message_count
    {{source}} WHERE {CAN_HOLD_POINTS}
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
), """ + _SESSION.format(source="FROM target")  # noqa: S608

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

_NEW = "\nWITH " + _SESSION.format(source="") + _NEW_TURN + _INPUT_MESSAGE
_REPLACEMENT = _TARGET + _REPLACING_TURN + _INPUT_MESSAGE
_RETRY = _TARGET + ", turn AS (SELECT target.* FROM session, target)"  # noqa: S608
_CONTINUATION = _RETRY + _INPUT_MESSAGE
TURNS = (_NEW, _REPLACEMENT, _RETRY, _CONTINUATION)
"""Beginnings of the statement, each with a `turn` of at most one row."""
FIRST_TURN = _SESSION_IF_MISSING + _NEW_TURN + _INPUT_MESSAGE
"""The beginning for a session that may not exist yet; if it does, `state` has its row."""


def choose_turn(target: RunTarget, turn: OpenTurn) -> tuple[str, dict[str, object]]:
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
            return _NEW, message | place | {"is_retry": False, "replaces": None}
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
