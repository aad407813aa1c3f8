"""From sessions and runs to response bodies."""

from yarrow.activity.model import (
    FoundSession,
    FoundSessions,
    RunSummary,
    SessionList,
    SessionSummary,
)
from yarrow.protocols.account.activity.wire import (
    FoundSessionOut,
    FoundSessionsOut,
    RunListOut,
    RunOut,
    SessionListOut,
    SessionOut,
)
from yarrow.sessions.model import Role


def encode_sessions(listed: SessionList) -> SessionListOut:
    """`next` stays unset on the last page, and is left out of the response then."""
    sessions = [_encode_session(session) for session in listed.sessions]
    if listed.next_after is None:
        return SessionListOut(sessions=sessions)
    return SessionListOut(sessions=sessions, next=listed.next_after)


def _encode_session(session: SessionSummary) -> SessionOut:
    return SessionOut(
        id=session.id,
        title=session.title,
        agent=session.agent,
        running=session.active_key is not None,
        run_id=session.active_key,
        message_count=session.message_count,
        tokens=session.tokens,
        cost=str(session.cost),
        created_at=session.created_at,
        last_activity_at=session.last_activity_at,
    )


def encode_found(found: FoundSessions) -> FoundSessionsOut:
    return FoundSessionsOut(
        sessions=[_encode_hit(session) for session in found.sessions],
        searched_until=found.searched_until,
        sessions_searched_in_part=found.cut_sessions,
    )


def _encode_hit(session: FoundSession) -> FoundSessionOut:
    return FoundSessionOut(
        id=session.id,
        title=session.title,
        agent=session.agent,
        role="user" if session.role is Role.USER else "assistant",
        snippet=session.snippet,
        created_at=session.created_at,
    )


def encode_runs(runs: tuple[RunSummary, ...]) -> RunListOut:
    return RunListOut(runs=[_encode_run(run) for run in runs])


def _encode_run(run: RunSummary) -> RunOut:
    return RunOut(
        id=run.id,
        session_id=run.session_id,
        run_id=run.key,
        agent=run.agent,
        status=run.status.value,
        failure=run.failure,
        attempt=run.attempt,
        points=run.points,
        held_points=run.held_points,
        message_id=run.message_id,
        model=run.model,
        input_tokens=run.input_tokens,
        output_tokens=run.output_tokens,
        cost=str(run.cost),
        created_at=run.created_at,
        started_at=run.started_at,
        ended_at=run.ended_at,
    )
