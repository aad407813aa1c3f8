"""SQL of lists over all agents: an account's sessions, and its runs with what they used."""

from collections.abc import Sequence

from yarrow.activity.model import RunSummary, SessionSummary
from yarrow.db import Row, Tx
from yarrow.ids import AccountId, RunId, SessionId
from yarrow.runs.model import RunStatus
from yarrow.sessions.model import ListPosition
from yarrow.sessions.store import build_after_session

# The agent and the activity of each session are read for one page of sessions, never for all.
_LISTED = """
SELECT s.id, coalesce(s.title, '') AS title, s.last_activity_at, s.created_at, s.message_count,
       s.total_tokens, s.total_cost,
       (SELECT r.agent FROM runs r WHERE r.session_id = s.id
        ORDER BY r.created_at LIMIT 1) AS agent,
       (SELECT a.key FROM runs a WHERE a.session_id = s.id AND a.status IN ('queued', 'running')
        ORDER BY a.created_at DESC LIMIT 1) AS active_key
FROM (
    SELECT * FROM sessions
    WHERE user_id = $1 AND deleted_at IS NULL AND session_type = 'chat' {after}
    ORDER BY last_activity_at DESC, id LIMIT $2
) s
ORDER BY s.last_activity_at DESC, s.id
"""
_SESSIONS = _LISTED.format(after="")
_SESSIONS_AFTER = _LISTED.format(after=build_after_session(3))


async def read_sessions(
    tx: Tx, account_id: AccountId, *, limit: int, after: ListPosition | None
) -> list[SessionSummary]:
    """Read sessions, the most recently active first; with `after`, those that come behind it."""
    if after is None:
        rows = await tx.fetch(_SESSIONS, account_id, limit)
    else:
        rows = await tx.fetch(_SESSIONS_AFTER, account_id, limit, *after)
    return [
        SessionSummary(
            id=SessionId(row["id"]),
            title=row["title"],
            agent=row["agent"] or "",
            active_key=row["active_key"],
            message_count=row["message_count"],
            tokens=row["total_tokens"],
            cost=row["total_cost"],
            created_at=row["created_at"],
            last_activity_at=row["last_activity_at"],
        )
        for row in rows
    ]


async def read_agents(tx: Tx, session_ids: Sequence[SessionId]) -> dict[SessionId, str]:
    """Read the agent of each session's first run; sessions without a run are left out."""
    rows = await tx.fetch(
        "SELECT s.id, r.agent FROM unnest($1::uuid[]) AS s (id) CROSS JOIN LATERAL "
        "(SELECT agent FROM runs WHERE session_id = s.id ORDER BY created_at LIMIT 1) r",
        session_ids,
    )
    return {SessionId(row["id"]): row["agent"] for row in rows}


_RUNS = """
SELECT r.id, r.session_id, r.key, r.agent, r.status, r.failure, r.attempt, r.price,
       r.created_at, r.started_at, r.ended_at, m.message_id, m.model_code,
       coalesce(m.input_tokens, 0) AS input_tokens, coalesce(m.output_tokens, 0) AS output_tokens,
       coalesce(m.cost, 0) AS cost
FROM unnest($1::uuid[]) AS s (id) CROSS JOIN LATERAL (
    SELECT * FROM runs WHERE session_id = s.id ORDER BY created_at DESC, id LIMIT $2
) r LEFT JOIN LATERAL (
    SELECT (array_agg(id ORDER BY seq DESC) FILTER (WHERE role = 'assistant'))[1] AS message_id,
           max(model_code) AS model_code, sum(input_tokens) AS input_tokens,
           sum(output_tokens) AS output_tokens, sum(cost) AS cost
    FROM messages WHERE turn_id = r.turn_id AND metadata ->> 'run_id' = r.key
) m ON r.status = 'succeeded'
ORDER BY r.created_at DESC, r.id LIMIT $2
"""


async def read_runs(
    tx: Tx, session_ids: Sequence[SessionId], *, limit: int
) -> tuple[RunSummary, ...]:
    """Read the newest runs of these sessions, with the tokens and cost of their messages."""
    return tuple(_build_run_summary(row) for row in await tx.fetch(_RUNS, list(session_ids), limit))


def _build_run_summary(row: Row) -> RunSummary:
    status = RunStatus(row["status"])
    return RunSummary(
        id=RunId(row["id"]),
        session_id=SessionId(row["session_id"]),
        key=row["key"],
        agent=row["agent"],
        status=status,
        failure=row["failure"],
        attempt=row["attempt"],
        points=row["price"] if status is RunStatus.SUCCEEDED else 0,
        held_points=0 if status.ended else row["price"],
        message_id=row["message_id"],
        model=row["model_code"],
        input_tokens=row["input_tokens"],
        output_tokens=row["output_tokens"],
        cost=row["cost"],
        created_at=row["created_at"],
        started_at=row["started_at"],
        ended_at=row["ended_at"],
    )
