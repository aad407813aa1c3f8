"""List an account's sessions and runs. Every read is bounded."""

from collections.abc import Sequence
from datetime import datetime

from yarrow.activity import store
from yarrow.activity.model import FoundSession, FoundSessions, RunSummary, SessionList
from yarrow.db import Database
from yarrow.ids import AccountId, SessionId
from yarrow.sessions.read import read_list_position, require_own_session, search_messages
from yarrow.tools.search_sessions import cut_snippet

LOOKED_AT = 200
"""Sessions that one call looks at when only those of one agent are wanted."""


async def list_sessions(
    database: Database,
    account_id: AccountId,
    *,
    limit: int,
    after: SessionId | None = None,
    agent: str | None = None,
) -> SessionList:
    """List sessions, the most recently active first.

    With `agent`, a call looks at a bounded number of sessions, so it can return fewer than `limit`
    while `next_after` still leads to more.
    """
    async with database.connection() as tx:
        cursor = None if after is None else await read_list_position(tx, account_id, after)
        wanted = (limit if agent is None else max(limit, LOOKED_AT)) + 1
        rows = await store.read_sessions(tx, account_id, limit=wanted, after=cursor)
    looked_at = rows[: wanted - 1]
    matching = [session for session in looked_at if agent in (None, session.agent)]
    shown = tuple(matching[:limit])
    if len(matching) > limit:
        return SessionList(shown, shown[-1].id)
    return SessionList(shown, looked_at[-1].id if len(rows) == wanted else None)


async def search_sessions(
    database: Database,
    account_id: AccountId,
    words: Sequence[str],
    *,
    limit: int,
    before: datetime | None = None,
) -> FoundSessions:
    """Find sessions of all agents by words in their messages, the newest message first."""
    result = await search_messages(database, account_id, words, limit=limit, before=before)
    async with database.connection() as tx:
        agents = await store.read_agents(tx, [hit.session_id for hit in result.hits])
    sessions = tuple(
        FoundSession(
            id=hit.session_id,
            title=hit.title,
            agent=agents.get(hit.session_id, ""),
            role=hit.role,
            snippet=cut_snippet(hit.content, words),
            created_at=hit.created_at,
        )
        for hit in result.hits
    )
    return FoundSessions(sessions, result.searched_until, result.cut_sessions)


async def list_runs(
    database: Database, account_id: AccountId, *, session_id: SessionId | None, limit: int
) -> tuple[RunSummary, ...]:
    """List the newest runs of a session, else of the most recently active sessions."""
    async with database.connection() as tx:
        if session_id is not None:
            await require_own_session(tx, account_id, session_id)
            return await store.read_runs(tx, [session_id], limit=limit)
        sessions = await store.read_sessions(tx, account_id, limit=limit, after=None)
        ids = [session.id for session in sessions]
        return await store.read_runs(tx, ids, limit=limit)
