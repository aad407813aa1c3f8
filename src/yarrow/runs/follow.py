"""Follow a run from a place: live, resumed and replayed are one path."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

from yarrow.db import Tx
from yarrow.errors import RunNotFound
from yarrow.ids import AccountId, RunId, SessionId
from yarrow.runs import store
from yarrow.runs.engine import Engine
from yarrow.runs.journal import Numbered
from yarrow.sessions import store as sessions
from yarrow.sessions.model import Message
from yarrow.sessions.rules import require_owner


@dataclass(frozen=True, slots=True)
class FoundRun:
    """A run that the caller may follow."""

    id: RunId
    session_id: SessionId
    key: str


async def require_own_session(tx: Tx, session_id: SessionId, account_id: AccountId) -> None:
    """The session exists, is not deleted and belongs to the account."""
    ownership = await sessions.read_ownership(tx, session_id)
    require_owner(session_id, owner=ownership.owner, deleted=ownership.deleted, caller=account_id)


async def find_own_run(
    engine: Engine, account_id: AccountId, *, session_id: SessionId, key: str | None
) -> FoundRun:
    """The session's run of this key, or its newest one."""
    async with engine.database.reading() as tx:
        await require_own_session(tx, session_id, account_id)
        if key is None:
            key = await store.latest_key(tx, session_id)
        run = await store.find_run(tx, session_id, key) if key else None
    if run is None or key is None:
        raise RunNotFound(key or "yet")
    return FoundRun(run.id, session_id, key)


def follow(engine: Engine, run_id: RunId, *, after: int) -> AsyncIterator[list[Numbered]]:
    """The run's events behind a place, up to its last one; an empty list is a heartbeat."""
    return engine.journal.follow(run_id, after=after)


async def own_history(
    engine: Engine, account_id: AccountId, session_id: SessionId
) -> tuple[Message, ...]:
    """What was said in a session of the caller's."""
    async with engine.database.reading() as tx:
        await require_own_session(tx, session_id, account_id)
        return await sessions.read_session(tx, session_id)
