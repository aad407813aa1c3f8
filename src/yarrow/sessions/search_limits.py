"""How much one search reads."""

from collections.abc import Sequence

from yarrow.sessions.model import RecentSession

SEARCHED_SESSIONS = 200
SEARCHED_EACH = 300
"""Messages of one session, the newest."""
SEARCHED_MESSAGES = 3_000
"""A search reads the text of each message: about two microseconds. There is no index that finds
parts of Chinese words in every build of PostgreSQL that is supported."""


def limit_searched_sessions(sessions: Sequence[RecentSession]) -> Sequence[RecentSession]:
    """Choose the sessions that one search looks into: the first ones, at least one."""
    budget = SEARCHED_MESSAGES
    for index, session in enumerate(sessions[:SEARCHED_SESSIONS]):
        if budget <= 0:
            return sessions[:index]
        budget -= min(session.message_count, SEARCHED_EACH)
    return sessions[:SEARCHED_SESSIONS]
