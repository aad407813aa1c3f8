"""Follow a run from a sequence number: live, resumed and replayed are one path."""

from collections.abc import AsyncIterator

from yarrow.accounts import store as accounts
from yarrow.db import Tx
from yarrow.ids import AccountId, RunId, SessionId
from yarrow.kit.json import JsonObject
from yarrow.runs import store
from yarrow.runs.engine import Engine
from yarrow.runs.errors import RunNotFound
from yarrow.runs.journal import SequencedEvent
from yarrow.runs.model import RunRow
from yarrow.sessions import store as sessions
from yarrow.sessions.model import Message
from yarrow.sessions.rules import require_owner


async def require_own_session(tx: Tx, session_id: SessionId, account_id: AccountId) -> None:
    """The session exists, is not deleted and belongs to the account."""
    require_owner(session_id, await sessions.read_ownership(tx, session_id), caller=account_id)


async def read_own_run(
    engine: Engine, account_id: AccountId, *, session_id: SessionId, key: str | None
) -> RunRow:
    """Read the session's run of this key, or its newest one; the account must own the session."""
    async with engine.database.connection() as tx:
        ownership, run = await store.find_run(tx, session_id, key)
    require_owner(session_id, ownership, caller=account_id)
    if run is None:
        raise RunNotFound(key or "yet")
    return run


def follow(engine: Engine, run_id: RunId, *, after: int) -> AsyncIterator[list[SequencedEvent]]:
    """Yield the run's events behind a sequence number, to its end; an empty list is a heartbeat."""
    return engine.journal.follow(run_id, after=after)


async def own_history(
    engine: Engine, account_id: AccountId, session_id: SessionId
) -> tuple[Message, ...]:
    """What was said in a session of the caller's."""
    async with engine.database.connection() as tx:
        await require_own_session(tx, session_id, account_id)
        return await sessions.read_session(tx, session_id)


async def own_answers(
    engine: Engine, account_id: AccountId, session_id: SessionId
) -> tuple[Message, ...]:
    """The answered turns of a session of the caller's."""
    async with engine.database.connection() as tx:
        await require_own_session(tx, session_id, account_id)
        return await sessions.read_answered(tx, session_id)


async def own_preferences(engine: Engine, account_id: AccountId) -> JsonObject:
    """The settings of the caller's profile."""
    async with engine.database.connection() as tx:
        return (await accounts.read_profile(tx, account_id)).settings
