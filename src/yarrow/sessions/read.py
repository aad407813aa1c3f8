"""Read an account's sessions. Each function opens its own connection."""

from collections.abc import Sequence
from datetime import date, datetime, tzinfo

from msgspec.structs import replace

from yarrow.db import Database, Tx
from yarrow.ids import AccountId, SessionId, TurnId
from yarrow.sessions import history_store, store, turn_store
from yarrow.sessions.errors import TurnNotFound
from yarrow.sessions.history_store import ConvertBatch, DayHistory, Item
from yarrow.sessions.model import HistorySlice, ListPosition, Message, SearchResult, TurnRef
from yarrow.sessions.ownership import require_owner
from yarrow.sessions.search_limits import SEARCHED_EACH, SEARCHED_SESSIONS, limit_searched_sessions


async def require_own_session(tx: Tx, account_id: AccountId, session_id: SessionId) -> None:
    """Raise unless the session exists, is not deleted and belongs to the account."""
    require_owner(session_id, await store.read_ownership(tx, session_id), caller=account_id)


async def read_list_position(tx: Tx, account_id: AccountId, session_id: SessionId) -> ListPosition:
    """Find where a list of sessions continues behind one of them, also if it was deleted since."""
    ownership = await store.read_ownership(tx, session_id)
    require_owner(session_id, replace(ownership, deleted=False), caller=account_id)
    return await store.read_last_activity(tx, session_id), session_id


async def find_own_turn(tx: Tx, account_id: AccountId, turn_id: TurnId) -> TurnRef:
    """Read a turn of one of the account's sessions."""
    turn = await turn_store.find_turn(tx, turn_id)
    if turn is None or turn.account_id != account_id:
        raise TurnNotFound(str(turn_id))
    return turn


async def read_own_messages(
    database: Database,
    account_id: AccountId,
    session_id: SessionId,
    convert: ConvertBatch[Item],
) -> list[Item]:
    """Read all messages of a session that its user sees, oldest first, batch by batch."""
    async with database.transaction() as tx:
        await require_own_session(tx, account_id, session_id)
        return await history_store.read_messages(tx, session_id, convert)


async def read_own_messages_up_to(
    database: Database, account_id: AccountId, session_id: SessionId, turn_id: TurnId
) -> tuple[Message, ...]:
    """Read the messages that the user sees up to a turn, which need not be live yet."""
    async with database.connection() as tx:
        await require_own_session(tx, account_id, session_id)
        return await history_store.read_messages_up_to(tx, session_id, turn_id)


async def read_own_answers(
    database: Database, account_id: AccountId, session_id: SessionId
) -> tuple[Message, ...]:
    """Read the messages of answered turns, as a model sees them."""
    async with database.connection() as tx:
        await require_own_session(tx, account_id, session_id)
        return await store.read_answered(tx, session_id)


async def read_latest_answers(
    database: Database,
    account_id: AccountId,
    *,
    limit: int,
    offset: int,
    after: SessionId | None = None,
) -> HistorySlice:
    """Read the last answer of each session, the most recently active session first.

    With `after`, of the sessions that come behind this one.
    """
    async with database.connection() as tx:
        position = None if after is None else await read_list_position(tx, account_id, after)
        return await history_store.read_latest_answers(
            tx, account_id, limit=limit, offset=offset, after=position
        )


async def read_day(
    database: Database,
    account_id: AccountId,
    session_id: SessionId | None,
    convert: ConvertBatch[Item],
    *,
    before: date | None,
    zone: tzinfo,
) -> DayHistory[Item] | None:
    """Read one day of a session, in a time zone: the newest with messages, before a date if given.

    Without a session it is the account's most recently active one; None if there is none.
    """
    async with database.transaction() as tx:
        if session_id is None:
            session_id = await history_store.find_latest_session(tx, account_id)
        else:
            await require_own_session(tx, account_id, session_id)
        if session_id is None:
            return None
        return await history_store.read_day(tx, session_id, convert, before=before, zone=zone)


async def search_messages(
    database: Database,
    account_id: AccountId,
    words: Sequence[str],
    *,
    limit: int,
    besides: SessionId | None = None,
    before: datetime | None = None,
) -> SearchResult:
    """Find the newest message with all the words in each session, newest first; one is left out.

    The search is bounded: it looks at the most recently active sessions, before a time if one is
    given, and the result says where it stopped.
    """
    async with database.connection() as tx:
        sessions = await store.read_recent_sessions(
            tx, account_id, besides=besides, before=before, limit=SEARCHED_SESSIONS + 1
        )
        chosen = limit_searched_sessions(sessions)
        hits = await store.search_messages(
            tx, chosen, words, messages_each=SEARCHED_EACH, limit=len(chosen)
        )
    having = {hit.session_id for hit in hits}
    # Of the sessions with a hit the most recently active ones, so that `before` finds the others.
    shown = [session for session in chosen if session.id in having][:limit]
    found_all = len(chosen) == len(sessions) and not any(
        session.message_count > SEARCHED_EACH for session in chosen
    )
    if len(shown) < len(having):
        chosen = chosen[: chosen.index(shown[-1]) + 1]
    is_partial = len(chosen) < len(sessions)
    ids = {session.id for session in shown}
    return SearchResult(
        tuple(hit for hit in hits if hit.session_id in ids),
        sessions_found=len(having),
        searched_until=chosen[-1].last_activity_at if is_partial else None,
        cut_sessions=sum(session.message_count > SEARCHED_EACH for session in chosen),
        found_all=found_all,
    )
