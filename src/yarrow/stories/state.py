"""Read stories, and the state of a branch that its next prompt is built from."""

from dataclasses import replace
from zoneinfo import ZoneInfo

from yarrow.accounts.preferences import read_preferences
from yarrow.assets.model import SortOrder
from yarrow.db import Database, Tx
from yarrow.ids import AccountId, SessionId, TurnId
from yarrow.prompting.macros import MutationScope
from yarrow.sessions.errors import BranchNotFound, SessionNotFound
from yarrow.sessions.model import MAIN_BRANCH
from yarrow.stories import state_store, store
from yarrow.stories.model import StoryFilter, StorySession, StorySort, StoryState
from yarrow.stories.prompt_input import cut_history_before
from yarrow.stories.rules import require_story
from yarrow.stories.turn_state import select_scope, undo_writes
from yarrow.variables.model import Scope, ScopedVariables


async def require_own_story(tx: Tx, account_id: AccountId, session_id: SessionId) -> StorySession:
    """Read a story; raise if the account has no such story."""
    return require_story(session_id, await store.find_session(tx, account_id, session_id))


async def read_story(
    database: Database, account_id: AccountId, session_id: SessionId
) -> StorySession:
    """Read a story without its messages."""
    async with database.connection() as tx:
        return await require_own_story(tx, account_id, session_id)


async def list_stories(
    database: Database,
    account_id: AccountId,
    where: StoryFilter,
    *,
    sort: tuple[StorySort, SortOrder],
    limit: int,
    offset: int,
) -> tuple[tuple[StorySession, ...], int]:
    """List some of the account's stories, and count all that match."""
    async with database.connection() as tx:
        return await store.list_sessions(
            tx, account_id, where, sort=sort, limit=limit, offset=offset
        )


async def read_state(
    tx: Tx, account_id: AccountId, session_id: SessionId, branch: str = MAIN_BRANCH
) -> StoryState:
    """Read all that the next prompt of a branch needs, in one statement. Archived stories too."""
    row = await store.find_story_row(tx, account_id, session_id, branch=branch)
    if row is None:
        raise SessionNotFound(str(session_id))
    if row.branch_id is None:
        raise BranchNotFound(branch)
    return StoryState(
        session=row.session,
        branch_id=row.branch_id,
        branch=branch,
        variables=row.variables,
        history=row.history,
        timezone=ZoneInfo(read_preferences(row.settings).timezone),
        timers=row.lore_timers,
    )


async def rewind_state(tx: Tx, state: StoryState, turn_id: TurnId) -> StoryState:
    """Return the state as it was before a turn of its branch.

    Of the newest turn, what it wrote is undone and what a person set since stays. Of an older
    one, its own record is used; without a record the variables stay as they are.
    """
    history = cut_history_before(state.history, turn_id)
    account_id = state.session.account_id
    if await state_store.is_newest_turn(tx, state.branch_id, turn_id):
        record = await state_store.find_branch_state(tx, state.branch_id, turn_id)
        present = await state_store.read_entries(tx, account_id, state.branch_id)
        entries = present if record is None else undo_writes(present, record)
        shared = select_scope(entries, MutationScope.GLOBAL)
    else:
        record = await state_store.find_version_state(tx, turn_id)
        shared = state.variables.get(Scope.GLOBAL)
        if record is None:
            return replace(state, history=history)
        entries = record.entries_before()
    scopes = dict(state.variables.by_scope)
    scopes[Scope.BRANCH] = select_scope(entries, MutationScope.BRANCH)
    scopes[Scope.GLOBAL] = shared
    timers = () if record is None else record.timers_before
    return replace(state, history=history, variables=ScopedVariables(scopes), timers=timers)
