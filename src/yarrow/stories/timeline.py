"""Read the turns, branches and messages of a story."""

from msgspec import Struct
from msgspec.structs import replace

from yarrow.db import Database, Tx
from yarrow.ids import AccountId, MessageId, SessionId, TurnId
from yarrow.sessions import branch_store, path_store, turn_store
from yarrow.sessions.errors import BranchNotFound, MessageNotFound, TurnNotFound
from yarrow.sessions.model import Branch, FoundMessage, TurnView
from yarrow.stories import store
from yarrow.stories.names import name_lines, name_turns
from yarrow.stories.story_state import require_own_story

ALL_TURNS = 2**31 - 1


class Timeline(Struct, frozen=True):
    """Some of the turns on the path to a branch's end; `total` counts all of them."""

    session_id: SessionId
    branch: str
    turns: tuple[TurnView, ...]
    total: int


async def read_timeline(
    database: Database,
    account_id: AccountId,
    session_id: SessionId,
    *,
    branch: str,
    limit: int | None = None,
    offset: int = 0,
) -> Timeline:
    """Read turns on the path to a branch's end; without a limit all from `offset` on."""
    async with database.connection() as tx:
        story = await require_own_story(tx, account_id, session_id)
        if not await branch_store.read_branches(tx, session_id, branch):
            raise BranchNotFound(branch)
        turns, total = await path_store.read_path_part(
            tx, session_id, branch, limit=ALL_TURNS if limit is None else limit, offset=offset
        )
    return Timeline(session_id, branch, name_turns(turns, story.names), total)


async def read_turns(
    database: Database,
    account_id: AccountId,
    session_id: SessionId,
    *,
    branch: str | None,
    limit: int,
    offset: int,
) -> tuple[tuple[TurnView, ...], int]:
    """Read turns that are not superseded, of one branch or of all, and their total count."""
    async with database.connection() as tx:
        story = await require_own_story(tx, account_id, session_id)
        turns = await turn_store.read_live_turns(tx, session_id, branch, limit=limit, offset=offset)
        total = await turn_store.count_live_turns(tx, session_id, branch)
    return name_turns(turns, story.names), total


async def read_turn(database: Database, account_id: AccountId, turn_id: TurnId) -> TurnView:
    """Read one turn, also a superseded one."""
    async with database.connection() as tx:
        turn = await turn_store.read_turn(tx, turn_id)
        if turn is None:
            raise TurnNotFound(str(turn_id))
        story = await store.find_session(tx, account_id, turn.session_id)
    if story is None:
        raise TurnNotFound(str(turn_id))
    return name_lines(turn, story.names)


async def read_message(
    database: Database, account_id: AccountId, message_id: MessageId
) -> FoundMessage:
    """Read one message version, active or not."""
    async with database.connection() as tx:
        return await find_own_message(tx, account_id, message_id)


async def find_own_message(tx: Tx, account_id: AccountId, message_id: MessageId) -> FoundMessage:
    """Read one message version of the account's stories."""
    found = next(iter(await turn_store.find_messages(tx, [message_id])), None)
    if found is None:
        raise MessageNotFound(str(message_id))
    story = await store.find_session(tx, account_id, found.turn.session_id)
    if story is None:
        raise MessageNotFound(str(message_id))
    turn = await turn_store.read_turn(tx, found.turn.id)
    versions = () if turn is None else name_lines(turn, story.names).versions
    named = (version for version in versions if version.id == message_id)
    return replace(found, version=next(named, found.version))


async def read_branches(
    database: Database, account_id: AccountId, session_id: SessionId
) -> tuple[Branch, ...]:
    """Read the branches of a story, oldest first."""
    async with database.connection() as tx:
        await require_own_story(tx, account_id, session_id)
        return await branch_store.read_branches(tx, session_id)
