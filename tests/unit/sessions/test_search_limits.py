"""How much one search reads."""

from datetime import UTC, datetime
from uuid import uuid4

from yarrow.ids import SessionId
from yarrow.sessions.model import RecentSession
from yarrow.sessions.search_limits import (
    SEARCHED_EACH,
    SEARCHED_MESSAGES,
    SEARCHED_SESSIONS,
    limit_searched_sessions,
)


def recent(messages: int) -> RecentSession:
    return RecentSession(SessionId(uuid4()), "", datetime(2026, 1, 1, tzinfo=UTC), messages)


def test_a_search_reads_few_long_sessions_or_many_short_ones() -> None:  # its time is bounded
    long, short = [recent(10_000)] * 50, [recent(2)] * 500

    assert len(limit_searched_sessions(long)) == SEARCHED_MESSAGES // SEARCHED_EACH
    assert len(limit_searched_sessions(short)) == SEARCHED_SESSIONS
    assert limit_searched_sessions([]) == []
